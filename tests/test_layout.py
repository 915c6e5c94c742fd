"""The rules of the layout that no linter knows: where things lie, how they are called, how long they get."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "kschedx"
PLUGINS = PACKAGE / "schedulers" / "kube" / "plugins"
PLUGIN_TESTS = ROOT / "tests" / "schedulers" / "kube" / "plugins"

MAX_LINES = 400
LONGER: dict[str, str] = {
    # "kschedx/layer/module.py": "why it is one thing and stays in one file",
}
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "data", "info"}


def modules(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


def plugin_modules() -> list[Path]:
    return [path for path in modules(PLUGINS) if path.name != "__init__.py"]


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def module_docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text())) or ""


@pytest.mark.parametrize("path", plugin_modules(), ids=lambda path: path.stem)
def test_plugin_has_its_test_file(path: Path) -> None:
    assert (PLUGIN_TESTS / f"test_{path.name}").is_file()


@pytest.mark.parametrize("path", plugin_modules(), ids=lambda path: path.stem)
def test_plugin_names_its_upstream_and_the_differences(path: Path) -> None:
    starts = {line.partition(":")[0] for line in module_docstring(path).splitlines()}

    assert {"Upstream", "Differences"} <= starts


def test_plugin_tests_have_their_plugin() -> None:
    plugins = {f"test_{path.name}" for path in plugin_modules()}

    assert [p.name for p in modules(PLUGIN_TESTS) if p.name.startswith("test_")] == sorted(
        path.name for path in modules(PLUGIN_TESTS) if path.name in plugins
    )


def test_every_module_says_what_it_is() -> None:
    assert [place(path) for path in modules(PACKAGE) if not module_docstring(path)] == []


def test_files_are_short() -> None:
    lines = {place(path): len(path.read_text().splitlines()) for path in modules(PACKAGE)}
    too_long = {name: count for name, count in lines.items() if count > MAX_LINES}

    assert {name: too_long[name] for name in too_long if name not in LONGER} == {}
    assert [name for name in LONGER if name not in too_long] == []  # no exception outlives its need


def test_names_say_what_a_module_is() -> None:
    named = [*modules(PACKAGE), *modules(ROOT / "tests"), *modules(ROOT / "benchmarks")]

    assert [
        place(path)
        for path in named
        if SAYS_NOTHING & {part.removesuffix(".py").removeprefix("test_") for part in path.parts}
    ] == []


def reason_codes() -> list[tuple[str, str]]:
    """Every `code: ClassVar[str] = "..."` below kschedx, with its place."""
    return [
        (statement.value.value, place(path))
        for path in modules(PACKAGE)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and statement.target.id == "code"
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    ]


def test_codes_are_kebab_case() -> None:
    kebab = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

    assert [found for found in reason_codes() if not kebab.fullmatch(found[0])] == []


def test_one_cause_has_one_code() -> None:
    uses = Counter(code for code, _ in reason_codes())

    assert [found for found in reason_codes() if uses[found[0]] > 1] == []
