"""`kschedx verify`: the agreement meter."""

import sys
from dataclasses import replace

from kschedx.cli.options import (
    AllNamespaces,
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
    Quiet,
    RequestTimeout,
    SchedulerConfig,
    Verbose,
    WithFiles,
    Without,
)
from kschedx.cli.reading import Sources, read
from kschedx.cli.writing import write_report

EXIT_DISAGREES = 1


def verify(
    *,
    filenames: Filenames = None,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
    request_timeout: RequestTimeout = None,
    with_files: WithFiles = None,
    without: Without = None,
    complete: Complete = False,
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    k8s_version: K8sVersion = None,
    feature_gates: FeatureGates = None,
    scheduler_config: SchedulerConfig = None,
    output: Output = OutputFormat.TEXT,
    no_color: NoColor = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> int:
    """Does the replay say what the cluster's own scheduler said?

    Every Pending pod is replayed against its recorded message, every pod on a node against that
    node. Exits with 1 if a message differs; pods that would not get their node again are drift,
    which the cluster has made since.
    """
    namespace = None if all_namespaces else namespace
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
    from kschedx.answers.verify import verify as answer
    from kschedx.render.progress import waiting
    from kschedx.render.verify_document import verify_document
    from kschedx.render.verify_text import render_verify_text

    with waiting(sys.stderr, wanted=not quiet) as bar:
        report = answer(snapshot, choice, namespace=namespace, told=bar.told)
    report = replace(report, notes=snapshot.notes)
    write_report(
        lambda: verify_document(report),
        lambda style: render_verify_text(report, style),
        output,
        no_color=no_color,
    )
    return EXIT_DISAGREES if report.finding else 0
