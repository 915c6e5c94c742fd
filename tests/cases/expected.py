"""What each case must show: the cause in the first three lines, and the fix that its report names."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Expected:
    """One case."""

    pod: str
    verdict_class: str
    says: tuple[str, ...]
    """Stands in the first three lines, however they are broken."""
    hints: tuple[str, ...] = ()
    """Proposed and proven: the codes of one hint's changes, joined by +."""
    shows: tuple[str, ...] = ()
    """Stands anywhere in the text, and in some message in JSON."""
    hides: tuple[str, ...] = ()
    """Stands nowhere, as it has no part in the matter."""
    spares: tuple[str, ...] = ()
    """Not proposed, as it fails or is worse than what is."""
    helps: tuple[tuple[str, int, int], ...] = ()
    """Of a hint: how many of the pods that wait alike it helps."""
    tried: bool = True
    """False where the pod has a node or another scheduler: the real one says nothing of it."""


EXPECTED: Final[dict[str, Expected]] = {
    "r01-pod-slots-used-up-and-two-cordoned": Expected(
        "default/web-x",
        "full-now",
        ("n3, n4 and n5 are out of pod slots (2 of 2 used", "n1 and n2 are cordoned"),
        hints=("uncordon",),
        shows=("each pod takes a slot, however little it uses",),
    ),
    "r02-affinity-to-a-node-without-slots": Expected(
        "default/back",
        "full-now",
        ("no pod matching app=front on n2 and n3", "n1 is out of pod slots (3 of 3 used)"),
        hints=("widen-pod-affinity", "delete-pods", "raise-max-pods"),
        spares=("drop-pod-affinity",),
    ),
    "r04-larger-than-any-node": Expected(
        "default/giant",
        "too-small",
        ("too small even if empty", "needs 64 cpu, the largest node, w1, has 4 in all"),
        hints=("lower-request", "add-node"),
    ),
    "r07-sidecar-before-an-init-step": Expected(
        "default/app",
        "full-now",
        (
            "needs 300m cpu (200m init step init + 100m sidecar sidecar), n1 has 250m free of 1: short by 50m",
        ),
        hints=("init-steps-first",),
        shows=(
            "the most cpu is needed while init container init runs",
            "with init before sidecar it would ask for 200m cpu",
        ),
    ),
    "r07-init-step-before-the-sidecar": Expected(
        "default/app", "fits-now", ("fits now: the scheduler would take n1",)
    ),
    "r08-overhead-of-a-runtime-class": Expected(
        "default/second",
        "full-now",
        (
            "needs 2248Mi memory (2Gi container main + 200Mi overhead of RuntimeClass vm), n1 has 1848Mi free",
        ),
        hints=("lower-request",),
    ),
    "r09-resource-that-nodes-do-not-report": Expected(
        "default/app",
        "too-small",
        ("needs 12Mi ephemeral-storage", "n1 and n2 do not report at all (counts as 0)"),
        shows=("a matter of their kubelets, not a lack of space",),
    ),
    "r10-short-by-less-than-a-percent": Expected(
        "default/app",
        "too-small",
        ("needs 18250000000 ephemeral-storage", "short by 7732076 bytes"),
        hints=("lower-request",),
    ),
    "r11-a-gpu-for-each-container": Expected(
        "default/training",
        "too-small",
        ("needs 2 example.com/gpu (1 container cuda + 1 container trainer), n1 has 1 in all",),
    ),
    "r14-daemon-pod-of-equal-priority": Expected(
        "default/agent-w1",
        "full-now",
        (
            "of 2 nodes only w1 may take it (DaemonSet agent)",
            "w1 is out of pod slots (3 of 3 used)",
        ),
        hints=("move-pods", "raise-priority"),
        shows=("no pod on w1 has a lower priority than the pod's own, 0",),
    ),
    "r16-request-of-the-whole-pod": Expected(
        "default/app",
        "full-now",
        ("needs 2Gi memory (2Gi of spec.resources, the containers' sum of 256Mi does not count)",),
        hints=("lower-pod-request", "delete-pods"),
    ),
    "r17-room-held-by-a-terminating-pod": Expected(
        "default/new",
        "waiting-for-terminating",
        ("fits n1 once default/old is gone, being deleted already",),
        hints=("end-deletion",),
        spares=("raise-priority", "delete-pods"),
    ),
    "r18-refused-by-the-kubelet": Expected(
        "default/app",
        "not-scheduling",
        ("not a matter of scheduling: n1 refused it, OutOfcpu",),
        tried=False,
    ),
    "n01-label-and-taint-renamed": Expected(
        "default/operator",
        "placement-excludes-all",
        ("no node has label node-role.kubernetes.io/master",),
        hints=("remove-taint+label-node", "add-toleration+label-node"),
        shows=("the nearest key is node-role.kubernetes.io/control-plane on cp1",),
    ),
    "n03-greater-than-a-label-that-is-no-number": Expected(
        "default/app",
        "full-now",
        ("wants cores > 8", "n1 has 0 free of 1"),
        shows=("n2: label cores=sixteen is not an integer, so Gt never matches",),
    ),
    "n03-greater-than-a-fraction": Expected(
        "default/app",
        "placement-excludes-all",
        ("its rule cores Gt 8.5 matches no node: 8.5 is no integer",),
        hints=("drop-node-affinity",),
    ),
    "n05-message-that-misses-a-node": Expected(
        "default/agent-w8",
        "fits-now",
        ("fits now: the scheduler would take w8", "differs from the cluster's own message"),
        shows=("the recorded message accounts for 7 of 8 nodes",),
    ),
    "n06-daemon-pod-whose-node-is-tainted": Expected(
        "default/agent-w1",
        "placement-excludes-all",
        ("only w1 may take it", "w1 has taint maintenance=disk:NoSchedule, not tolerated"),
        hints=("add-toleration", "remove-taint"),
    ),
    "n07-only-control-planes": Expected(
        "default/web",
        "placement-excludes-all",
        ("every node is a control plane", "none is a worker"),
        hints=("remove-taint", "add-node"),
    ),
    "n09-disk-pressure": Expected(
        "default/web",
        "placement-excludes-all",
        ("n1 is short of disk: condition DiskPressure=True",),
        shows=("the node has to get well, a toleration would put the pod on a node that",),
        spares=("add-toleration", "remove-taint"),
    ),
    "n10-node-not-ready": Expected(
        "default/web",
        "placement-excludes-all",
        ("n1 is not ready: condition Ready=False", "not-ready:NoSchedule"),
        shows=("tolerates node.kubernetes.io/not-ready with NoExecute, not with NoSchedule",),
        spares=("add-toleration", "remove-taint"),
    ),
    "n11-nodes-not-initialized": Expected(
        "kube-system/coredns",
        "placement-excludes-all",
        ("n1, n2 and n3 are not initialized by the cloud controller manager",),
        shows=(
            "is taken off by the cloud controller manager",
            "priority 2000000000 gets it past no taint",
        ),
        spares=("add-toleration", "remove-taint"),
    ),
    "n12-node-unreachable": Expected(
        "default/web",
        "placement-excludes-all",
        ("n1 is unreachable: condition Ready=Unknown",),
        spares=("add-toleration", "remove-taint"),
    ),
    "n13-node-named-by-hand": Expected(
        "default/db",
        "not-scheduling",
        ("is on n1", "not a matter of scheduling"),
        shows=("claim default/data waits for the scheduler to choose a node",),
        tried=False,
    ),
    "n14-prefer-no-schedule": Expected(
        "default/web",
        "full-now",
        ("needs 500m cpu, n1 has 0 free of 1",),
        hides=("PreferNoSchedule",),
    ),
    "p01-host-port-and-a-dead-node": Expected(
        "default/edge-d",
        "rollout-deadlock",
        (
            "its rollout stops here",
            "(maxUnavailable 1, used up)",
            "host port 80/TCP taken by",
        ),
        hints=("rollout-strategy", "leave-host-network"),
        spares=("drop-host-port", "delete-pods"),
    ),
    "p02-host-port-on-a-single-node": Expected(
        "default/monitor-2-b",
        "rollout-deadlock",
        ("its rollout stops here", "default/monitor-1-a", "maxUnavailable 0"),
        hints=("rollout-strategy", "leave-host-network"),
        spares=("drop-host-port",),
    ),
    "p04-same-port-other-address": Expected("default/b", "fits-now", ("fits now",)),
    "p04-same-port-any-address": Expected(
        "default/b",
        "full-now",
        ("host port 8080/TCP taken by default/a on n1",),
        shows=("needs host port 8080/TCP on every address, which pod/default/a holds on 10.0.0.1",),
        hints=("drop-host-port",),
    ),
    "p04-same-port-other-protocol": Expected("default/b", "fits-now", ("fits now",)),
    "p04-same-port-on-loopback": Expected(
        "default/b",
        "full-now",
        ("host port 127.0.0.1:8080/TCP taken by default/a on n1",),
        hints=("drop-host-port",),
    ),
    "v01-claim-without-a-class": Expected(
        "default/hub",
        "rejected-before-nodes",
        (
            "PersistentVolumeClaim default/hub-db is not bound and has no StorageClass",
            "no node is looked at; once the claim is bound, n1, n2 and n3 would fit",
        ),
        shows=("none is the default",),
    ),
    "v02-class-that-does-not-exist": Expected(
        "default/dhcp-0",
        "rejected-before-nodes",
        (
            "PersistentVolumeClaim default/dhcp is not bound, StorageClass standard does not exist",
            "no node is looked at; once the claim is bound, n1 would fit",
        ),
        hints=("provide-claim",),
        shows=("StorageClasses in the snapshot: local-path", "hence its word immediate"),
    ),
    "v04-volume-of-another-mode": Expected(
        "default/db",
        "placement-excludes-all",
        (
            "needs a volume of class local-sc with 1Gi",
            "pv1 has volumeMode Block, the claim wants Filesystem",
        ),
    ),
    "v07-volume-and-selector-exclude-each-other": Expected(
        "default/elastic",
        "placement-excludes-all",
        (
            "wants kubernetes.io/hostname in (node2)",
            "PersistentVolume log-pv of claim default/log is usable only from",
        ),
        hints=("drop-node-selector",),
        shows=("the pod's own rules allow node2, PersistentVolume log-pv allows node4",),
    ),
    "v08-volume-in-the-zone-of-the-control-plane": Expected(
        "default/web-1",
        "placement-excludes-all",
        ("PersistentVolume pv-1", "topology.kubernetes.io/zone in (a), not from w1, w2 and w3"),
        hints=("recreate-claim",),
        shows=("StorageClass fast binds claims at once", "whose volume begins empty"),
    ),
    "v11-storage-capacity-never-published": Expected(
        "default/db",
        "placement-excludes-all",
        ("needs 4Gi of class zfs, no CSIStorageCapacity applies to the node",),
        shows=("information is missing, the disk need not be full",),
    ),
    "v11-storage-capacity-of-zero": Expected(
        "default/db", "full-now", ("needs 4Gi of class zfs, at most 0 can be made for the node",)
    ),
    "v13-no-limit-before-the-driver-registers": Expected(
        "default/db-new",
        "fits-now",
        ("fits now: the scheduler would take n1",),
        shows=("driver csi.example.com has not registered on n1 (CSINode)",),
    ),
    "v14-limit-that-is-too-high": Expected(
        "default/db-2",
        "not-scheduling",
        ("not a matter of scheduling", "ContainerCreating"),
        shows=("whether volumes attach and devices are well is not shown by a snapshot",),
        tried=False,
    ),
    "v15-claim-for-one-pod-held-by-an-equal": Expected(
        "default/b",
        "rollout-deadlock",
        ("its rollout stops here: it fits only without default/a", "maxUnavailable 0"),
        hints=("rollout-strategy",),
    ),
    "v15-claim-for-one-pod-held-by-a-lesser": Expected(
        "default/b",
        "preemption-will-help",
        ("evicting default/a on n1 makes room", "default/vault is for one pod (ReadWriteOncePod)"),
    ),
    "v17-class-deleted-after-binding": Expected(
        "default/db", "full-now", ("needs 500m cpu, n1 has 0 free of 1",)
    ),
    "v17-class-deleted-before-binding": Expected(
        "default/db",
        "rejected-before-nodes",
        ("PersistentVolumeClaim default/data is not bound, StorageClass gone does not exist",),
    ),
    "v18-volume-for-one-node-in-use-elsewhere": Expected(
        "default/new",
        "fits-now",
        ("fits now: the scheduler would take n2",),
        shows=("claim default/data is ReadWriteOnce and in use on n1 by default/old",),
    ),
    "v19-volume-that-names-no-host": Expected(
        "default/db",
        "placement-excludes-all",
        ("PersistentVolume pvc-1", 'usable only from kubernetes.io/hostname in ("")'),
    ),
    "a01-repelled-by-running-pods": Expected(
        "default/web",
        "placement-excludes-all",
        (
            "anti-affinity of running pods to team=aj repels it: default/guard-1 on n1 and default/guard-2 on n2",
        ),
        hints=("delete-pods",),
    ),
    "a03-each-node-another-cause": Expected(
        "default/consul-1",
        "placement-excludes-all",
        ("default/consul-0 on n1", "n2 has taint dedicated=db:NoSchedule"),
        hints=("add-toleration",),
    ),
    "a04-the-terminating-twin-anchors-the-affinity": Expected(
        "default/solo-new",
        "waiting-for-terminating",
        ("fits n2 once default/solo-old is gone, being deleted already",),
        shows=("it could be the first anywhere, were it not for default/solo-old on n1",),
    ),
    "a04-after-the-twin-is-gone": Expected(
        "default/solo-new", "fits-now", ("fits now: the scheduler would take n2",)
    ),
    "a06-repelled-from-another-namespace": Expected(
        "default/web",
        "placement-excludes-all",
        ("anti-affinity of running pods to app=web repels it: tenant-a/lonely on n1",),
        shows=("its rule means every namespace (namespaceSelector {})",),
        hints=("delete-pods",),
    ),
    "a07-topology-key-that-no-node-has": Expected(
        "default/web",
        "placement-excludes-all",
        ("no node has label example.com/rack: the affinity can never be met",),
        hints=("drop-pod-affinity", "label-nodes"),
    ),
    "a08-placeholder-without-a-free-node": Expected(
        "default/mon-c-canary",
        "placement-excludes-all",
        ("anti-affinity to app=mon keeps it from n1 and n2",),
        hints=("add-node",),
    ),
    "t01-minimum-held-by-a-tainted-node": Expected(
        "default/x-4",
        "placement-excludes-all",
        ("against 0 in cp1: skew 2 of at most 1",),
        hints=("honor-taints-in-spread",),
        helps=(("honor-taints-in-spread", 4, 4), ("raise-max-skew", 3, 4)),
        shows=("the minimum of 0 is held by cp1, where the pod cannot go",),
    ),
    "t04-both-revisions-counted": Expected(
        "default/x-new-1",
        "placement-excludes-all",
        ("against 0 in cp1: skew 2 of at most 1",),
        hints=("honor-taints-in-spread", "count-own-revision"),
        shows=("w1 1 (1 of old)", "no domain takes more than 1 matching pod"),
    ),
    "t05-newer-pods-took-the-zone-of-a-pinned-one": Expected(
        "default/web-3",
        "placement-excludes-all",
        ("PersistentVolume pv-3 of claim default/data-web-3", "zone in (a)"),
        hints=("raise-max-skew", "move-pods-without-claims"),
        shows=("the minimum of 2 is held by nb, where the pod cannot go: PersistentVolume pv-3",),
        hides=("nodeTaintsPolicy is Ignore",),
        spares=("raise-priority", "move-pods"),
    ),
    "t08-fewer-domains-than-the-minimum": Expected(
        "default/x-2",
        "placement-excludes-all",
        ("against 0 as there are 1 of at least 2 domains",),
        hints=("add-node",),
        shows=("1 domain of topology.kubernetes.io/zone for minDomains 2",),
    ),
    "t09-nodes-without-the-zone-label": Expected(
        "default/x-1",
        "placement-excludes-all",
        ("no node has label topology.kubernetes.io/zone: the constraint can never be met",),
        hints=("spread-if-possible", "label-nodes"),
    ),
    "t10-minimum-held-by-a-cordoned-node": Expected(
        "default/x-3a",
        "placement-excludes-all",
        ("against 0 in n3: skew 3 of at most 1", "n3 is cordoned"),
        hints=("uncordon", "honor-taints-in-spread"),
        shows=("until the node is uncordoned or gone",),
    ),
    "e01-budget-before-priority": Expected(
        "default/very-high", "preemption-will-help", ("evicting default/high on w1 makes room",)
    ),
    "e02-budget-violated-all-the-same": Expected(
        "default/important",
        "preemption-will-help",
        ("evicting default/a-1 and default/a-2 on n1 makes room",),
        shows=("budgets never forbid preemption", "default/a allows 1, by its status"),
    ),
    "e04-nomination-that-no-longer-fits": Expected(
        "default/p1",
        "full-now",
        (
            "its nomination to n1 no longer helps",
            "needs 3 cpu, 2500m of 4 free: short by 500m",
        ),
        shows=("keeps 3 cpu of n1 from waiting pods of no higher priority: default/p3",),
    ),
    "e06-nominated-node-tainted": Expected(
        "default/high",
        "preemption-will-help",
        ("maintenance=true:NoSchedule", "evicting default/low on n2 makes room"),
    ),
    "e09-victim-on-another-node": Expected(
        "default/p",
        "preemption-by-hand",
        ("removing default/q alone would suffice to fit n1, but the scheduler evicts nobody",),
        hints=("delete-pods",),
    ),
    "e10-affinity-to-a-lesser-pod": Expected(
        "default/p",
        "preemption-by-hand",
        (
            "removing default/batch alone would suffice to fit n1, but the scheduler evicts nobody",
            "takes away all pods of lower priority there, with them default/cache",
        ),
        hints=("delete-pods", "raise-other-priority"),
        spares=("raise-priority",),
    ),
    "e11-may-not-preempt": Expected(
        "default/p",
        "preemption-by-hand",
        (
            "removing default/low alone would suffice to fit n1",
            "preemptionPolicy=Never (PriorityClass batch-high)",
        ),
        hints=("allow-preemption", "delete-pods"),
    ),
    "g01-gate-that-nobody-lifts": Expected(
        "default/train",
        "never-tried",
        ("waits for scheduling gates q.example/admission, team.example/approval",),
        shows=("by their prefixes q.example and team.example", "would take n1"),
    ),
    "g02-scheduler-that-nobody-serves": Expected(
        "default/web",
        "never-tried",
        ("asks for scheduler my-sched",),
        shows=("the pod has no PodScheduled condition: nobody has tried it", "would take n1"),
        tried=False,
    ),
}
