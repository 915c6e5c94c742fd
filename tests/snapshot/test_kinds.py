import pytest

from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.storage import StorageClass
from kschedx.api.workloads import Deployment, Service, StatefulSet
from kschedx.snapshot import kinds
from kschedx.snapshot.snapshot import KINDS


def test_every_kind_of_a_snapshot_has_a_name_here() -> None:
    assert {kind.name for kind in kinds.ALL} == set(KINDS)


def test_no_word_means_two_kinds() -> None:
    words = [w for kind in kinds.ALL for w in (kind.name.lower(), kind.plural, *kind.short)]

    assert len(words) == len(set(words))


SERVED: dict[tuple[str, str], type[Object] | None] = {
    ("v1", "Pod"): Pod,
    ("apps/v1", "Deployment"): Deployment,
    ("extensions/v1beta1", "Deployment"): Deployment,
    ("storage.k8s.io/v1beta1", "StorageClass"): StorageClass,
    ("v1", "Service"): Service,
    ("serving.knative.dev/v1", "Service"): None,
    ("apps/v1", "Pod"): None,
    ("v1", "StatefulSet"): None,
    ("v1", "pod"): None,
    ("v1", "Secret"): None,
    ("", "Pod"): Pod,
    ("", "pods"): None,
    ("", ""): None,
}


@pytest.mark.parametrize(("names", "expected"), SERVED.items(), ids=map("/".join, SERVED))
def test_the_group_decides(names: tuple[str, str], expected: type[Object] | None) -> None:
    served = kinds.served_as(*names)

    assert (served and served.type) == expected


WORDS: dict[str, type[Object] | None] = {
    "po": Pod,
    "pods": Pod,
    "Pod": Pod,
    "deploy": Deployment,
    "deployments.apps": Deployment,
    "Deployment.apps": Deployment,
    "deployments.v1.apps": Deployment,
    "services.serving.knative.dev": None,
    "pods.apps": None,
    "sts": StatefulSet,
    "ingress": None,
}


@pytest.mark.parametrize(("word", "expected"), WORDS.items())
def test_words_of_kubectl(word: str, expected: type[Object] | None) -> None:
    named = kinds.named(word)

    assert (named and named.type) == expected


NAMES: dict[str, tuple[type[Object], str]] = {
    "pod/prod/api-7": (Pod, "prod/api-7"),
    "po/api-7": (Pod, "team/api-7"),
    "no/worker-1": (Node, "worker-1"),
    "sc/fast": (StorageClass, "fast"),
    "deployments.apps/prod/api": (Deployment, "prod/api"),
}


@pytest.mark.parametrize(("text", "expected"), NAMES.items())
def test_object_names(text: str, expected: tuple[type[Object], str]) -> None:
    assert kinds.parse_object_name(text, "team") == expected


REFUSED = {
    "podd/x": ("unknown-kind", "did you mean pod?"),
    "zzz/x": ("unknown-kind", "kinds are named as kubectl names them"),
    "pod": ("not-an-object-name", "write KIND/[NAMESPACE/]NAME, such as pods/prod/db-0"),
    "pod/": ("not-an-object-name", "write KIND/[NAMESPACE/]NAME, such as pods/prod/db-0"),
    "pod/a/b/c": ("not-an-object-name", "write KIND/[NAMESPACE/]NAME, such as pods/prod/db-0"),
    "no/a/b": ("not-an-object-name", "write no/NAME, such as nodes/worker-1"),
    "": ("unknown-kind", "kinds are named as kubectl names them"),
}


@pytest.mark.parametrize(("text", "expected"), REFUSED.items())
def test_refused_object_names(text: str, expected: tuple[str, str]) -> None:
    with pytest.raises(KschedxError) as refused:
        kinds.parse_object_name(text)

    assert (refused.value.code, refused.value.hint) == expected
    assert refused.value.exit_code == 2
