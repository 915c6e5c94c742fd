"""Supposition: a pod's rules as if nothing ruled out every node beforehand.

Upstream: none. Where a PreFilter rejects a pod, the scheduler looks at no node at all; what the
nodes have against the pod shows only once that is mended.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Reason, Verdict
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.claims import claim_name
from kschedx.schedulers.kube.filtering import Filters, NodesNotSatisfying, prepare
from kschedx.schedulers.kube.profile import Profile


@dataclass(frozen=True, slots=True)
class Mended:
    """A rejection of every node that counts as mended, and what that took."""

    rejection: Verdict
    claims: tuple[str, ...] = ()
    """ "namespace/name": passed over, so that rules about the pod's other claims still hold."""
    rules: tuple[str, ...] = ()
    """Plugins that are left aside altogether; empty where passing over claims is enough."""


@dataclass(frozen=True, slots=True)
class Supposition:
    """The rules that are left once all such rejections count as mended."""

    mended: tuple[Mended, ...]
    """In the order in which the scheduler would meet them: first the real rejection."""
    filters: Filters | None
    """None where the scheduler would end that cycle with an error."""
    error: str = ""
    """Its own text; empty without one."""


def suppose_mended(
    profile: Profile, pod: PodView, cluster: ClusterView, served: frozenset[str]
) -> Supposition:
    """Mend rejections until none is left. No node is looked at."""
    mended: list[Mended] = []
    while True:
        try:
            preparation = prepare(profile, pod, cluster)
        except CycleError as error:
            return Supposition(tuple(mended), None, str(error))
        rejection = preparation.rejection
        if rejection is None:
            return Supposition(tuple(mended), Filters(profile, pod, cluster, preparation, served))
        claims = tuple(dict.fromkeys(map(_claim_of, rejection.reasons)))
        without = _without_claims(pod, claims, cluster)
        if all(claims) and without is not None:
            pod = without
            mended.append(Mended(rejection, claims=claims))
        else:
            rules = _rules_of(rejection)
            profile = _without_rules(profile, rules)
            mended.append(Mended(rejection, rules=rules))


def _claim_of(reason: Reason) -> str:
    """ "namespace/name" of the claim that the reason is about; empty for any other reason."""
    return str(reason.facts().get("claim", ""))


def _without_claims(pod: PodView, claims: Collection[str], cluster: ClusterView) -> PodView | None:
    """The pod without the claims' volumes; None if it has none of them."""
    volumes = pod.pod.spec.volumes
    kept = tuple(v for v in volumes if f"{pod.namespace}/{claim_name(pod.pod, v)}" not in claims)
    return None if len(kept) == len(volumes) else cluster.view(pod.pod.with_spec(volumes=kept))


def _rules_of(rejection: Verdict) -> tuple[str, ...]:
    """The plugins that have to be left aside to get past the rejection."""
    for reason in rejection.reasons:
        if isinstance(reason, NodesNotSatisfying):
            return reason.plugins
    return (rejection.plugin,)


def _without_rules(profile: Profile, names: Collection[str]) -> Profile:
    return replace(
        profile,
        pre_filter=tuple(plugin for plugin in profile.pre_filter if plugin.name not in names),
        filter=tuple(plugin for plugin in profile.filter if plugin.name not in names),
    )
