"""Dynamic resource allocation: classes, slices, claims with CEL selectors and constraints."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tests.oracle.generate.draw import Draw, Object, name_of, names_of
from tests.oracle.generate.nodes import fleet
from tests.oracle.generate.pods import load, pod

GPU: Final = "gpu.example.com"
NIC: Final = "nic.example.com"
RESOURCE: Final = "resource.k8s.io/v1"
LARGE: Final = f"device.capacity['{GPU}'].memory.compareTo(quantity('40Gi')) >= 0"
SELECTORS: Final = [
    f"device.attributes['{GPU}'].model == 'A'",
    f"device.attributes['{GPU}'].healthy",
    LARGE,
    f"device.attributes['{GPU}'].driverVersion.compareTo(semver('1.9.0')) > 0",
    f"device.attributes['{GPU}'].index in [0, 2]",
    f"device.attributes['{GPU}'].?missing.orValue(0) == 0",
    f"'{GPU}' in device.attributes && device.attributes['{GPU}'].numa < 1",
]


class Device(NamedTuple):
    """Where a device is."""

    node: str
    driver: str
    pool: str
    name: str


def device_class(name: str, expression: str) -> Object:
    """Make a DeviceClass."""
    return {
        "apiVersion": RESOURCE,
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": [cel(expression)]},
    }


def cel(expression: str) -> Object:
    """Make a selector."""
    return {"cel": {"expression": expression}}


def resource_slice(node: str, kind: str, driver: str, pool: str, devices: list[Object]) -> Object:
    """Make the ResourceSlice of one driver on a node."""
    return {
        "apiVersion": RESOURCE,
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-{kind}"},
        "spec": {
            "driver": driver,
            "nodeName": node,
            "pool": {"name": pool, "generation": 1, "resourceSliceCount": 1},
            "devices": devices,
        },
    }


def gpu(draw: Draw, number: int) -> Object:
    """Draw a GPU."""
    return {
        "name": f"gpu-{number}",
        "attributes": {
            "model": {"string": draw.pick(["A", "B"])},
            "index": {"int": number},
            "driverVersion": {"version": draw.pick(["1.2.0", "1.10.3", "2.0.0"])},
            "healthy": {"bool": draw.chance(0.9)},
            "numa": {"int": number // 2},
        },
        "capacity": {"memory": {"value": draw.pick(["16Gi", "40Gi", "80Gi"])}},
    }


def nic(number: int) -> Object:
    """Make a network card."""
    numa = {"int": number}
    return {"name": f"nic-{number}", "attributes": {"numa": numa, f"{GPU}/numa": numa}}


def exactly(name: str, count: int) -> Object:
    """Make a request for a number of devices of a class."""
    return {
        "name": "r0",
        "exactly": {"deviceClassName": name, "allocationMode": "ExactCount", "count": count},
    }


def exact(draw: Draw) -> Object:
    """Draw the body of a request."""
    made: Object = {
        "deviceClassName": draw.pick(["gpu", "gpu", "big-gpu", "nic"]),
        "allocationMode": "ExactCount",
        "count": draw.pick([1, 1, 2, 3]),
    }
    if draw.chance(0.12):
        made = {"deviceClassName": made["deviceClassName"], "allocationMode": "All"}
    if made["deviceClassName"] != "nic" and draw.chance(0.5):
        made["selectors"] = [cel(one) for one in draw.sample(SELECTORS, draw.pick([1, 1, 2]))]
    return made


def request(draw: Draw, name: str) -> Object:
    """Draw a request: these devices, or the first available of two."""
    if draw.chance(0.15):
        choices = [exact(draw) for _ in range(2)]
        named = [{"name": f"s{i}", **choice} for i, choice in enumerate(choices)]
        return {"name": name, "firstAvailable": named}
    return {"name": name, "exactly": exact(draw)}


def claim(name: str, devices: Object) -> Object:
    """Make a ResourceClaim."""
    return {
        "apiVersion": RESOURCE,
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": {"devices": devices},
    }


def some_claim(draw: Draw, name: str) -> Object:
    """Draw an unallocated claim."""
    requests = [request(draw, f"r{i}") for i in range(draw.pick([1, 1, 1, 2]))]
    devices: Object = {"requests": requests}
    if draw.chance(0.25):
        constraint: Object = {"matchAttribute": f"{GPU}/{draw.pick(['model', 'numa'])}"}
        if draw.chance(0.4):
            constraint["requests"] = ["r0"]
        devices["constraints"] = [constraint]
    return claim(name, devices)


def allocated_claim(name: str, taken: Sequence[Device], owner: Object) -> Object:
    """Make the claim of a running pod, with the devices it holds."""
    made = claim(name, {"requests": [exactly("gpu", len(taken))]})
    here = {"key": "metadata.name", "operator": "In", "values": [taken[0].node]}
    results = [
        {"request": "r0", "driver": one.driver, "pool": one.pool, "device": one.name}
        for one in taken
    ]
    made["status"] = {
        "allocation": {
            "devices": {"results": results},
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [here]}]},
        },
        "reservedFor": [
            {"resource": "pods", "name": name_of(owner), "uid": f"default-{name_of(owner)}"}
        ],
    }
    return made


def inventory(draw: Draw, nodes: Sequence[str]) -> tuple[list[Object], list[Device]]:
    """Draw the slices of every node, and list the GPUs in them."""
    slices = []
    free = []
    for node in nodes:
        if draw.chance(0.85):
            gpus = [gpu(draw, i) for i in range(draw.whole(1, 4))]
            free += [Device(node, GPU, node, one["name"]) for one in gpus]
            slices.append(resource_slice(node, "gpu", GPU, node, gpus))
        if draw.chance(0.4):
            nics = [nic(i) for i in range(draw.whole(1, 2))]
            slices.append(resource_slice(node, "nic", NIC, f"{node}-nic", nics))
    return slices, free


def claims_in_use(draw: Draw, running: Sequence[Object], free: list[Device]) -> list[Object]:
    """Let some running pods hold some of the GPUs of their nodes."""
    held = []
    draw.random.shuffle(free)
    for i, each in enumerate(running):
        near = [one for one in free if one.node == each["spec"]["nodeName"]]
        if not near or draw.chance(0.3):
            continue
        taken = near[: draw.pick([1, 1, 2])]
        free = [one for one in free if one not in taken]
        held.append(allocated_claim(f"used{i}", taken, each))
        each["spec"]["resourceClaims"] = [{"name": "c", "resourceClaimName": f"used{i}"}]
    return held


def devices(draw: Draw) -> list[Object]:
    """Claims for GPUs and network cards, free and in use."""
    nodes = fleet(draw, 1, 6, taints=draw.chance(0.2))
    classes = [
        device_class("gpu", f"device.driver == '{GPU}'"),
        device_class("big-gpu", f"device.driver == '{GPU}' && {LARGE}"),
        device_class("nic", f"device.driver == '{NIC}'"),
    ]
    slices, free = inventory(draw, names_of(nodes))
    running = load(draw, nodes, (0, 5))
    claims = claims_in_use(draw, running, free)
    target = pod(draw, "target", prio=draw.pick([0, 0, 100]))
    wanted: dict[str, None] = {}
    for i in range(draw.pick([1, 1, 2])):
        match draw.branch(0.08, 0.2):
            case 0:
                wanted["absent"] = None
            case 1 if claims:
                wanted[name_of(draw.pick(claims))] = None
            case _:
                made = some_claim(draw, f"want{i}")
                if draw.chance(0.05):
                    made["spec"]["devices"]["requests"][0] = exactly("nope", 1)
                claims.append(made)
                wanted[name_of(made)] = None
    names = [{"name": f"c{i}", "resourceClaimName": name} for i, name in enumerate(wanted)]
    target["spec"]["resourceClaims"] = names
    resources = target["spec"]["containers"][0].setdefault("resources", {})
    resources["claims"] = [{"name": each["name"]} for each in names]
    return [*nodes, *classes, *slices, *claims, *running, target]
