"""The command line: python -m tests.ecosystem.oracle --help."""

from __future__ import annotations

import argparse
from pathlib import Path

import platformdirs

from tests.ecosystem.oracle.compare import compare
from tests.ecosystem.oracle.suites import environment, fetch, suites, watched
from tests.ecosystem.oracle.tables import details, packages, report


def main() -> None:
    """Runs what has not run yet, compares, and prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.ecosystem.oracle")
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="of suites.toml; all by default")
    parser.add_argument("--show", action="store_true", help="place by place, what is false, missed and disagreeing")
    parser.add_argument("--cache", type=Path, default=platformdirs.user_cache_path("jitlint-ecosystem") / "oracle",
                        metavar="FOLDER", help="where packages are unpacked and what was watched is kept "
                        "(default: %(default)s)")  # fmt: skip
    options = parser.parse_args()
    wanted = suites(options.packages)
    fetch(wanted, options.cache)
    python = environment(options.cache)
    found = []
    for suite in wanted:
        found.append(compare(suite, watched(suite, options.cache, python), options.cache))
        print(details(found[-1]) if options.show else packages(found[-1:]), flush=True)
    print(report(found))


if __name__ == "__main__":
    main()
