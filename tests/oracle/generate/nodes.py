"""Nodes: capacity, labels, taints, images."""

from typing import Final, TypedDict, Unpack

from tests.oracle.generate.draw import HOSTNAME, IMAGES, ZONE, ZONES, Draw, Object

TAINT_KEYS: Final = [
    "dedicated",
    "gpu",
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/disk-pressure",
    "spot",
    "node-role.kubernetes.io/control-plane",
]
IMAGE_SIZES: Final = [900_000, 25_000_000, 180_000_000, 700_000_000, 2_500_000_000]


class NodeOptions(TypedDict, total=False):
    """What a family asks of its nodes."""

    cpu: str | None
    mem: str | None
    pods: str
    ext: bool
    ragged: bool
    taints: bool
    images: bool


def node(draw: Draw, name: str, **options: Unpack[NodeOptions]) -> Object:
    """Draw a node."""
    allocatable = capacity(draw, **options)
    made: Object = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": labels(draw, name, ragged=options.get("ragged", False)),
        },
        "spec": {},
        "status": {"capacity": dict(allocatable), "allocatable": allocatable},
    }
    if options.get("taints"):
        add_taints(draw, made)
    if options.get("images"):
        made["status"]["images"] = [
            {"names": image_names(draw, image), "sizeBytes": draw.pick(IMAGE_SIZES)}
            for image in draw.some(IMAGES, 0.5)
        ]
    return made


def capacity(draw: Draw, **options: Unpack[NodeOptions]) -> Object:
    """Draw what a node can hold."""
    cpu = options.get("cpu") or draw.pick(["2", "4", "4", "8", "3920m", "7910m", "16"])
    memory = options.get("mem") or draw.pick(["4Gi", "8Gi", "8Gi", "16Gi", "15842692Ki", "32Gi"])
    amounts = {
        "cpu": cpu,
        "memory": memory,
        "pods": options.get("pods", draw.pick(["110", "110", "110", "8", "4"])),
        "ephemeral-storage": draw.pick(["20Gi", "50Gi", "94992122825"]),
    }
    if options.get("ext"):
        if draw.chance(0.5):
            amounts["nvidia.com/gpu"] = draw.pick(["1", "2", "8"])
        if draw.chance(0.3):
            amounts["example.com/fpga"] = draw.pick(["0", "1", "3"])
        if draw.chance(0.3):
            amounts["hugepages-2Mi"] = draw.pick(["0", "256Mi", "1Gi"])
    return amounts


def labels(draw: Draw, name: str, *, ragged: bool) -> Object:
    """Draw a node's labels; a ragged fleet lacks some of them."""
    drawn = {
        HOSTNAME: name,
        ZONE: draw.pick(ZONES),
        "topology.kubernetes.io/region": "r1",
        "disk": draw.pick(["ssd", "hdd"]),
        "gen": str(draw.whole(1, 9)),
    }
    if draw.chance(0.25):
        drawn["pool"] = draw.pick(["a", "b"])
    if ragged:
        drawn = {key: value for key, value in drawn.items() if not draw.chance(0.15)}
    return drawn


def add_taints(draw: Draw, made: Object) -> None:
    """Taint a node, now and then cordon it."""
    drawn = [taint(draw) for _ in range(draw.pick([0, 0, 1, 1, 2, 3]))]
    unique = {(one["key"], one["effect"]): one for one in drawn}
    if unique:
        made["spec"]["taints"] = list(unique.values())
    if draw.chance(0.12):
        made["spec"]["unschedulable"] = True
        if draw.chance(0.8):
            made["spec"].setdefault("taints", []).append(
                {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
            )


def taint(draw: Draw) -> Object:
    """Draw a taint."""
    drawn = {
        "key": draw.pick(TAINT_KEYS),
        "effect": draw.pick(["NoSchedule", "NoSchedule", "PreferNoSchedule", "NoExecute"]),
    }
    if draw.chance(0.6):
        drawn["value"] = draw.pick(["a", "b", "true"])
    return drawn


def image_names(draw: Draw, image: str) -> list[str]:
    """Name an image as a node does: always with its tag, sometimes by digest too."""
    names = [image if ":" in image else image + ":latest"]
    if draw.chance(0.3):
        names.append(image.split(":")[0] + "@sha256:" + "0" * 64)
    return names


def fleet(draw: Draw, low: int, high: int, **options: Unpack[NodeOptions]) -> list[Object]:
    """Draw n0, n1, n2 ..."""
    return [node(draw, f"n{i}", **options) for i in range(draw.whole(low, high))]
