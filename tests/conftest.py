"""What the tests share."""

from __future__ import annotations

import compileall
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import psutil
import pytest

from jitlint.source import defects

# For this process and for all that tests start.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"  # they ask whether code compiles, not how fast it then is
os.environ[defects.VARIABLE] = "raise"  # an internal error fails the test that meets it
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of programs are started, each would compile all modules anew

LONGEST = (
    "test_compiled.py", "fixtures/test_labels.py", "verify/test_tricky.py", "verify/test_hostile.py",
    "plugins/test_pre_commit.py", "verify/test_devices.py", "syntax/test_front_ends.py", "rules/test_examples.py",
    "robustness/test_kill.py", "fixtures/test_verified.py", "docs/test_site.py", "fuzz/test_fuzz.py",
    "mutants/test_mutants.py",
)  # fmt: skip
"""The files that take longest. They begin first, so that no process still has one of them when the others are done."""


def pytest_configure(config: pytest.Config) -> None:
    """Compiles the sources to bytecode once, also for the programs that may write nothing next to them."""
    if not hasattr(config, "workerinput"):
        for name in ("jitlint", "plugins"):
            compileall.compile_dir(Path(__file__).parents[1] / name, quiet=1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest files first."""
    here = Path(__file__).parent
    ranks = {here / name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: a quarter of the time, tests wait for programs that they have started."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer() -> Iterator[None]:
    """When a test's time is over, the processes that it has started end, too, since it may be waiting for them."""
    result = yield
    failing = signal.getsignal(signal.SIGALRM)
    assert callable(failing)

    def end(number: int, frame: FrameType | None) -> None:
        for process in psutil.Process().children(recursive=True):
            process.kill()
        failing(number, frame)

    signal.signal(signal.SIGALRM, end)
    return result


@pytest.fixture(scope="session", autouse=True)
def caches(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No program that a test starts finds or leaves anything in the user's own cache."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("caches"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parent.parent
