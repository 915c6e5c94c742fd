"""Kubernetes objects as typed values, quantities and selectors. Imports nothing of ours."""
