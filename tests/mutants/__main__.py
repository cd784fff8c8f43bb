"""The command line: python -m tests.mutants --help."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.mutants import agreement, bench, fixing
from tests.mutants.mutate import Base
from tests.mutants.packages import MODULES
from tests.mutants.score import Score, explain, score, table


def prepare(packages: Sequence[str], scratch: bench.Scratch) -> list[tuple[Base, Path]]:
    """The packages' recipes that trace, observed, and their files."""
    for package in packages:
        scratch.add_package(package)
    found = bench.recipes(packages)
    _say(f"{len(found)} recipes")
    made = list(bench.bases(found, scratch))
    _say(f"{len(made)} of them trace in a copy of their module")
    return made


def judged(
    bases: Sequence[Base], scratch: bench.Scratch, seed: int, count: int, kinds: Sequence[str] = ()
) -> list[bench.Judged]:
    """Makes `count` mutants of the bases, and has JAX and the linter look at them."""
    made = list(bench.judged(list(bench.mutants(bases, seed, count, kinds)), scratch))
    _say(f"{len(made)} mutants judged by JAX")
    findings = bench.lint([one.path for one in made], scratch.folder)
    return [replace(one, findings=tuple(findings[one.path])) for one in made]


def run(bases: Sequence[Base], scratch: bench.Scratch, seed: int, count: int, kinds: Sequence[str] = ()) -> Score:
    """Makes `count` mutants of the bases, has JAX and the linter look at them, and scores."""
    return score(judged(bases, scratch, seed, count, kinds))


def _fixed(seen: Sequence[bench.Judged], scratch: bench.Scratch, misses: bool) -> str:
    figures = fixing.Figures()
    left = []
    for one in fixing.mended(seen, scratch.folder):
        figures.add(one)
        if misses and not one.works:
            left.append(fixing.explain(one))
    return "\n\n".join([*left, figures.table()])


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300, help="how many mutants to make")
    parser.add_argument("--packages", default=",".join(MODULES), help="from which packages, those installed")
    parser.add_argument("--kinds", default="", help="which kinds of bugs; all by default")
    parser.add_argument("--misses", action="store_true", help="show what the linter got wrong, one by one")
    parser.add_argument("--agreement", action="store_true", help="instead of mutants: which variables are traced")
    parser.add_argument("--fixes", action="store_true", help="fix the mutants that fail, and judge them again")
    parser.add_argument("--keep", type=Path, help="a new folder for the mutants, which then stay")
    return parser.parse_args()


def main() -> None:
    """Runs the benchmark and prints its figures."""
    options = _options()
    packages = bench.installed(options.packages.split(","))
    kinds = tuple(kind for kind in options.kinds.split(",") if kind)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        scratch = bench.Scratch(folder.resolve())
        bases = prepare(packages, scratch)
        if options.agreement:
            answers = list(agreement.answers(bases))
            print(agreement.explain(answers) if options.misses else "")
            print(agreement.table(answers))
            return
        seen = judged([base for base, _ in bases], scratch, options.seed, options.count, kinds)
        if options.fixes:
            print(_fixed(seen, scratch, options.misses))
            return
    result = score(seen)
    if options.misses:
        slips = sorted(result.slips, key=lambda slip: (slip.what, slip.judged.mutant.kind))
        print("\n\n".join(explain(slip) for slip in slips), end="\n\n")
    print(table(result, kinds or bench.ALL_KINDS))
    print(f"failing mutants from {len(result.packages)} packages: {', '.join(sorted(result.packages))}")


if __name__ == "__main__":
    main()
