"""Patterns match what pathspec says they match, and cannot be made to take for ever."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from jitlint.project.files import Patterns, discover
from jitlint.project.gitignore import PatternError, linear, spec

SEGMENTS = (
    *("*", "**", "*a", "a*", "*a*b", "a*b*", "?a", "*[ab]*", "*?*b", "a", "b", "*a*a*a", "[!a]*b", "**a", "*.py"),
    *("a*?", "\\**a*", "[]a]*[^b]", "*[*]*"),
)
NAMES = ("a", "b", "ab", "ba", "aab", "abab", "a.py", "bb", "aaa", "*a", "]*")


def test_patterns_mean_what_they_mean_to_pathspec() -> None:
    chance = random.Random(1)
    hits = 0
    for _ in range(2_000):
        pattern = "/".join(chance.choices(SEGMENTS, k=chance.randint(1, 6)))
        pattern = chance.choice(("", "", "/", "!")) + pattern + chance.choice(("", "", "/"))
        theirs, ours = GitIgnoreSpec.from_lines([pattern]), spec([pattern])
        for _ in range(10):
            path = "/".join(chance.choices(NAMES, k=chance.randint(1, 8))) + chance.choice(("", "/"))
            assert ours.check_file(path).include == theirs.check_file(path).include, (pattern, path)
            hits += ours.check_file(path).include is not None
    assert hits > 2_000


def test_ordinary_patterns_stay_as_pathspec_writes_them() -> None:
    for pattern in ("*.py", "docs/", "/build", "a/**/b", "**/x", "x*", "[ab]?c", "!keep.py"):
        (theirs,) = GitIgnoreSpec.from_lines([pattern]).patterns
        (ours,) = spec([pattern]).patterns
        assert ours == theirs
        assert linear(theirs.regex.pattern) == theirs.regex.pattern


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 60, "a" * 200 + "b"),
        ("*" * 60 + "b", "a" * 250),
        ("*?" * 60 + "b", "a" * 250),
        ("?*" * 60 + "[b]", "a" * 250),
        ("**/a/" * 60 + "x", "a/" * 1000 + "b"),
        ("*a*b/**/" * 30 + "x", ("ab" * 20 + "/") * 80),
        ("*a?" * 30 + "/" + "*b" * 30, "a" * 200 + "/" + "b" * 200 + "c"),
    ],
)
def test_no_pattern_takes_for_ever(pattern: str, path: str) -> None:
    assert spec([pattern]).check_file(path).include is None


def test_what_is_no_pattern_is_named() -> None:
    for line in ("[", "[z-a]", "!", "\\", "a" * 5000):
        with pytest.raises(PatternError, match=r"correct or remove it|longer than"):
            spec([line])
    assert spec(["", "# [", "  "]).check_file("a").include is None


def test_a_folder_deeper_than_python_recurses_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(1200):
        tmp_path = tmp_path / "d"
        monkeypatch.chdir(tmp_path.parent)
        Path("d").mkdir()
    monkeypatch.chdir(tmp_path)
    Path("x.py").touch()
    top = Path(*tmp_path.parts[:-1200])
    found = discover([str(top)], lambda path, folder: bool(Patterns.of(top, ["*.pyc"]).verdict(path, folder=folder)))
    assert found.errors == () and [path.name for path in found.files] == ["x.py"]
