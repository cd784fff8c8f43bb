"""What jitlint says of released packages, which are nearly free of these bugs: how often it cries wolf.

    python tests/ecosystem/released.py [--site FOLDER] [--show error] [PACKAGE …]

Lints each installed package whole, at default settings, and prints a row per package: lines of the files that mention
jax, findings by severity, errors per 1,000 of those lines, seconds, and findings by code.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jitlint import config, pipeline
from jitlint.findings.finding import Finding, Result
from jitlint.report import text
from jitlint.rules.rule import Severity

PACKAGES = (
    "flax", "optax", "chex", "equinox", "diffrax", "numpyro", "blackjax", "brax", "haiku", "distrax", "jaxopt",
    "netket", "jax",
)  # fmt: skip

ROW = "{:<14} {:>8} {:>7} {:>7} {:>7} {:>12} {:>8}  {}"


@dataclass(frozen=True)
class Outcome:
    """One package's run. `lines` are those of the files that mention jax."""

    package: str
    lines: int
    result: Result
    seconds: float

    def count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.result.findings)

    @property
    def codes(self) -> str:
        found = Counter(finding.code for finding in self.result.findings)
        return " ".join(f"{code}:{count}" for code, count in found.most_common())


def folder_of(package: str) -> Path:
    """The folder of an installed package.

    Raises:
        SystemExit: it is not installed, or is a single file.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is not installed as a package; pip install it, or name its folder with --site")
    return Path(next(iter(spec.submodule_search_locations)))


def lint(package: str, folder: Path, shown: Sequence[Severity]) -> Outcome:
    """Lints the package from the folder that it is installed in, as `jitlint PACKAGE` does it there."""
    os.chdir(folder.parent)
    start = time.process_time()
    sources = pipeline.read([folder.name])
    found = pipeline.find(sources.files)
    seconds = time.process_time() - start
    defaults = config.Choice()
    findings = tuple(finding for finding in found.findings if defaults.shows(finding))
    result = Result(findings, (*sources.errors, *found.errors), len(sources.files))
    wanted: tuple[Finding, ...] = tuple(finding for finding in findings if finding.severity in shown)
    if wanted:
        print(text.render(Result(wanted, result.errors, result.files), sources.files))
    for error in result.errors:
        print(f"{error.path}: {error.message}")
    lines = sum(source.text.count("\n") for source in sources.files if "jax" in source.text)
    return Outcome(package, lines, result, seconds)


def row(name: str, lines: int, counts: Sequence[int], seconds: float, codes: str) -> str:
    return ROW.format(name, lines, *counts, f"{1000 * counts[0] / max(lines, 1):.3f}", f"{seconds:.1f}", codes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=PACKAGES, metavar="PACKAGE")
    parser.add_argument("--site", type=Path, help="where the packages are (default: where Python finds them)")
    parser.add_argument("--show", action="append", default=[], type=Severity, choices=list(Severity),
                        help="print the findings of this severity with their flows")  # fmt: skip
    options = parser.parse_args()
    site = options.site.resolve() if options.site else None
    severities = (Severity.ERROR, Severity.WRONG, Severity.SLOW)
    rows: list[str] = [ROW.format("package", "lines", *severities, "errors/kLOC", "seconds", "codes")]
    outcomes: list[Outcome] = []
    for package in options.packages:
        outcome = lint(package, site / package if site else folder_of(package), options.show)
        outcomes.append(outcome)
        counts = [outcome.count(severity) for severity in severities]
        rows.append(row(package, outcome.lines, counts, outcome.seconds, outcome.codes))
        if not options.show:
            print("\n".join(rows), flush=True)
            rows = []
    totals = [sum(outcome.count(severity) for outcome in outcomes) for severity in severities]
    lines, seconds = sum(outcome.lines for outcome in outcomes), sum(outcome.seconds for outcome in outcomes)
    print("\n".join([*rows, row("all", lines, totals, seconds, "")]))


if __name__ == "__main__":
    main()
