from typing import Any

import pytest

from kschedx.api.node import Node
from kschedx.schedulers.kube.plugins.image_locality import ImageLocality, normalized
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, scores

MB = 1024 * 1024


def holding(name: str, **images: int) -> Node:
    listed = [{"names": [f"{image}:latest"], "sizeBytes": size} for image, size in images.items()]
    return node(name, status={"images": listed})


def rule(minor: int = 35) -> ImageLocality:
    return ImageLocality.from_args({}, Release(minor))


def using(*images: str, inits: tuple[str, ...] = (), volumes: tuple[str, ...] = ()) -> Any:
    spec = {
        "containers": [{"name": f"c{i}", "image": image} for i, image in enumerate(images)],
        "initContainers": [{"name": f"i{i}", "image": image} for i, image in enumerate(inits)],
        "volumes": [{"name": image, "image": {"reference": image}} for image in volumes],
    }
    return pod(spec=spec)


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("nginx", "nginx:latest"),
        ("nginx:1", "nginx:1"),
        ("host:5000/nginx", "host:5000/nginx:latest"),
        ("host:5000/nginx:1", "host:5000/nginx:1"),
        ("nginx@sha256:abc", "nginx@sha256:abc"),
        ("", ":latest"),
    ],
)
def test_names(image: str, expected: str) -> None:
    assert normalized(image) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        pytest.param(23 * MB, 0, id="the least"),
        pytest.param(23 * MB + 10 * MB, 1, id="a percent"),
        pytest.param(1000 * MB - 1, 99, id="almost the most"),
        pytest.param(1000 * MB, 100, id="the most"),
        pytest.param(5000 * MB, 100, id="more than that"),
    ],
)
def test_size(size: int, expected: int) -> None:
    assert scores(rule(), using("a"), cluster(holding("n1", a=size))) == {"n1": expected}


def test_an_image_that_few_nodes_have_counts_less() -> None:
    view = cluster(holding("n1", a=500 * MB), holding("n2", a=500 * MB), node("n3"), node("n4"))

    assert scores(rule(), using("a"), view) == {"n1": 23, "n2": 23, "n3": 0, "n4": 0}


def test_the_size_on_the_first_node_by_name_counts() -> None:
    view = cluster(holding("n2", a=1000 * MB), holding("n1", a=500 * MB))

    assert scores(rule(), using("a"), view) == {"n1": 48, "n2": 48}


@pytest.mark.parametrize(
    ("asking", "minor", "expected"),
    [
        pytest.param(using("a", "zz"), 35, 24, id="each container raises what there is to win"),
        pytest.param(using("a", "a"), 35, 49, id="an image counts for each container"),
        pytest.param(using("zz", inits=("a",)), 35, 24, id="init containers count"),
        pytest.param(using("zz", volumes=("a",)), 35, 0, id="1.35: image volumes do not count"),
        pytest.param(using("zz", volumes=("a",)), 36, 48, id="1.36: their images do"),
        pytest.param(using("zz", volumes=("a",)), 37, 24, id="1.37: themselves as well"),
        pytest.param(using(), 35, 0, id="no containers at all"),
    ],
)
def test_what_counts(asking: Any, minor: int, expected: int) -> None:
    view = cluster(holding("n1", a=500 * MB))

    assert scores(rule(minor), asking, view) == {"n1": expected}
