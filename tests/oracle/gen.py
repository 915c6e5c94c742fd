#!/usr/bin/env python3
"""Random scheduling cases for the oracle: gen.py FAMILY SEED COUNT > cases.jsonl."""

import sys
from pathlib import Path

if not __package__:  # run as a file: the project's root is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.generate.cases import main
from tests.oracle.generate.families import FAMILIES

if __name__ == "__main__":
    raise SystemExit(main(FAMILIES, sys.argv[1:]))
