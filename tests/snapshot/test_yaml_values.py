from typing import Any

import pytest

from kschedx.api.errors import KschedxError
from kschedx.snapshot.yaml_values import MAX_DEPTH, documents


def values(text: str) -> list[Any]:
    return [document.value for document in documents(text, "f.yaml")]


VALUES: dict[str, tuple[str, list[Any]]] = {
    "nothing": ("", []),
    "only a comment": ("# nothing here\n", []),
    "several documents": ("a: 1\n---\nb: 2\n---\n", [{"a": 1}, {"b": 2}, None]),
    "a list at the top": ("- a\n- {b: [c]}\n", [["a", {"b": ["c"]}]]),
    "numbers as keys": ("{1: a, 1.5: b, on: c, true: d}", [{"1": "a", "1.5": "b", "true": "d"}]),
    "a quoted number is text": ("a: '1'\nb: \"2\"\n", [{"a": "1", "b": "2"}]),
    "block text": ("a: |\n  x\n  y\n", [{"a": "x\ny\n"}]),
    "an alias": ("a: &x {k: 1}\nb: *x\n", [{"a": {"k": 1}, "b": {"k": 1}}]),
    "an alias as a key": ("a: &x k\n*x : 1\n", [{"a": "k", "k": 1}]),
    "a merge yields to what stands below": ("{<<: {x: 1}, x: 2}", [{"x": 2}]),
    "a merge overrides what stands above": ("{x: 2, <<: {x: 1}}", [{"x": 1}]),
    "of merged maps the first wins": ("{<<: [{x: 1}, {x: 2, z: 3}]}", [{"x": 1, "z": 3}]),
    "a quoted << is a key": ("{'<<': {x: 1}}", [{"<<": {"x": 1}}]),
    "a later key of the same name wins": ("{a: 1, a: 2}", [{"a": 2}]),
    "tags": (
        "{a: !!str 5, b: !!int '5', c: !!bool yes, d: !!float 3, e: !!binary aGk=, f: !x y}",
        [{"a": "5", "b": 5, "c": True, "d": 3, "e": "hi", "f": "y"}],
    ),
    "words keep their text": ("{a: yes, b: on, c: n}", [{"a": "yes", "b": "on", "c": "n"}]),
}


@pytest.mark.parametrize(("text", "expected"), VALUES.values(), ids=VALUES.keys())
def test_values(text: str, expected: list[Any]) -> None:
    assert values(text) == expected


REFUSED: dict[str, tuple[str, str]] = {
    "a tab": ("a:\n\tb: 1\n", "line 2: not YAML: found character that cannot start any token"),
    "an open bracket": ("a: [1,\n", "line 2: not YAML: did not find expected node content"),
    "a control character": (
        "a: 1\nb: \x01\n",
        "line 2: not YAML: control characters are not allowed",
    ),
    "an unknown alias": ("a:\n  b: *x\n", "line 2: not YAML: the alias *x has no anchor"),
    "an anchor of another document": (
        "a: &x 1\n---\nb: *x\n",
        "line 3: not YAML: the alias *x has no anchor",
    ),
    "an anchor in itself": ("a: &x [*x]\n", "line 1: not YAML: the anchor &x contains itself"),
    "a list as a key": (
        "a: 1\n? [b]\n: 2\n",
        "line 2: not YAML: a mapping or list stands where a key belongs",
    ),
    "an alias of a list as a key": (
        "a: &x [b]\n*x : 2\n",
        "line 2: not YAML: a mapping or list stands where a key belongs",
    ),
    "null as a key": ("~: 1\n", "line 1: not YAML: null stands where a key belongs"),
    "not a number": ("a: .nan\n", "line 1: not YAML: .nan is no number that JSON can hold"),
    "a merged text": ("<<: x\n", "line 1: not YAML: << merges a mapping or a list of mappings"),
    "a false tag": ("a: !!int x\n", "line 1: not YAML: 'x' is tagged !!int and is none"),
    "binary that is none": (
        "a: !!binary '*'\n",
        "line 1: not YAML: a !!binary value is not base64 of a text",
    ),
    "text after the end": (
        "  a: 1\nb: 2\n",
        "line 2: not YAML: did not find expected <document start>",
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(KschedxError) as refused:
        values(text)

    assert refused.value.code == "not-yaml"
    assert refused.value.message == f"f.yaml, {message}"


@pytest.mark.parametrize(
    "text", ["a: 1\nname: {{ .Values.name }}\n", "a: 1\n{{- if .x }}\nb: 2\n{{- end }}\n"]
)
def test_template_is_called_one(text: str) -> None:
    with pytest.raises(KschedxError) as refused:
        values(text)

    assert refused.value.code == "template-not-rendered"
    assert refused.value.message == "f.yaml, line 2: a template, not yet YAML"


def test_nesting_is_limited() -> None:
    deep = "".join(f"{' ' * level}a:\n" for level in range(MAX_DEPTH + 1))

    with pytest.raises(KschedxError, match=f"line {MAX_DEPTH + 1}: .* more than 200 levels deep"):
        values(deep)


def test_flow_nesting_is_limited() -> None:
    with pytest.raises(KschedxError) as refused:
        values("[" * 100_000)

    assert refused.value.code == "not-yaml"


def test_aliases_cannot_blow_up() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]

    with pytest.raises(KschedxError, match="aliases stand for more than 1,000,000 values"):
        values("\n".join(lines))


def test_lines_where_objects_begin() -> None:
    text = "kind: Pod\n---\n\nkind: List\nitems:\n- kind: A\n-\n  kind: B\n"
    first, second = documents(text, "f.yaml")

    assert (first.line, second.line) == (1, 4)
    assert [second.lines[id(item)] for item in second.value["items"]] == [6, 8]
