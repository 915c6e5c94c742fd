"""A pod as the API server would store it when a controller creates it from a template.

Upstream: controller_utils.go GetPodFromTemplate; admission as kschedx.snapshot.admission has it.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Mapping

from kschedx.api.change import replaced
from kschedx.api.meta import Object, ObjectMeta, OwnerReference
from kschedx.api.pod import Pod, PodStatus, PodTemplate
from kschedx.snapshot.admission import Admission
from kschedx.snapshot.defaults import pod_defaults


def pod_from_template(
    template: PodTemplate, owner: Object, name: str, labels: Mapping[str, str], timestamp: str
) -> Pod:
    """The pod before admission; `labels` are added to the template's."""
    reference = OwnerReference(
        kind=type(owner).__name__,
        name=owner.name,
        uid=owner.metadata.uid,
        api_version="apps/v1",
        controller=True,
    )
    metadata = ObjectMeta(
        name=name,
        namespace=owner.namespace,
        labels={**template.metadata.labels, **labels},
        annotations=template.metadata.annotations,
        owner_references=(reference,),
        creation_timestamp=timestamp,
    )
    spec = template.spec
    if not spec.scheduler_name:
        spec = replaced(spec, scheduler_name="default-scheduler")
    return Pod(metadata=metadata, spec=spec, status=PodStatus(phase="Pending"))


def admitted(pod: Pod, admission: Admission, uid: str) -> Pod:
    """The pod as the API server stores it: defaults, then admission."""
    stored, _ = admission.pod(pod_defaults(pod, admission.server))
    return replaced(stored, metadata=replaced(stored.metadata, uid=uid))
