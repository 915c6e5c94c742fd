"""Pseudonyms: one for each text, the same wherever the text stands, in the order of the originals.

That every text has one pseudonym, whatever it names, keeps equal what was equal (a node's name
and its hostname label, a claim and the volume bound to it). That they sort as the originals
do keeps ties where they were. Whole numbers stay whole numbers in their order, for Gt and Lt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final, Protocol

from kschedx.api.label_syntax import key_complaint, value_complaint
from kschedx.api.selectors import parse_integer

VALUE: Final = "value"
"""The role of label values."""

KEPT: Final = frozenset(
    {
        "",
        "default",
        "default-scheduler",
        "kube-node-lease",
        "kube-public",
        "kube-system",
        "system-cluster-critical",
        "system-node-critical",
    }
)
"""Kubernetes' own names."""

KEPT_KEYS: Final = frozenset(
    {
        "app.kubernetes.io/component",
        "app.kubernetes.io/instance",
        "app.kubernetes.io/managed-by",
        "app.kubernetes.io/name",
        "app.kubernetes.io/part-of",
        "app.kubernetes.io/version",
        "apps.kubernetes.io/pod-index",
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-completion-index",
        "batch.kubernetes.io/job-name",
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "controller-revision-hash",
        "controller-uid",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "foregroundDeletion",
        "job-name",
        "kubernetes.io/arch",
        "kubernetes.io/hostname",
        "kubernetes.io/metadata.name",
        "kubernetes.io/os",
        "kubernetes.io/pv-protection",
        "kubernetes.io/pvc-protection",
        "metadata.name",
        "node-role.kubernetes.io/control-plane",
        "node-role.kubernetes.io/master",
        "node.cloudprovider.kubernetes.io/shutdown",
        "node.cloudprovider.kubernetes.io/uninitialized",
        "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/instance-type",
        "node.kubernetes.io/memory-pressure",
        "node.kubernetes.io/network-unavailable",
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/out-of-service",
        "node.kubernetes.io/pid-pressure",
        "node.kubernetes.io/unreachable",
        "node.kubernetes.io/unschedulable",
        "orphan",
        "pod-template-generation",
        "pod-template-hash",
        "statefulset.kubernetes.io/pod-name",
        "topology.cinder.csi.openstack.org/zone",
        "topology.disk.csi.azure.com/zone",
        "topology.ebs.csi.aws.com/zone",
        "topology.gke.io/zone",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    }
)
"""Label and taint keys that a scheduler or a controller looks up by name."""

_KUBERNETES_DOMAIN: Final = re.compile(r"([a-z0-9-]+\.)*(kubernetes|k8s)\.io")
_GCE_ZONE: Final = re.compile(r"([a-z]+-[a-z]+\d+)-([a-z])")
"""Volumes in several zones are found by the region that their names have in common."""
_NUMBERS_FROM: Final = 1_000_000
_MAX_VALUE: Final = 63


class Names(Protocol):
    """What is done with each text of an object."""

    def text(self, text: str, role: str) -> str:
        """A name or a label value. The role only makes a pseudonym readable."""

    def key(self, key: str) -> str:
        """The key of a label or a taint."""

    def image(self, image: str) -> str:
        """A container image."""


class Collector:
    """Takes note of every text and changes none."""

    def __init__(self, roles: Iterable[str], kept: Collection[str] = ()) -> None:
        """`roles`: the most telling first; roles beyond them come after all of these.

        `kept`: texts that stay as they are, besides KEPT.
        """
        self.kept = KEPT | frozenset(kept)
        self._ranks = {role: rank for rank, role in enumerate(roles)}
        self.texts: dict[str, str] = {}
        """Text -> the most telling of its roles."""
        self.values: set[str] = set()
        """Texts that are label values."""
        self.keys: set[str] = set()
        self.images: set[str] = set()

    def text(self, text: str, role: str) -> str:
        if text in self.kept:
            return text
        zone = _GCE_ZONE.fullmatch(text)
        if zone is not None:
            self.text(zone[1], "region")
        if role == VALUE:
            self.values.add(text)
        known = self.texts.get(text)
        if known is None or self._rank(role) < self._rank(known):
            self.texts[text] = role
        return text

    def _rank(self, role: str) -> int:
        return self._ranks.get(role, len(self._ranks))

    def key(self, key: str) -> str:
        self.keys.add(key)
        return key

    def image(self, image: str) -> str:
        self.images.add(image)
        return image


class Pseudonyms:
    """Gives every collected text its pseudonym."""

    def __init__(self, collected: Collector, composed: Mapping[str, tuple[str, ...]]) -> None:
        """`composed`: texts that consist of others, joined by dashes; an ordinal stays."""
        self._collected = collected
        taken = {*collected.texts, *collected.keys, *collected.images}
        self._texts = _numbers(collected.texts)
        plain: dict[str, list[str]] = {}
        for text, role in collected.texts.items():
            if text not in self._texts and text not in composed and not _GCE_ZONE.fullmatch(text):
                plain.setdefault("vol" if text.startswith("vol-") else role, []).append(text)
        for role, texts in plain.items():
            self._texts |= _numbered(role, texts, taken)
        for text in collected.texts:
            if (zone := _GCE_ZONE.fullmatch(text)) is not None and text not in composed:
                self._texts[text] = f"{self._texts[zone[1]]}-{zone[2]}"
        self._compose(composed)
        for text in collected.values:
            self._texts[text] = _as_valid_as(text, self._texts[text])
        self._keys = self._key_pseudonyms(taken)
        self._images = _image_pseudonyms(collected.images, taken)

    def _compose(self, composed: Mapping[str, tuple[str, ...]]) -> None:
        used = set(self._texts.values())
        for text in sorted(composed, key=lambda text: len(composed[text])):
            whole = "-".join(
                part if part.isdecimal() else self._texts.get(part, part) for part in composed[text]
            )
            while whole in used:  # never two texts with one pseudonym
                whole += "x"
            used.add(whole)
            self._texts[text] = whole

    def _key_pseudonyms(self, taken: set[str]) -> dict[str, str]:
        wanted = self._collected.keys - KEPT_KEYS - self._collected.kept
        pseudonyms = _numbered("label", wanted, taken)
        for key in wanted:
            domain, slash, _ = key.rpartition("/")
            if slash and _KUBERNETES_DOMAIN.fullmatch(domain):
                pseudonyms[key] = f"{domain}/{pseudonyms[key]}"
            elif key_complaint(key):
                pseudonyms[key] = f"!{pseudonyms[key]}"
        return pseudonyms

    def text(self, text: str, role: str) -> str:
        """Raises KeyError for a text that was not collected."""
        return text if text in self._collected.kept else self._texts[text]

    def key(self, key: str) -> str:
        return self._keys.get(key, key)

    def image(self, image: str) -> str:
        return self._images[image]


def _numbered(role: str, texts: Iterable[str], taken: set[str]) -> dict[str, str]:
    """ "role-001" and so on in the order of the texts, none of which is in `taken`."""
    ordered = sorted(texts)
    width = len(str(len(ordered)))
    mark = ""
    while True:
        made = [f"{role}-{mark}{number:0{width}}" for number in range(1, len(ordered) + 1)]
        if taken.isdisjoint(made):
            return dict(zip(ordered, made, strict=True))
        mark += "r"


def _numbers(texts: Iterable[str]) -> dict[str, str]:
    """Whole numbers in their order, with their signs; "07" and "7" stay two texts of one number."""
    by_value: dict[int, list[str]] = {}
    for text in texts:
        value = parse_integer(text)
        if value is not None:
            by_value.setdefault(value, []).append(text)
    first = _NUMBERS_FROM
    while any(first <= abs(value) <= first + len(by_value) for value in by_value):
        first += _NUMBERS_FROM
    made = {}
    for rank, value in enumerate(sorted(by_value)):
        size = first + (rank if value >= 0 else len(by_value) - rank)
        for zeros, text in enumerate(sorted(by_value[value], key=lambda text: (len(text), text))):
            sign = text[0] if value and text[0] in "+-" else ""
            made[text] = f"{sign}{'0' * zeros}{size}"
    return made


def _as_valid_as(value: str, pseudonym: str) -> str:
    """A label value that the API machinery refuses gets one that it refuses as well."""
    complaint = value_complaint(value)
    if not complaint or parse_integer(value) is not None:
        return pseudonym
    if len(value.encode()) > _MAX_VALUE:
        pseudonym = pseudonym.ljust(_MAX_VALUE + 1, "x")
    return f"!{pseudonym}" if "valid label" in complaint else pseudonym


def split_image(image: str) -> tuple[str, str, str]:
    """(repository, ":tag" or "", "@digest" or "")."""
    rest, at, digest = image.partition("@")
    repository, colon, tag = rest.rpartition(":")
    if not colon or "/" in tag:  # a port, not a tag
        repository, colon, tag = rest, "", ""
    return repository, colon + tag, at + digest


def _image_pseudonyms(images: Iterable[str], taken: set[str]) -> dict[str, str]:
    parts = {image: split_image(image) for image in images}
    repositories = _numbered("image", {repository for repository, _, _ in parts.values()}, taken)
    tags = _numbered("tag", {tag[1:] for _, tag, _ in parts.values()} - {"", "latest"}, taken)
    digests = sorted({digest for _, _, digest in parts.values() if digest})
    numbers = {digest: f"@sha256:{number:064x}" for number, digest in enumerate(digests, 1)}
    return {
        image: "".join(
            (
                f"registry.example/{repositories[repository]}" if repository else "",
                f":{tags.get(tag[1:], tag[1:])}" if tag else "",
                numbers.get(digest, ""),
            )
        )
        for image, (repository, tag, digest) in parts.items()
    }
