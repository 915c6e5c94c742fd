"""What all tests share: goldens, which `--update-goldens` writes anew."""

from collections.abc import Callable
from pathlib import Path

import pytest

GOLDENS = Path(__file__).parent / "fixtures" / "goldens"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens", action="store_true", help="write the golden files instead of comparing"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("why/pending.txt", text)`: the text equals that file; a missing one fails."""
    update = request.config.getoption("--update-goldens")

    def compare(name: str, text: str) -> None:
        path = GOLDENS / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{name} is missing: pytest --update-goldens writes it"
        assert text == path.read_text(encoding="utf-8")

    return compare
