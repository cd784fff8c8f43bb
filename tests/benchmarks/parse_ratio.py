"""How long jitlint's analysis takes, as a multiple of LibCST's parse alone, over the same files in one process.

    python tests/benchmarks/parse_ratio.py [--rounds N] [PACKAGE …]

For each package, the files that mention jax are (a) parsed with `libcst.parse_module` and nothing else, and (b) read
and analyzed as `jitlint PACKAGE` does it, to the findings. Rounds of both alternate: a loaded machine slows both.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import libcst

from jitlint import pipeline

PACKAGES = ("flax", "optax", "numpyro", "equinox")


def jax_files(package: str) -> list[str]:
    """The paths of an installed package's files that mention jax.

    Raises:
        SystemExit: it is not installed.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is not installed; pip install {package}")
    folder = next(iter(spec.submodule_search_locations))
    return [source.path.as_posix() for source in pipeline.read([folder]).files if "jax" in source.text]


def parse(paths: list[str]) -> None:
    for path in paths:
        libcst.parse_module(Path(path).read_bytes())


def analyze(paths: list[str]) -> None:
    pipeline.find(pipeline.read(paths).files)


def cpu_seconds(work: Callable[[list[str]], None], paths: list[str]) -> float:
    gc.collect()
    start = time.process_time()
    work(paths)
    return time.process_time() - start


def measure(package: str, rounds: int) -> tuple[float, float]:
    """Median seconds of the parse and of the analysis; prints a row of the table."""
    paths = jax_files(package)
    lines = sum(Path(path).read_bytes().count(b"\n") for path in paths)
    times = [(cpu_seconds(parse, paths), cpu_seconds(analyze, paths)) for _ in range(rounds)]
    parsing, analysis = (statistics.median(column) for column in zip(*times, strict=True))
    ratios = [whole / alone for alone, whole in times]
    print(
        f"{package:<10} {len(paths):>6} {lines:>8} {parsing:>9.2f} {analysis:>10.2f} {analysis / parsing:>7.2f}"
        f"   {min(ratios):.2f} to {max(ratios):.2f}",
        flush=True,
    )
    return parsing, analysis


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=PACKAGES, metavar="PACKAGE")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("package     files    lines   parse s  jitlint s   ratio   rounds", flush=True)
    measured = [measure(package, options.rounds) for package in options.packages]
    parsing, analysis = (sum(column) for column in zip(*measured, strict=True))
    print(f"{'all':<26} {parsing:>9.2f} {analysis:>10.2f} {analysis / parsing:>7.2f}")


if __name__ == "__main__":
    main()
