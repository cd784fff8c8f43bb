"""The command line: python -m tests.fuzz --help."""

from __future__ import annotations

import argparse
import sys
import sysconfig
import tempfile
from pathlib import Path

from jitlint.pipeline import processors
from tests.fuzz.campaign import ROOT, Campaign

KINDS = ("corpus", "programs", "values", "settings", "mutants", "fixes", "files")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"which inputs: {', '.join(KINDS)} (all)")
    parser.add_argument("--inputs", type=int, default=1000, help="how many of each kind (1000)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first input (0)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long each kind may take")
    parser.add_argument("--python", default=sys.executable, help="the interpreter whose jitlint is tried (this one)")
    parser.add_argument("--jobs", type=int, default=processors(), help="how many processes (one per processor)")
    parser.add_argument("--keep", type=Path, help="where inputs that fail are kept (a new folder)")
    parser.add_argument("--folder", type=Path, action="append", default=[], help="real files: the standard library, "
                        "its tests and all installed packages unless told otherwise")  # fmt: skip
    options = parser.parse_args()
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    return options


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    """Runs the inputs, prints a line per failure and a line per kind; exits with 1 if anything failed."""
    options = _options()
    keep = options.keep or Path(tempfile.mkdtemp(prefix="jitlint-fuzz-"))
    installed = [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]
    failed = False
    for name in options.kinds or KINDS:
        folders = options.folder or (installed if name == "files" else [ROOT / "fixtures"])
        campaign = Campaign(name, options.seed, folders, keep, options.python, _say)
        campaign.run(options.first, options.inputs, options.seconds, options.jobs)
        print(f"{name}: {campaign.summary()}", flush=True)
        for key, times in sorted(campaign.failed.items(), key=lambda item: -item[1]):
            print(f"{times:>6}  {key}")
        failed |= bool(campaign.failed)
    sys.exit(failed)


if __name__ == "__main__":
    main()
