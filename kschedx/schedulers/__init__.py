"""Schedulers: each turns a pod and a cluster into an Attempt."""
