"""What the tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jitlint.source import defects

# For this process and for all that tests start.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ[defects.VARIABLE] = "raise"  # an internal error fails the test that meets it


@pytest.fixture(scope="session", autouse=True)
def caches(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No program that a test starts finds or leaves anything in the user's own cache."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("caches"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parent.parent
