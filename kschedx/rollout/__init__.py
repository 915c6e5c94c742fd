"""What happens when a workload changes: controllers, queue, kubelet, clock; remedies compared."""
