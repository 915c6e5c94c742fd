"""Pods: containers, resources, ports, tolerations."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from tests.oracle.generate.draw import APPS, IMAGES, NAMESPACES, Draw, Object, name_of

UNITS: Final = {
    "m": 1,
    "": 1000,
    "Ki": 1024 * 1000,
    "Mi": 1024**2 * 1000,
    "Gi": 1024**3 * 1000,
    "M": 10**9,
    "G": 10**12,
}
TOLERATED_KEYS: Final = [
    "dedicated",
    "gpu",
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/disk-pressure",
    "spot",
    "node.kubernetes.io/unschedulable",
    "",
]
TEAMS: Final = {"default": "x", "prod": "y", "batch": "x"}


class PodOptions(TypedDict, total=False):
    """What a family asks of its pods."""

    ext: bool
    big: bool
    ports: bool
    images: bool
    inits: bool
    podlevel: bool
    nolabels: bool
    tols: bool
    prio: int
    prios: Sequence[int]


def milli(quantity: str) -> int:
    """'1500m' -> 1500, '1' -> 1000, '2Gi' -> 2147483648000."""
    digits = quantity.rstrip("mKMGi")
    return int(digits) * UNITS[quantity[len(digits) :]]


def pod(
    draw: Draw,
    name: str,
    namespace: str = "default",
    node: str | None = None,
    **options: Unpack[PodOptions],
) -> Object:
    """Draw a pod: running on the node, or pending without one."""
    spec = pod_spec(draw, **options)
    labels = {"app": draw.pick(APPS), "tier": draw.pick(["front", "back"])}
    if draw.chance(0.4):
        labels["pod-template-hash"] = draw.pick(["abc", "def"])
    if options.get("nolabels") and draw.chance(0.1):
        labels = {}
    made: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": labels,
            "creationTimestamp": f"2026-03-01T0{draw.whole(0, 9)}:{draw.whole(10, 59)}:00Z",
        },
        "spec": spec,
        "status": {"phase": "Running" if node else "Pending"},
    }
    spec["priority"] = options.get("prio", 0)
    if options.get("prios"):
        spec["priority"] = draw.pick(options["prios"])
    if node:
        spec["nodeName"] = node
        # Distinct start times: with equal ones the real scheduler's order depends on its sort.
        draw.started += 1
        time = f"{draw.whole(0, 23):02}:{draw.whole(0, 59):02}:{draw.started % 60:02}"
        made["status"]["startTime"] = f"2026-03-02T{time}Z"
    if options.get("tols"):
        tolerations = [toleration(draw) for _ in range(draw.pick([0, 1, 2, 3]))]
        if tolerations:
            spec["tolerations"] = tolerations
    return made


def pod_spec(draw: Draw, **options: Unpack[PodOptions]) -> Object:
    """Draw a pod's containers and what they ask for."""
    count = draw.pick([1, 1, 1, 2])
    spec: Object = {"containers": [container(draw, f"c{i}", **options) for i in range(count)]}
    if options.get("inits") and draw.chance(0.5):
        spec["initContainers"] = [
            init_container(draw, f"i{i}", **options) for i in range(draw.pick([1, 2, 3]))
        ]
    if options.get("inits") and draw.chance(0.2):
        spec["overhead"] = {"cpu": "250m", "memory": "120Mi"}
    if options.get("podlevel") and draw.chance(0.4):
        level = pod_level(draw, spec)
        if level:
            spec["resources"] = {"requests": level}
    return spec


def init_container(draw: Draw, name: str, **options: Unpack[PodOptions]) -> Object:
    """Draw an init container, sometimes a sidecar."""
    made = container(draw, name, **options)
    made.pop("ports", None)
    if draw.chance(0.4):
        made["restartPolicy"] = "Always"
    return made


def pod_level(draw: Draw, spec: Object) -> Object:
    """Draw pod-level requests: valid only from the sum of the containers up, per resource."""
    level = {}
    for resource, steps in (("cpu", ["1", "2", "4"]), ("memory", ["1Gi", "4Gi", "8Gi"])):
        total = sum(
            milli(requested(each, resource) or "0")
            for each in [*spec["containers"], *spec.get("initContainers", [])]
        )
        fitting = [step for step in steps if milli(step) >= total]
        if fitting and draw.chance(0.75):
            level[resource] = draw.pick(fitting)
    return level


def requested(made: Object, resource: str) -> str | None:
    """Read a container's request, or its limit where it has none."""
    resources = made.get("resources", {})
    amount: str | None = resources.get("requests", {}).get(resource) or resources.get(
        "limits", {}
    ).get(resource)
    return amount


def container(draw: Draw, name: str, **options: Unpack[PodOptions]) -> Object:
    """Draw a container."""
    image = draw.pick(IMAGES) if options.get("images") else "registry.example/app:1"
    made: Object = {"name": name, "image": image}
    amounts = quantities(draw, ext=options.get("ext", False), big=options.get("big", False))
    resources: Object = {}
    match draw.branch(0.75, 0.9):
        case 0:
            resources["requests"] = amounts
            for key in amounts:
                if "/" in key or key.startswith("hugepages"):
                    resources.setdefault("limits", {})[key] = amounts[key]
        case 1:
            resources["limits"] = amounts
    if any(resources.values()):
        made["resources"] = resources
    if options.get("ports") and draw.chance(0.6):
        made["ports"] = [port(draw) for _ in range(draw.pick([1, 1, 2]))]
    return made


def quantities(draw: Draw, *, ext: bool, big: bool) -> dict[str, str]:
    """Draw what a container asks for."""
    amounts = {}
    if draw.chance(0.85):
        more = ["3", "4", "6500m"] if big else []
        amounts["cpu"] = draw.pick(["100m", "250m", "500m", "1", "1500m", "2", *more])
    if draw.chance(0.8):
        more = ["4Gi", "7Gi", "14Gi"] if big else []
        amounts["memory"] = draw.pick(["64Mi", "128Mi", "500M", "1Gi", "2Gi", *more])
    if draw.chance(0.15):
        amounts["ephemeral-storage"] = draw.pick(["1Gi", "10Gi", "30Gi"])
    if ext:
        if draw.chance(0.4):
            amounts["nvidia.com/gpu"] = draw.pick(["1", "2", "4"])
        if draw.chance(0.15):
            amounts["example.com/fpga"] = draw.pick(["1", "2"])
        if draw.chance(0.15):
            amounts["hugepages-2Mi"] = draw.pick(["64Mi", "512Mi"])
            amounts.setdefault("memory", "64Mi")
    return amounts


def port(draw: Draw) -> Object:
    """Draw a container port, mostly with a host port."""
    made: Object = {"containerPort": draw.pick([80, 443, 8080])}
    if draw.chance(0.8):
        made["hostPort"] = draw.pick([80, 443, 8080])
    if draw.chance(0.3):
        made["protocol"] = draw.pick(["TCP", "UDP", "SCTP"])
    if draw.chance(0.3):
        made["hostIP"] = draw.pick(["0.0.0.0", "127.0.0.1", "10.0.0.1"])
    return made


def toleration(draw: Draw) -> Object:
    """Draw a toleration."""
    made: Object = {}
    key = draw.pick(TOLERATED_KEYS)
    if key:
        made["key"] = key
    if not key or draw.chance(0.4):
        made["operator"] = "Exists"
    else:
        if draw.chance(0.5):
            made["operator"] = "Equal"
        if draw.chance(0.7):
            made["value"] = draw.pick(["a", "b", "true"])
    if draw.chance(0.6):
        made["effect"] = draw.pick(["NoSchedule", "PreferNoSchedule", "NoExecute"])
    if made.get("effect") == "NoExecute" and draw.chance(0.3):
        made["tolerationSeconds"] = 300
    return made


def load(
    draw: Draw,
    nodes: Sequence[Object],
    count: tuple[int, int],
    namespaces: Sequence[str] = ("default",),
    **options: Unpack[PodOptions],
) -> list[Object]:
    """Draw p0, p1, p2 ... running anywhere on the nodes."""
    return [
        pod(draw, f"p{i}", draw.pick(namespaces), name_of(draw.pick(nodes)), **options)
        for i in range(draw.whole(*count))
    ]


def terminating(made: Object) -> None:
    """Mark a pod as being deleted, held by a finalizer."""
    made["metadata"]["deletionTimestamp"] = "2026-03-03T00:00:00Z"
    made["metadata"]["finalizers"] = ["example.com/x"]


def namespaces() -> list[Object]:
    """Make the three namespaces, each with its team."""
    return [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {
                "name": name,
                "labels": {"kubernetes.io/metadata.name": name, "team": TEAMS[name]},
            },
        }
        for name in NAMESPACES
    ]
