"""kube-scheduler, versions 1.30 to 1.37."""
