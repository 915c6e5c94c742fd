"""`kschedx preempt`: whether evicting pods would help, as a transcript."""

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

EXIT_FINDING = 1


def preempt(
    pod: PodTarget,
    *,
    exit_code: Annotated[
        bool,
        typer.Option("--exit-code", help="Exit with 1 if no node takes the pod as things are."),
    ] = False,
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
    """Can preemption help this pod? Who would be evicted where, and what comes after."""
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
    from kschedx.answers.preempt import preempt as answer
    from kschedx.render.preempt_document import preempt_document
    from kschedx.render.preempt_text import render_preempt

    report = answer(snapshot, pod, namespace, choice)
    write_report(
        lambda: preempt_document(report),
        lambda style: render_preempt(report, style),
        output,
        no_color=no_color,
    )
    return EXIT_FINDING if exit_code and not report.winners else 0
