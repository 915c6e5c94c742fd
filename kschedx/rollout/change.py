"""Ways to say what changes of a workload, and the difference in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kschedx.api.change import replaced
from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object
from kschedx.api.pod import Container, PodTemplate
from kschedx.api.workloads import DaemonSet, Deployment, StatefulSet

Workload = StatefulSet | Deployment | DaemonSet
TOUCHED = "kschedx.io/touched"
"""The annotation that stands for a change of the template without an effect on scheduling."""


def with_template(item: Workload, template: PodTemplate) -> Workload:
    """The workload with another pod template."""
    return _with_spec(item, template=template)


def _with_spec(item: Workload, **changes: Any) -> Workload:
    if isinstance(item, StatefulSet):
        return replaced(item, spec=replaced(item.spec, **changes))
    if isinstance(item, Deployment):
        return replaced(item, spec=replaced(item.spec, **changes))
    return replaced(item, spec=replaced(item.spec, **changes))


def touched(item: Workload) -> Workload:
    """As if the template changed and nothing else."""
    template = item.spec.template
    notes = {**template.metadata.annotations, TOUCHED: "true"}
    return with_template(
        item, replaced(template, metadata=replaced(template.metadata, annotations=notes))
    )


def _with_container(item: Workload, name: str, **changes: Any) -> Workload:
    """One container of the template changed; an empty name means the only one."""
    spec = item.spec.template.spec
    known = [c.name for c in (*spec.containers, *spec.init_containers)]
    if not name and len(spec.containers) == 1:
        name = spec.containers[0].name
    if name not in known:
        raise KschedxError(
            "no-such-container",
            f"{type(item).__name__} {item.namespace}/{item.name} has no container {name!r}",
            hint=f"containers: {', '.join(known)}",
            exit_code=2,
        )

    def swapped(containers: tuple[Container, ...]) -> tuple[Container, ...]:
        return tuple(replaced(c, **changes) if c.name == name else c for c in containers)

    spec = replaced(
        spec,
        containers=swapped(spec.containers),
        init_containers=swapped(spec.init_containers),
    )
    return with_template(item, replaced(item.spec.template, spec=spec))


def with_image(item: Workload, container: str, image: str) -> Workload:
    """Raises KschedxError for a container that the template lacks."""
    return _with_container(item, container, image=image)


def with_requests(item: Workload, container: str, requests: Mapping[str, str]) -> Workload:
    """Some requests of a container changed; the others stay.

    Raises KschedxError for a container that the template lacks.
    """
    spec = item.spec.template.spec
    for own in (*spec.containers, *spec.init_containers):
        if own.name == container or (not container and len(spec.containers) == 1):
            merged = {**own.resources.requests, **requests}
            resources = replaced(own.resources, requests=merged)
            return _with_container(item, own.name, resources=resources)
    return _with_container(item, container)


def with_replicas(item: Workload, replicas: int) -> Workload:
    """Raises KschedxError for a DaemonSet, which has none."""
    if isinstance(item, DaemonSet):
        raise KschedxError(
            "no-replicas",
            f"DaemonSet {item.namespace}/{item.name} has no replicas",
            hint="its nodes decide how many pods there are",
            exit_code=2,
        )
    return _with_spec(item, replicas=replicas)


def differences(old: Object, new: Object) -> tuple[str, ...]:
    """What the change is, one phrase each; empty for a change that schedules nothing anew."""
    return tuple(_differences(old, new))


def _differences(old: Object, new: Object) -> Iterator[str]:
    if not isinstance(old, Workload) or not isinstance(new, Workload):
        return
    before = {c.name: c for c in old.spec.template.spec.containers}
    after = {c.name: c for c in new.spec.template.spec.containers}
    for name in sorted(before.keys() | after.keys()):
        if name not in before:
            yield f"container {name} added"
        elif name not in after:
            yield f"container {name} removed"
        else:
            yield from _of_container(before[name], after[name], alone=len(before) == 1)
    if not isinstance(old, DaemonSet) and not isinstance(new, DaemonSet):
        was, now = old.spec.replicas, new.spec.replicas
        if was != now:
            yield f"replicas {1 if was is None else was} -> {1 if now is None else now}"
    if old.spec.template != new.spec.template:
        yield from _of_template(old.spec.template, new.spec.template)


def _of_container(old: Container, new: Container, *, alone: bool) -> Iterator[str]:
    where = "" if alone else f" of {new.name}"
    if old.image != new.image:
        yield f"image{where} {old.image} -> {new.image}"
    requests = old.resources.requests, new.resources.requests
    for resource in sorted(requests[0].keys() | requests[1].keys()):
        was, now = (part.get(resource, "none") for part in requests)
        if was != now:
            yield f"{resource} request{where} {was} -> {now}"


def _of_template(old: PodTemplate, new: PodTemplate) -> Iterator[str]:
    if new.metadata.annotations.get(TOUCHED) and not old.metadata.annotations.get(TOUCHED):
        yield "template touched, nothing else"
        return
    plain = replaced(new.spec, containers=old.spec.containers)
    if plain != old.spec or new.metadata != old.metadata:
        yield "template changed"


def strategy_words(item: Object) -> str:
    """How the workload is rolled, for a headline."""
    if isinstance(item, StatefulSet):
        policy = item.spec.pod_management_policy or "OrderedReady"
        kind = item.spec.update_strategy.type
        return policy if kind in ("", "RollingUpdate") else f"{policy}, {kind}"
    if isinstance(item, Deployment):
        from kschedx.rollout.deployment_sizes import fenceposts

        if item.spec.strategy.type == "Recreate":
            return "Recreate"
        posts = fenceposts(item)
        return f"surge {posts.surge}, unavailable {posts.unavailable}"
    if isinstance(item, DaemonSet):
        return item.spec.update_strategy.type or "RollingUpdate"
    return ""
