"""The command line: python -m tests.ecosystem --help."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from tests.ecosystem.outcomes import Outcome, accept, difference, lint, stored
from tests.ecosystem.packages import Package, chosen, fetch, pinned

_SEVERITIES = ("error", "wrong", "slow")
_ROW = "{:<18} {:>7} {:>6} {:>6} {:>6} {:>12} {:>8}  {}"


def row(name: str, lines: int, outcomes: Sequence[Outcome]) -> str:
    """Findings at default settings by severity, errors per 1,000 lines, CPU seconds, findings by code."""
    findings = [finding for outcome in outcomes for finding in outcome.shown]
    severities = Counter(finding["severity"] for finding in findings)
    codes = " ".join(f"{code}:{count}" for code, count in Counter(each["code"] for each in findings).most_common())
    rate = f"{1000 * severities['error'] / max(lines, 1):.3f}"
    counts = (severities[severity] for severity in _SEVERITIES)
    return _ROW.format(name, lines, *counts, rate, f"{sum(outcome.seconds for outcome in outcomes):.1f}", codes)


def lines_with_jax(folder: Path) -> int:
    """How many lines the files have that mention jax."""
    texts = (path.read_bytes() for path in folder.rglob("*.py"))
    return sum(text.count(b"\n") for text in texts if b"jax" in text)


def compare(packages: Sequence[Package], cache: Path, accepting: bool) -> int:
    """Lints packages, prints what differs from what is stored, and a table; returns how many lines differ."""
    print(_ROW.format("package", "lines", *_SEVERITIES, "errors/kLOC", "seconds", "codes"), flush=True)
    outcomes, lines, changed = [], 0, 0
    for package in packages:
        folder = package.folder(cache)
        outcome = lint(folder)
        outcomes.append(outcome)
        lines += lines_with_jax(folder)
        changes = difference(stored(package.name), outcome.lines)
        changed += len(changes)
        print(row(package.name, lines_with_jax(folder), [outcome]), *changes, sep="\n  ", flush=True)
        if accepting:
            accept(package.name, outcome.lines)
    print(row("all", lines, outcomes))
    return changed


def main() -> None:
    """Exits with 1 if something appeared or went and was not accepted."""
    parser = argparse.ArgumentParser(prog="python -m tests.ecosystem")
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="of packages.txt; all by default")
    parser.add_argument("--accept", action="store_true", help="store what is found now")
    parser.add_argument("--cache", type=Path, default=platformdirs.user_cache_path("jitlint-ecosystem"),
                        metavar="FOLDER", help="where the packages are unpacked (default: %(default)s)")  # fmt: skip
    options = parser.parse_args()
    packages = chosen(options.packages) if options.packages else pinned()
    fetch(packages, options.cache)
    changed = compare(packages, options.cache, options.accept)
    print(f"{changed} lines differ from what is stored" + (", accepted" if options.accept and changed else ""))
    sys.exit(1 if changed and not options.accept else 0)


if __name__ == "__main__":
    main()
