"""ScoreReport as machines read it: these types are the published schema, docs/schema/score.json."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from kschedx.diagnose.score_report import ScoreReport
from kschedx.render.cause_document import pod_document
from kschedx.render.cause_schema import PodDocument
from kschedx.render.document import API_VERSION, Document


class NodeScoreDocument(Document, frozen=True, kw_only=True):
    """One feasible node."""

    node: str
    total: int
    weighted: Annotated[
        dict[str, int], Meta(description="By plugin: the normalised score times the weight")
    ]
    raw: Annotated[dict[str, int], Meta(description="By plugin: the score before normalisation")]


class ScoreDocument(Document, frozen=True, kw_only=True):
    """The answer to `kschedx score`."""

    api_version: Literal["kschedx.io/v1"] = API_VERSION
    kind: Literal["ScoreReport"] = "ScoreReport"
    scheduler: str
    version_assumed: bool
    pod: PodDocument
    on_node: Annotated[
        str,
        Meta(
            description="The node that the pod is on; all else is then as if it were not there; "
            "empty for a pod without a node"
        ),
    ]
    node_count: int
    feasible_count: int
    winners: Annotated[
        list[str], Meta(description="All top scorers, any of which the scheduler may take")
    ]
    rows: Annotated[
        list[NodeScoreDocument],
        Meta(description="Best first; empty where at most one node fits: that is taken unscored"),
    ]
    weights: dict[str, int]
    runner_up: str
    margins: Annotated[
        dict[str, int],
        Meta(description="By plugin: points of the first winner over the runner-up"),
    ]
    scheduler_message: str
    not_modelled: list[str]
    held: Annotated[list[str], Meta(description="Why the pod is not even tried")]
    rejection: Annotated[
        list[str], Meta(description="Why it is rejected before nodes are looked at")
    ]
    unjudged: Annotated[
        list[str], Meta(description="Nodes of which it is not known whether they can take the pod")
    ]
    unchecked: Annotated[list[str], Meta(description="What could not be checked on those")]
    sought: Annotated[
        int | None,
        Meta(
            description="The real scheduler stops at so many feasible nodes, and the best of "
            "those wins; null where that is no fewer than fit"
        ),
    ]


def score_document(report: ScoreReport, *, top: int) -> ScoreDocument:
    """The report with its best `top` rows."""
    return ScoreDocument(
        scheduler=report.scheduler,
        version_assumed=report.version_assumed,
        pod=pod_document(report.pod),
        on_node=report.on_node,
        node_count=report.node_count,
        feasible_count=len(report.feasible),
        winners=list(report.winners),
        rows=[
            NodeScoreDocument(
                node=row.node, total=row.total, weighted=dict(row.weighted), raw=dict(row.raw)
            )
            for row in report.rows[:top]
        ],
        weights=dict(report.weights),
        runner_up=report.runner_up,
        margins={margin.plugin: margin.points for margin in report.margins},
        scheduler_message=report.message,
        not_modelled=list(report.not_modelled),
        held=[cause.message for cause in report.held],
        rejection=[cause.message for cause in report.rejection],
        unjudged=list(report.unjudged),
        unchecked=[cause.message for cause in report.unchecked],
        sought=report.sought,
    )
