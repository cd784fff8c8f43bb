"""The command line: python -m tests.benchmarks --help."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs

from tests.benchmarks import corpus, figures, render
from tests.benchmarks.environments import environment, with_jitlint
from tests.benchmarks.tools import YARDSTICK, jitlint_and_yardstick, peers
from tools.wheel import ROOT

RESULTS = ROOT / "docs" / "benchmarks" / "results.json"
PARTS = ("throughput", "start-up", "editing", "verifying")


def measurements(cache: Path, scratch: Path, rounds: int) -> dict[str, Callable[[], dict[str, Any]]]:
    """What measures each part; environments and files are ready."""
    python = with_jitlint(cache).program("python")
    tools = (*jitlint_and_yardstick(python), *peers(cache))
    files = corpus.make(scratch / "all", corpus.PACKAGES, cache)
    return {
        "throughput": lambda: figures.throughput(tools, files, rounds),
        "start-up": lambda: figures.start_up(tools, python, files, 3 * rounds),
        "editing": lambda: figures.editing(tools, corpus.make(scratch / "edited", corpus.EDITED, cache)),
        "verifying": lambda: figures.verifying(python, scratch / "verified", 100, rounds),
    }


def store(results: dict[str, Any]) -> None:
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


def draw(results: dict[str, Any], cache: Path) -> None:
    """Writes the plot."""
    command = [environment("plot", cache).program("python"), str(Path(__file__).with_name("plot.py"))]
    told = json.dumps((render.bars(results), YARDSTICK))
    subprocess.run([*command, str(ROOT / render.PLOT)], input=told, text=True, check=True)


def main() -> None:
    """Measures, prints the section of the readme, and stores the figures and the plot."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("parts", nargs="*", default=PARTS, metavar="PART",
                        help=f"what to measure, of {', '.join(PARTS)}; the rest stays as stored")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", type=Path, default=platformdirs.user_cache_path("jitlint-benchmarks"),
                        metavar="FOLDER", help="for environments and packages (default: %(default)s)")  # fmt: skip
    parser.add_argument("--update-readme", action="store_true", help="put the section into README.md, too")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    results["machine"] = {"python": platform.python_version(), "cores": len(os.sched_getaffinity(0))}
    results["packages"] = list(corpus.PACKAGES)
    with tempfile.TemporaryDirectory() as scratch:
        for part, measure in measurements(options.cache.resolve(), Path(scratch), options.rounds).items():
            if part in options.parts or part not in results:
                print(f"{time.strftime('%H:%M:%S')} {part}", flush=True)
                results[part] = measure()
                store(results)
    draw(results, options.cache)
    section = render.section(results)
    print(section)
    if options.update_readme:
        readme = ROOT / "README.md"
        readme.write_text(render.in_readme(readme.read_text("utf-8"), section), "utf-8")


if __name__ == "__main__":
    main()
