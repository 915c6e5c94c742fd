"""From a family and a seed to a case: one JSON line of what the oracle reads."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tests.oracle.generate.draw import Draw, Object


class Drawn(NamedTuple):
    """A cluster with a scheduler configuration, or one to be tried more often than 12 times.

    Where nodes tie, the scheduler takes any of them: a case has to be run until most were taken.
    """

    objects: list[Object]
    configuration: Object | None = None
    runs: int | None = None


Family = Callable[[Draw], list[Object] | Drawn]


def case(family: str, make: Family, seed: str, number: int) -> Object:
    """Draw one case. Its pod under test is the one named target."""
    made = make(Draw(f"{family}/{seed}/{number}"))
    objects, configuration, runs = made if isinstance(made, Drawn) else Drawn(made)
    pods = [each["metadata"] for each in objects if each["kind"] == "Pod"]
    for metadata in pods:
        metadata["uid"] = f"{metadata['namespace']}-{metadata['name']}"
    target = next(metadata for metadata in pods if metadata["name"] == "target")
    drawn: Object = {
        "id": f"{family}-{seed}-{number}",
        "pod": f"{target['namespace']}/target",
        "objects": objects,
    }
    if configuration:
        drawn["config"] = configuration
    if runs:
        drawn["runs"] = runs
    return drawn


def cases(family: str, make: Family, seed: str, count: int) -> Iterator[Object]:
    """Draw the first cases of a family's seed."""
    return (case(family, make, seed, number) for number in range(count))


def main(families: Mapping[str, Family], arguments: Sequence[str]) -> int:
    """Print cases as `FAMILY SEED COUNT` asks; `--families` lists the families."""
    match arguments:
        case ["--families"]:
            lines = list(families)
        case [family, seed, count] if family in families and count.isdecimal():
            drawn = cases(family, families[family], seed, int(count))
            lines = [json.dumps(one, separators=(",", ":")) for one in drawn]
        case _:
            sys.stderr.write(f"usage: FAMILY SEED COUNT, FAMILY one of {' '.join(families)}\n")
            return 2
    sys.stdout.writelines(line + "\n" for line in lines)
    return 0
