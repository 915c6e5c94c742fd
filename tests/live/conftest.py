"""A real control plane for the tests of this folder, where its binaries are at hand.

tests/live/run.sh builds them and sets KSCHEDX_CONTROL_PLANE; without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kschedx.cli.main import run
from tests.live.control_plane import ControlPlane

Asked = Callable[..., tuple[int, Any, str]]


@pytest.fixture(scope="session")
def binaries() -> Path:
    named = os.environ.get("KSCHEDX_CONTROL_PLANE", "")
    if not named:
        pytest.skip("needs a control plane: bash tests/live/run.sh")
    return Path(named)


@pytest.fixture(scope="session")
def control_plane(
    binaries: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ControlPlane]:
    with ControlPlane(binaries, tmp_path_factory.mktemp("control-plane")) as running:
        yield running


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Asked:
    """Run a command line: (exit code, what it printed as JSON or else as text, stderr)."""

    def asked(*arguments: str) -> tuple[int, Any, str]:
        capsys.readouterr()
        code = run(arguments)
        out, err = capsys.readouterr()
        return code, json.loads(out) if out.startswith("{") else out, err

    return asked
