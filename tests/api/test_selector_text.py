"""Label selectors as kubectl -l takes them."""

import pytest

from kschedx.api.errors import KschedxError
from kschedx.api.selector_text import parse_selector_text

WEB = {"app": "web", "tier": "front", "example.com/team": "a"}

MATCHES = {
    "": True,
    "app=web": True,
    "app==web": True,
    "app = web": True,
    "app=api": False,
    "app!=api": True,
    "app!=web": False,
    "other!=x": True,
    "app=web,tier=front": True,
    "app=web, tier=back": False,
    "app in (api, web)": True,
    "app in (api)": False,
    "app notin (api,db)": True,
    "app notin (web)": False,
    "app": True,
    "legacy": False,
    "!legacy": True,
    "!app": False,
    "example.com/team=a,!legacy,tier in (front)": True,
    "tier=": False,
}


@pytest.mark.parametrize(("text", "matches"), MATCHES.items(), ids=MATCHES.keys())
def test_matches(text: str, matches: bool) -> None:
    assert parse_selector_text(text).matches(WEB) is matches


@pytest.mark.parametrize(
    "text", ["app in", "app in (", "app=web,", "=web", "a=b=c", "app > 3", "a b", "a=b c", "-=x"]
)
def test_refused(text: str) -> None:
    with pytest.raises(KschedxError) as raised:
        parse_selector_text(text)

    assert (raised.value.code, raised.value.exit_code) == ("not-a-selector", 2)
