"""An attempt explained: what stands in the way, where, how much is missing, and whether the cluster agrees."""
