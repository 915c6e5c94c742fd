"""The real kube-scheduler's recorded verdicts, and the program that replays their cases."""
