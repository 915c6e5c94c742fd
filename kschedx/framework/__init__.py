"""The contract between a cluster, a scheduler and whoever explains it. Pure values."""
