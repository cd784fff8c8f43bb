"""The command line of the benchmark: `python -m tests.mutants --help`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.mutants import bench, stages
from tests.mutants.packages import MODULES
from tests.mutants.score import Score, explain, score, table


def run(
    seed: int,
    count: int,
    packages: Sequence[str],
    folder: Path,
    kinds: Sequence[str] = (),
    observed: Path | None = None,
) -> Score:
    """Makes `count` mutants of functions of the packages in a folder, has JAX and the linter look at them, scores."""
    scratch = bench.Scratch(folder)
    for package in packages:
        scratch.add_package(package)
    found = bench.recipes(packages)
    _say(f"{len(found)} recipes")
    made = list(bench.bases(found, scratch))
    _say(f"{len(made)} of them trace in a copy of their module")
    if observed:
        number = stages.save((read for base, path in made for read in stages.reads(base, path)), observed)
        _say(f"{number} reads of variables observed: {observed}")
    mutants = list(bench.mutants([base for base, _ in made], seed, count, kinds))
    judged = list(bench.judged(mutants, scratch))
    _say(f"{len(judged)} mutants judged by JAX")
    findings = bench.lint([one.path for one in judged], folder)
    _say("linted")
    return score(replace(one, findings=tuple(findings[one.path])) for one in judged)


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300, help="how many mutants to make")
    parser.add_argument("--packages", default=",".join(MODULES), help="from which packages, those installed")
    parser.add_argument("--kinds", default="", help="which kinds of bugs; all by default")
    parser.add_argument("--misses", action="store_true", help="show what the linter got wrong, one by one")
    parser.add_argument("--observed", type=Path, help="write what variables held while tracing, as JSON lines")
    parser.add_argument("--keep", type=Path, help="a new folder for the mutants, which then stay")
    options = parser.parse_args()
    packages = bench.installed(options.packages.split(","))
    kinds = tuple(kind for kind in options.kinds.split(",") if kind)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        result = run(options.seed, options.count, packages, folder.resolve(), kinds, options.observed)
    if options.misses:
        print(
            "\n\n".join(
                explain(slip) for slip in sorted(result.slips, key=lambda slip: (slip.what, slip.judged.mutant.kind))
            )
        )
        print()
    print(table(result, kinds or bench.ALL_KINDS))
    print(f"failing mutants from {len(result.packages)} packages: {', '.join(sorted(result.packages))}")


if __name__ == "__main__":
    main()
