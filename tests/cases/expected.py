"""What each case must show: the cause in the first three lines, and the fix that its report names."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Expected:
    """One case. `says` stands in the first three lines, `hints` are codes of proposed changes."""

    pod: str
    says: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    tried: bool = True
    """False where the pod has a node or another scheduler: the real one says nothing of it."""


EXPECTED: Final[dict[str, Expected]] = {
    "r01-pod-slots-used-up-and-two-cordoned": Expected("default/web-x"),
    "r02-affinity-to-a-node-without-slots": Expected("default/back"),
    "r04-larger-than-any-node": Expected("default/giant"),
    "r07-sidecar-before-an-init-step": Expected("default/app"),
    "r07-init-step-before-the-sidecar": Expected("default/app"),
    "r08-overhead-of-a-runtime-class": Expected("default/second"),
    "r09-resource-that-nodes-do-not-report": Expected("default/app"),
    "r10-short-by-less-than-a-percent": Expected("default/app"),
    "r11-a-gpu-for-each-container": Expected("default/training"),
    "r14-daemon-pod-of-equal-priority": Expected("default/agent-w1"),
    "r16-request-of-the-whole-pod": Expected("default/app"),
    "r17-room-held-by-a-terminating-pod": Expected("default/new"),
    "r18-refused-by-the-kubelet": Expected("default/app", tried=False),
    "n01-label-and-taint-renamed": Expected("default/operator"),
    "n03-greater-than-a-label-that-is-no-number": Expected("default/app"),
    "n03-greater-than-a-fraction": Expected("default/app"),
    "n05-message-that-misses-a-node": Expected("default/agent-w8"),
    "n06-daemon-pod-whose-node-is-tainted": Expected("default/agent-w1"),
    "n07-only-control-planes": Expected("default/web"),
    "n09-disk-pressure": Expected("default/web"),
    "n10-node-not-ready": Expected("default/web"),
    "n11-nodes-not-initialized": Expected("kube-system/coredns"),
    "n12-node-unreachable": Expected("default/web"),
    "n13-node-named-by-hand": Expected("default/db", tried=False),
    "n14-prefer-no-schedule": Expected("default/web"),
    "p01-host-port-and-a-dead-node": Expected("default/edge-d"),
    "p02-host-port-on-a-single-node": Expected("default/monitor-2-b"),
    "p04-same-port-other-address": Expected("default/b"),
    "p04-same-port-any-address": Expected("default/b"),
    "p04-same-port-other-protocol": Expected("default/b"),
    "p04-same-port-on-loopback": Expected("default/b"),
    "v01-claim-without-a-class": Expected("default/hub"),
    "v02-class-that-does-not-exist": Expected("default/dhcp-0"),
    "v04-volume-of-another-mode": Expected("default/db"),
    "v07-volume-and-selector-exclude-each-other": Expected("default/elastic"),
    "v08-volume-in-the-zone-of-the-control-plane": Expected("default/web-1"),
    "v11-storage-capacity-never-published": Expected("default/db"),
    "v11-storage-capacity-of-zero": Expected("default/db"),
    "v13-no-limit-before-the-driver-registers": Expected("default/db-new"),
    "v14-limit-that-is-too-high": Expected("default/db-2", tried=False),
    "v15-claim-for-one-pod-held-by-an-equal": Expected("default/b"),
    "v15-claim-for-one-pod-held-by-a-lesser": Expected("default/b"),
    "v17-class-deleted-after-binding": Expected("default/db"),
    "v17-class-deleted-before-binding": Expected("default/db"),
    "v18-volume-for-one-node-in-use-elsewhere": Expected("default/new"),
    "v19-volume-that-names-no-host": Expected("default/db"),
    "a01-repelled-by-running-pods": Expected("default/web"),
    "a03-each-node-another-cause": Expected("default/consul-1"),
    "a04-the-terminating-twin-anchors-the-affinity": Expected("default/solo-new"),
    "a04-after-the-twin-is-gone": Expected("default/solo-new"),
    "a06-repelled-from-another-namespace": Expected("default/web"),
    "a07-topology-key-that-no-node-has": Expected("default/web"),
    "a08-placeholder-without-a-free-node": Expected("default/mon-c-canary"),
    "t01-minimum-held-by-a-tainted-node": Expected("default/x-4"),
    "t04-both-revisions-counted": Expected("default/x-new-1"),
    "t05-newer-pods-took-the-zone-of-a-pinned-one": Expected("default/web-3"),
    "t08-fewer-domains-than-the-minimum": Expected("default/x-2"),
    "t09-nodes-without-the-zone-label": Expected("default/x-1"),
    "t10-minimum-held-by-a-cordoned-node": Expected("default/x-3a"),
    "e01-budget-before-priority": Expected("default/very-high"),
    "e02-budget-violated-all-the-same": Expected("default/important"),
    "e04-nomination-that-no-longer-fits": Expected("default/p1"),
    "e06-nominated-node-tainted": Expected("default/high"),
    "e09-victim-on-another-node": Expected("default/p"),
    "e10-affinity-to-a-lesser-pod": Expected("default/p"),
    "e11-may-not-preempt": Expected("default/p"),
    "g01-gate-that-nobody-lifts": Expected("default/train"),
    "g02-scheduler-that-nobody-serves": Expected("default/web", tried=False),
}
