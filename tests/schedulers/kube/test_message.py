from kschedx.schedulers.kube.message import fit_error


def test_counted_reasons_are_sorted_as_text() -> None:
    per_node = [["Insufficient cpu"]] * 10 + [["Too many pods"]] * 2

    assert (
        fit_error(12, per_node=per_node)
        == "0/12 nodes are available: 10 Insufficient cpu, 2 Too many pods."
    )


def test_a_node_may_count_for_several_reasons() -> None:
    assert (
        fit_error(1, per_node=[["Insufficient memory", "Insufficient cpu"]])
        == "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory."
    )


def test_nodes_without_a_status_share_the_absent_reasons() -> None:
    text = fit_error(
        5, per_node=[["Too many pods"]], absent=["node(s) didn't satisfy plugin(s) [A]"]
    )

    assert text == (
        "0/5 nodes are available: 1 Too many pods, 4 node(s) didn't satisfy plugin(s) [A]."
    )


def test_no_reasons_leave_only_the_count() -> None:
    assert fit_error(3) == "0/3 nodes are available:"


def test_a_prefilter_text_stands_alone() -> None:
    text = fit_error(3, prefilter="x is being deleted", per_node=[["y"]], tail="preemption: no")

    assert text == "0/3 nodes are available: x is being deleted. preemption: no"
