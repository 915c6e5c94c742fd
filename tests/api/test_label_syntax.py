import pytest

from kschedx.api.label_syntax import (
    invalid,
    joined,
    key_complaint,
    quoted,
    value_complaint,
    wording,
)

NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
NAME_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    f"validation is '{NAME}')"
)
PREFIX_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)

KEYS = {
    "a name": ("app", ""),
    "a prefix": ("example.com/App_1.x", ""),
    "the longest name": ("n" * 63, ""),
    "empty": ("", f"name part must be non-empty; name part {NAME_RULE}"),
    "a blank": ("a b", f"name part {NAME_RULE}"),
    "too long": ("n" * 64, "name part must be no more than 63 bytes"),
    "too long, counted in bytes": (
        "é" * 32,
        f"name part must be no more than 63 bytes; name part {NAME_RULE}",
    ),
    "no prefix": ("/app", "prefix part must be non-empty"),
    "a bad prefix and no name": (
        "A_b/",
        f"prefix part {PREFIX_RULE}; name part must be non-empty; name part {NAME_RULE}",
    ),
    "a long prefix": ("p" * 254 + "/n", "prefix part must be no more than 253 bytes"),
    "two slashes": (
        "a/b/c",
        f"a valid label key {NAME_RULE} with an optional DNS subdomain prefix and '/' "
        "(e.g. 'example.com/MyName')",
    ),
    "a line's end": ("app\n", f"name part {NAME_RULE}"),
}


@pytest.mark.parametrize("name", KEYS)
def test_keys(name: str) -> None:
    key, complaint = KEYS[name]

    assert key_complaint(key) == complaint


VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    f"or '12345', regex used for validation is '({NAME})?')"
)

VALUES = {
    "empty": ("", ""),
    "a value": ("v1.2_x", ""),
    "a dash at the end": ("v-", VALUE_RULE),
    "too long and odd": ("-" * 64, f"must be no more than 63 bytes; {VALUE_RULE}"),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    value, complaint = VALUES[name]

    assert value_complaint(value) == complaint


QUOTED = {
    "plain": ("app", '"app"'),
    "quotes and backslashes": ('a"\\', '"a\\"\\\\"'),
    "control characters": ("\a\n\t\x00\x7f", '"\\a\\n\\t\\x00\\x7f"'),
    "letters beyond ASCII": ("é日", '"é日"'),
    "what cannot be printed": ("\u200b\U000e0001", '"\\u200b\\U000e0001"'),
}


@pytest.mark.parametrize("name", QUOTED)
def test_quoted_as_go_does(name: str) -> None:
    text, expected = QUOTED[name]

    assert quoted(text) == expected


INVALID = {
    "a string": ("a\n", 'key: Invalid value: "a\\n": bad'),
    "a list": (("a<b", "é"), 'key: Invalid value: ["a\\u003cb","é"]: bad'),
    "nothing": (None, "key: Invalid value: null: bad"),
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_values(name: str) -> None:
    bad, expected = INVALID[name]

    assert invalid("key", bad, "bad") == expected


def test_several_errors() -> None:
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "a"]) == "[a, b]"
    assert joined(["a", "a"]) == "a"


def test_words_of_older_versions() -> None:
    slashes, long = key_complaint("a/b/c"), key_complaint("n" * 64)

    assert (wording(slashes, 35), wording(long, 35)) == (slashes, long)
    assert wording(slashes, 34).startswith("a qualified name must consist of")
    assert wording(long, 34) == "name part must be no more than 63 characters"
