"""What the tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# For this process and for all that tests start.
os.environ["JAX_PLATFORMS"] = "cpu"


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parent.parent
