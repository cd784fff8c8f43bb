"""The command line: python -m tests.ecosystem.judged --help."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

import platformdirs

from jitlint.events.assumption import LEVELS
from tests.ecosystem.judged.judgements import Count, judgements, repositories
from tests.ecosystem.judged.levels import learned, read, text
from tests.ecosystem.outcomes import lint


def fetch(name: str, commit: str, folder: Path) -> None:
    """Checks a repository out at a commit, unless its folder is there already.

    Raises:
        subprocess.CalledProcessError: git could not.
    """
    if folder.is_dir():
        return
    unfinished = folder.with_suffix(".new")
    unfinished.mkdir(parents=True, exist_ok=True)
    for command in (
        ("init", "--quiet"),
        ("fetch", "--quiet", "--depth=1", f"https://github.com/{name}", commit),
        ("checkout", "--quiet", "FETCH_HEAD"),
    ):
        subprocess.run(("git", *command), cwd=unfinished, check=True)
    unfinished.rename(folder)


def main() -> None:
    """Prints how many of the errors that are reported now are true."""
    commits = repositories()
    parser = argparse.ArgumentParser(prog="python -m tests.ecosystem.judged")
    parser.add_argument("repositories", nargs="*", metavar="OWNER/NAME", help="of repositories.txt; all by default")
    parser.add_argument("--cache", type=Path, default=platformdirs.user_cache_path("jitlint-ecosystem") / "judged",
                        metavar="FOLDER", help="where they are checked out, each in OWNER+NAME "
                        "(default: %(default)s)")  # fmt: skip
    parser.add_argument("--learn", action="store_true", help="write how sure each kind of assumption leaves an event")
    options = parser.parse_args()
    judged, count = judgements(), Count()
    for name in options.repositories or commits:
        folder = options.cache / name.replace("/", "+")
        fetch(name, commits[name], folder)
        reported = count.all.total()
        count.add(name, [each for each in lint(folder).findings if each["severity"] == "error"], judged[name])
        print(f"{name}: {count.all.total() - reported} errors", flush=True)
    print(*count.table(), sep="\n")
    if options.learn:
        LEVELS.write_text(text(learned(read(), count.lessons)), encoding="utf-8")
    for name, spot in count.lost:
        print(f"true, and not reported: {name} {spot.path}:{spot.line} {spot.code}")
    for name, spot, finding in count.unjudged:
        print(f"not judged: {name} {spot.path}:{spot.line} {spot.code} {finding['confidence']}: {finding['message']}")


if __name__ == "__main__":
    main()
