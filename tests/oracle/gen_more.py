#!/usr/bin/env python3
"""Further random cases, for what gen.py leaves out: gen_more.py FAMILY SEED COUNT > cases.jsonl."""

import sys
from pathlib import Path

if not __package__:  # run as a file: the project's root is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.generate.cases import main
from tests.oracle.generate.more_families import MORE_FAMILIES

if __name__ == "__main__":
    raise SystemExit(main(MORE_FAMILIES, sys.argv[1:]))
