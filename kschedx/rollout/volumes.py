"""Binding of a pod's unbound claims when it gets a node.

Upstream: plugins/volumebinding/binder.go (v1.35.4), AssumePodVolumes, BindPodVolumes.
Differences: a provisioned volume is pinned to the node's zone where it has one, else to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kschedx.api.change import replaced
from kschedx.api.meta import Object, ObjectMeta
from kschedx.api.quantity import whole
from kschedx.api.selectors import (
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    any_term,
    node_terms,
)
from kschedx.api.storage import (
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
    VolumeNodeAffinity,
)
from kschedx.framework.views import NodeView, PodView
from kschedx.schedulers.kube.claims import claim_name

if TYPE_CHECKING:
    from kschedx.rollout.world import World

ZONE: Final = "topology.kubernetes.io/zone"


def bind_claims(world: World, pod: PodView, node: str) -> None:
    """Give every unbound claim of the pod a volume that the node can use."""
    if not pod.pod.spec.volumes:
        return
    changed: list[Object] = []
    claims = world.snapshot.all(PersistentVolumeClaim)
    taken: set[str] = set()
    for volume in pod.pod.spec.volumes:
        name = claim_name(pod.pod, volume)
        claim = claims.get(f"{pod.namespace}/{name}") if name is not None else None
        if claim is None or claim.spec.volume_name:
            continue
        chosen = _free_volume(world, claim, world.cluster.nodes[node], taken)
        taken.add(chosen.name)
        reference = ObjectReference(
            "PersistentVolumeClaim", claim.namespace, claim.name, claim.metadata.uid
        )
        changed.append(replaced(chosen, spec=replaced(chosen.spec, claim_ref=reference)))
        status = replaced(claim.status, phase="Bound")
        spec = replaced(claim.spec, volume_name=chosen.name)
        done = {"pv.kubernetes.io/bind-completed": "yes"}
        metadata = replaced(claim.metadata, annotations={**claim.metadata.annotations, **done})
        changed.append(replaced(claim, metadata=metadata, spec=spec, status=status))
    if changed:
        world.keep_object(changed)


def _size(requests: dict[str, str | int | float]) -> int:
    return whole(requests.get("storage", 0))


def _free_volume(
    world: World, claim: PersistentVolumeClaim, node: NodeView, taken: set[str]
) -> PersistentVolume:
    """The smallest volume that suits claim and node, or one as a provisioner would make it."""
    wanted = _size(claim.spec.resources.requests)
    fitting = [
        volume
        for volume in world.snapshot.all(PersistentVolume).values()
        if volume.name not in taken
        and _is_free(volume, claim)
        and volume.spec.storage_class_name == (claim.spec.storage_class_name or "")
        and set(claim.spec.access_modes) <= set(volume.spec.access_modes)
        and _size(volume.spec.capacity) >= wanted
        and _reaches(volume, node)
    ]
    if fitting:
        return min(fitting, key=lambda v: (_size(v.spec.capacity), v.name))
    zone = node.labels.get(ZONE)
    required = None
    if zone is not None:
        match = NodeSelectorRequirement(ZONE, "In", (zone,))
        required = NodeSelector((NodeSelectorTerm(match_expressions=(match,)),))
    return PersistentVolume(
        metadata=ObjectMeta(name=f"simulated-{claim.namespace}-{claim.name}"),
        spec=PersistentVolumeSpec(
            capacity=claim.spec.resources.requests,
            access_modes=claim.spec.access_modes,
            storage_class_name=claim.spec.storage_class_name or "",
            node_affinity=VolumeNodeAffinity(required) if required is not None else None,
        ),
    )


def _is_free(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    reference = volume.spec.claim_ref
    return reference is None or (
        reference.namespace == claim.namespace
        and reference.name == claim.name
        and reference.uid in ("", claim.metadata.uid)
    )


def _reaches(volume: PersistentVolume, node: NodeView) -> bool:
    affinity = volume.spec.node_affinity
    if affinity is None or affinity.required is None:
        return True
    return any_term(node_terms(affinity.required), node.name, node.labels)
