"""What a pod counts for: resizes in place, pod-level resources, odd quantities."""

from typing import Final

from tests.oracle.generate.draw import Draw, Object
from tests.oracle.generate.nodes import fleet
from tests.oracle.generate.pods import load, pod

CPUS: Final = ["200m", "500m", "1", "1500m", "2", "3"]
MEMORIES: Final = ["256Mi", "1Gi", "1500Mi", "2Gi", "4Gi"]
CONDITIONS: Final = [
    {"type": "PodResizePending", "status": "True", "reason": "Infeasible", "message": "too big"},
    {"type": "PodResizePending", "status": "True", "reason": "Deferred", "message": "later"},
    {"type": "PodResizeInProgress", "status": "True"},
    {"type": "PodResizeInProgress", "status": "True", "reason": "Error", "message": "no"},
]
BYTES: Final = [
    *("1e9", "1E9", "1.5Gi", "0.1Gi", "500M", "1G", "100k", "1Ki"),
    *("128974848", "0", "1.1", "0.5m", "1T", "1Pi"),
]
# As far as 64 bits go: sums of these, and amounts beyond them, overflow in the scheduler too.
HUGE: Final = [
    *({"cpu": amount} for amount in ("1e15", "9P")),
    *({"memory": amount} for amount in ("8E", "16Ei", "9223372036854775807")),
]
NAMES: Final = [
    "nvidia.com/gpu",
    "example.com/fpga",
    "hugepages-2Mi",
    "hugepages-1Gi",
    "kubernetes.io/batch",
    "attachable-volumes-csi-x",
    "gpu",
    "requests.example.com/odd",
]
SPELLINGS: Final = [
    *("0.5", "1.5", "1e0", "2E0", "0", "100m"),
    *("1501m", "0.0005", "999u", "+1", ".5", "2."),
]


def amounts(draw: Draw) -> dict[str, str]:
    """Draw cpu and memory, or one of them."""
    cpu, memory = draw.pick(CPUS), draw.pick(MEMORIES)
    return draw.pick([{"cpu": cpu, "memory": memory}] * 3 + [{"cpu": cpu}, {"memory": memory}])


def resized(draw: Draw, container: Object) -> Object:
    """Draw the status of a container that is being resized, or was."""
    status: Object = {"name": container["name"], "ready": True, "image": "x", "imageID": "x"}
    wanted = container.get("resources", {}).get("requests", {})
    actual = amounts(draw) if draw.chance(0.7) else wanted
    # An API server never gives out an empty list of resources.
    if draw.chance(0.85) and actual:
        status["resources"] = {"requests": actual} if draw.chance(0.9) else {"limits": actual}
    allocated = amounts(draw) if draw.chance(0.7) else wanted
    if draw.chance(0.75) and allocated:
        status["allocatedResources"] = allocated
    return status


def add_resize(draw: Draw, made: Object) -> None:
    """Put a resize in a running pod's status."""
    spec, status = made["spec"], made["status"]
    status["containerStatuses"] = [
        resized(draw, each) for each in spec["containers"] if draw.chance(0.9)
    ]
    if "initContainers" in spec:
        status["initContainerStatuses"] = [
            resized(draw, each) for each in spec["initContainers"] if draw.chance(0.8)
        ]
    if draw.chance(0.7):
        status["conditions"] = draw.sample(CONDITIONS, draw.pick([1, 1, 2]))
    if "resources" in spec:
        if draw.chance(0.8):
            status["resources"] = {"requests": amounts(draw)}
        if draw.chance(0.7):
            status["allocatedResources"] = amounts(draw)


def resize(draw: Draw) -> list[Object]:
    """Pods on nodes whose resources are being changed in place."""
    nodes = fleet(draw, 2, 5, cpu=draw.pick(["4", "8"]), mem=draw.pick(["8Gi", "16Gi"]), pods="110")
    running = load(draw, nodes, (4, 14), inits=True, podlevel=draw.chance(0.4), prios=[0, 10])
    for each in running:
        if draw.chance(0.75):
            add_resize(draw, each)
    target = pod(draw, "target", prio=draw.pick([0, 0, 100]))
    cpu = draw.pick(["500m", "1", "2", "2500m", "3"])
    memory = draw.pick(["1Gi", "2Gi", "4Gi", "6Gi"])
    target["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu, "memory": memory}}
    return [*nodes, *running, target]


def level(draw: Draw, made: Object) -> None:
    """Give a pod pod-level resources: requests, limits or both, hugepages too."""
    drawn: Object = {}
    if draw.chance(0.6):
        drawn["requests"] = amounts(draw)
    if draw.chance(0.6):
        drawn["limits"] = amounts(draw)
    if draw.chance(0.3):
        pages = draw.pick(["64Mi", "128Mi", "512Mi"])
        drawn.setdefault("limits", {})["hugepages-2Mi"] = pages
        if draw.chance(0.5):
            drawn.setdefault("requests", {})["hugepages-2Mi"] = pages
    if draw.chance(0.1):
        drawn.setdefault("requests", {})["ephemeral-storage"] = "30Gi"
    made["spec"]["resources"] = drawn


def pod_level_resources(draw: Draw) -> list[Object]:
    """Pod-level requests and limits over containers that ask for more, less, or nothing."""
    nodes = fleet(draw, 2, 6, cpu=draw.pick([None, "4"]), ext=True, pods=draw.pick(["110", "12"]))
    running = load(draw, nodes, (2, 12), inits=True, ext=draw.chance(0.4), prios=[0, 10])
    target = pod(
        draw, "target", inits=True, big=True, ext=draw.chance(0.3), prio=draw.pick([0, 100])
    )
    for each in [*running, target]:
        if draw.chance(0.6):
            level(draw, each)
        if draw.chance(0.25):
            for container in each["spec"]["containers"]:
                container.pop("resources", None)
        if draw.chance(0.2):
            each["spec"]["overhead"] = draw.pick(
                [{"cpu": "100m"}, {"memory": "300Mi", "cpu": "1"}, {"ephemeral-storage": "1Gi"}]
            )
    return [*nodes, *running, target]


def odd_quantity(draw: Draw) -> str | float:
    """Draw an amount in one of the many ways to write one."""
    if draw.chance(0.85):
        return draw.pick(SPELLINGS)
    return draw.pick([1, 2, 0, 0.5, 1.25])


def odd_bytes(draw: Draw) -> str | int:
    """Draw an amount of bytes in one of the many ways to write one."""
    if draw.chance(0.85):
        return draw.pick(BYTES)
    return draw.pick([1073741824, 0, 2000000000])


def odd_requests(draw: Draw) -> Object:
    """Draw requests by many names and in many spellings."""
    drawn: Object = {}
    if draw.chance(0.8):
        drawn["cpu"] = odd_quantity(draw)
    if draw.chance(0.8):
        drawn["memory"] = odd_bytes(draw)
    if draw.chance(0.2):
        drawn["ephemeral-storage"] = odd_bytes(draw)
    for name in draw.some(NAMES, 0.12):
        drawn[name] = draw.pick(["1", "2", "0", "4", "1k", "2Mi", "100m"])
    return drawn


def odd_room(draw: Draw, node: Object) -> None:
    """Give a node resources by many names, and take some of the usual ones away."""
    room = node["status"]["allocatable"]
    room |= {name: draw.pick(["1", "4", "0", "2k"]) for name in draw.some(NAMES, 0.4)}
    match draw.branch(0.4, 0.5, 0.6, 0.7, 0.8):
        case 0:
            room |= {"cpu": odd_quantity(draw), "memory": odd_bytes(draw)}
        case 1:
            del node["status"]["allocatable"]
        case 2:
            del room[draw.pick(["cpu", "memory", "pods", "ephemeral-storage"])]
        case 3:
            room["pods"] = draw.pick(["0", "1", "2"])
        case 4:
            node["status"] = {"allocatable": room}


def quantities(draw: Draw) -> list[Object]:
    """Amounts in every spelling, resources of every kind of name, nodes that lack some."""
    nodes = fleet(draw, 2, 5)
    for each in nodes:
        odd_room(draw, each)
    running = load(draw, nodes, (1, 8), prios=[0, 10])
    target = pod(draw, "target", prio=draw.pick([0, 100]))
    for each in [*running, target]:
        for container in each["spec"]["containers"]:
            container["resources"] = {"requests": odd_requests(draw)}
            if draw.chance(0.3):
                container["resources"]["limits"] = odd_requests(draw)
    if draw.chance(0.06):
        first = target["spec"]["containers"][0]
        target["spec"]["containers"] = [first]
        first["resources"] = {"requests": draw.pick(HUGE)}
    return [*nodes, *running, target]
