"""kschedx answers, in kube-scheduler's own words, why a pod is Pending and what would help."""

__version__ = "0.1.0"
