"""The judge: the real kube-scheduler as a program, random cases for it, and a strict comparison."""
