"""The yardstick: parses the files under the paths given with `libcst.parse_module`, and does nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import libcst

for given in sys.argv[1:]:
    for path in [Path(given)] if given.endswith(".py") else sorted(Path(given).rglob("*.py")):
        libcst.parse_module(path.read_bytes())
