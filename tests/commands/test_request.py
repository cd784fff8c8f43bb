"""What `jitlint check` is asked for."""

from __future__ import annotations

from typing import Any

import click
import pytest

from jitlint.commands.check import check
from jitlint.commands.request import Request
from jitlint.config import Settings, VerifySettings
from jitlint.events.assumption import Confidence


def request(*arguments: str) -> Request:
    """The request of a command line."""
    options: dict[str, Any] = check.make_context("check", list(arguments)).params
    return Request.of(**options)


@pytest.mark.parametrize(
    "option",
    [
        ("--device", "cpu"),
        ("--memory", "1GiB"),
        ("--mesh", "2x4"),
        ("--run",),
        ("--dump", "out"),
        ("--python", "python"),
        ("--import", "full"),
        ("--sandbox", "off"),
        ("--inconclusive", "warn"),
    ],
    ids=lambda option: option[0],
)
def test_options_of_verifying_need_it(option: tuple[str, ...]) -> None:
    with pytest.raises(click.UsageError, match=f"{option[0]}.* are for --verify; add it."):
        request("a.py", *option)
    assert request("a.py", "--verify", "findings", *option).verify == "findings"


def test_options_win_over_settings_and_say_where_they_come_from() -> None:
    settings = Settings(
        verify=VerifySettings(device=("cuda",), python="old", probe_timeout=3.0),
        sources={"verify.device": "pyproject.toml", "verify.python": "pyproject.toml", "confidence": "jitlint.toml"},
    )
    asked = request("a.py", "--verify", "all", "--python", "new", "--import", "full")
    assert asked.over(settings) == Settings(
        verify=VerifySettings(device=("cuda",), python="new", import_="full", probe_timeout=3.0),
        sources={
            "verify.device": "pyproject.toml",
            "verify.python": "--python",
            "verify.import": "--import",
            "confidence": "jitlint.toml",
        },
    )
    assert request("a.py").over(settings) == settings


def test_sound_shows_what_is_only_possible() -> None:
    assert request("a.py").least_confidence is None
    assert request("a.py", "--confidence", "certain").least_confidence is Confidence.CERTAIN
    assert request("a.py", "--confidence", "certain", "--sound").least_confidence is Confidence.POSSIBLE


def test_the_first_path_decides_about_the_run() -> None:
    assert str(request("src/a.py", "b.py").start) == "src/a.py"
