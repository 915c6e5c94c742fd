"""What a shell offers for a word: names from the snapshot that -f names, or from the cluster.

Nothing is offered where reading fails or takes longer than a typist waits.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from kschedx.snapshot.kinds import Kind
    from kschedx.snapshot.names import Named

WORKLOADS: Final = ("deploy", "sts", "ds", "rs", "job")
_EXAMPLE: Final = "example:"


def complete_target(context: typer.Context, incomplete: str) -> list[str]:
    """POD, NAMESPACE/POD or KIND/NAME: Pending pods first, others if none of them matches."""
    from kschedx.snapshot.kinds import BY_TYPE, named

    kind_word, slash, rest = incomplete.partition("/")
    kind = named(kind_word) if slash else None
    if kind is not None:
        return [f"{kind_word}/{name}" for name in _spelled(context, _found(context, kind), rest)]
    from kschedx.api.pod import Pod

    pods = BY_TYPE[Pod]
    offered = [f"{word}/" for word in WORKLOADS if incomplete and word.startswith(incomplete)]
    waiting = _spelled(context, _found(context, pods, waiting=True), incomplete)
    return offered + (waiting or _spelled(context, _found(context, pods), incomplete))


def complete_pod(context: typer.Context, incomplete: str) -> list[str]:
    """POD or NAMESPACE/POD."""
    from kschedx.api.pod import Pod
    from kschedx.snapshot.kinds import BY_TYPE

    return _spelled(context, _found(context, BY_TYPE[Pod]), incomplete)


def complete_workload(context: typer.Context, incomplete: str) -> list[str]:
    """KIND/NAME."""
    from kschedx.snapshot.kinds import named

    word, slash, rest = incomplete.partition("/")
    kind = named(word) if slash else None
    if kind is None:
        return [f"{each}/" for each in WORKLOADS if each.startswith(incomplete)]
    return [f"{word}/{name}" for name in _spelled(context, _found(context, kind), rest)]


def complete_node(context: typer.Context, incomplete: str) -> list[str]:
    """A node's name."""
    from kschedx.api.node import Node
    from kschedx.snapshot.kinds import BY_TYPE

    return _matching((name for _, name in _found(context, BY_TYPE[Node])), incomplete)


def complete_namespace(context: typer.Context, incomplete: str) -> list[str]:
    """A namespace; in a file without Namespace objects those of its pods."""
    from kschedx.api.pod import Pod
    from kschedx.api.workloads import Namespace
    from kschedx.snapshot.kinds import BY_TYPE

    known = [name for _, name in _found(context, BY_TYPE[Namespace])]
    known = known or [namespace for namespace, _ in _found(context, BY_TYPE[Pod])]
    return _matching(known, incomplete)


def complete_context(context: typer.Context, incomplete: str) -> list[str]:
    """A context of the kubeconfig."""
    from kschedx.snapshot.live import Target, context_names
    from kschedx.snapshot.names import within_patience

    target = Target(kubeconfig=context.params.get("kubeconfig"))
    return _matching(within_patience(lambda: context_names(target)), incomplete)


def complete_file(incomplete: str) -> list[str]:
    """A path, or one of the examples."""
    from kschedx.snapshot.sources import example_names

    examples = [f"{_EXAMPLE}{name}" for name in example_names()]
    return _matching(examples, incomplete) + _paths(incomplete)


def _paths(incomplete: str) -> list[str]:
    """Files and folders that begin so, folders with a slash."""
    folder, _, start = incomplete.rpartition("/")
    place = Path(folder or ("/" if incomplete.startswith("/") else ".")).expanduser()
    try:
        inside = sorted(place.iterdir())
    except OSError:
        return []
    prefix = incomplete.removesuffix(start)
    return [
        f"{prefix}{path.name}{'/' if path.is_dir() else ''}"
        for path in inside
        if path.name.startswith(start) and (start or not path.name.startswith("."))
    ]


def _found(context: typer.Context, kind: "Kind", *, waiting: bool = False) -> "Sequence[Named]":
    from kschedx.snapshot.live import Target
    from kschedx.snapshot.names import names_in_cluster, names_in_files, within_patience

    said = context.params
    files = said.get("filenames")
    if files:
        return within_patience(lambda: names_in_files(files, kind, waiting=waiting))
    target = Target(said.get("context"), said.get("kubeconfig"))
    return within_patience(lambda: names_in_cluster(target, kind, waiting=waiting))


def _spelled(context: typer.Context, names: "Sequence[Named]", incomplete: str) -> list[str]:
    """Plain names within the namespace that -n names, "NAMESPACE/NAME" without one."""
    wanted = context.params.get("namespace")
    if wanted:
        return _matching((name for namespace, name in names if namespace == wanted), incomplete)
    whole = _matching((f"{namespace}/{name}" for namespace, name in names), incomplete)
    return whole or _matching((name for _, name in names), incomplete)


def _matching(words: Iterable[str], incomplete: str) -> list[str]:
    return sorted({word for word in words if word.startswith(incomplete)})
