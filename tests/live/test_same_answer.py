"""Live and from the snapshot taken at that moment: the same answer, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.live.conftest import Asked
from tests.live.control_plane import ControlPlane
from tests.live.generated import Loaded, cases

FAMILIES: Final = ("mix", "interpod", "topology", "volumes", "preemption")


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("suffix", ["json", "json.gz"])
def test_same_json(
    control_plane: ControlPlane, ask: Asked, tmp_path: Path, family: str, suffix: str
) -> None:
    live = ("--kubeconfig", str(control_plane.kubeconfig))
    file = str(tmp_path / f"snapshot.{suffix}")
    with Loaded(control_plane.api, next(cases(family, f"same-{suffix}", 100))) as loaded:
        loaded.try_pod()
        before = ask("why", "-o", "json", *live)
        written = ask("snapshot", file, "-o", "json", *live)
        after = ask("why", "-o", "json", *live)
        for question in (("why",), ("verify",), ("why", loaded.pod, "--nodes")):
            assert ask(*question, "-o", "json", "-f", file) == ask(*question, "-o", "json", *live)
    assert before == after  # nothing moved in between
    assert written[0] == 0


def test_kubectl_reads_it_as_a_list(
    control_plane: ControlPlane, ask: Asked, tmp_path: Path
) -> None:
    """Every object of the file is one that the API server takes."""
    file = tmp_path / "snapshot.json"
    with Loaded(control_plane.api, next(cases("mix", "kubectl", 100))) as loaded:
        loaded.try_pod()
        ask("snapshot", str(file), "--kubeconfig", str(control_plane.kubeconfig))
    text = file.read_text()

    assert text.startswith('{"apiVersion":"v1","kind":"List","metadata":{"annotations":{')
    assert '"kschedx.io/kubernetes-version":"v1.35.4"' in text
    assert '"kschedx.io/complete":"true"' in text
