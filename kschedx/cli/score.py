"""`kschedx score`: which node would win, and why."""

from typing import Annotated

import typer

from kschedx.cli.options import (
    Complete,
    Context,
    FeatureGates,
    Filenames,
    K8sVersion,
    Kubeconfig,
    Namespace,
    NoColor,
    Output,
    OutputFormat,
    PodTarget,
    Quiet,
    RequestTimeout,
    SchedulerConfig,
    Verbose,
    WithFiles,
    Without,
)
from kschedx.cli.reading import Sources, read
from kschedx.cli.writing import write_report


def score(
    pod: PodTarget,
    *,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=1, help="Only the best so many nodes.")
    ] = 10,
    filenames: Filenames = None,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
    request_timeout: RequestTimeout = None,
    with_files: WithFiles = None,
    without: Without = None,
    complete: Complete = False,
    namespace: Namespace = None,
    k8s_version: K8sVersion = None,
    feature_gates: FeatureGates = None,
    scheduler_config: SchedulerConfig = None,
    output: Output = OutputFormat.TEXT,
    no_color: NoColor = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> int:
    """Which node would this pod get? The feasible nodes by score, plugin by plugin."""
    snapshot, choice = read(
        Sources(
            files=filenames or (),
            context=context,
            kubeconfig=kubeconfig,
            request_timeout=request_timeout,
            with_files=with_files or (),
            without=without or (),
            complete=complete,
            namespace=namespace,
            k8s_version=k8s_version,
            feature_gates=feature_gates or (),
            scheduler_config=scheduler_config,
            quiet=quiet,
            verbose=verbose,
        )
    )
    from kschedx.answers.score import score as answer
    from kschedx.render.score_document import score_document
    from kschedx.render.score_text import render_score

    report = answer(snapshot, pod, namespace, choice)
    write_report(
        lambda: score_document(report, top=top),
        lambda style: render_score(report, style, top=top),
        output,
        no_color=no_color,
    )
    return 0
