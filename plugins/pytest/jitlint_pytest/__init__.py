"""jitlint in pytest: records inputs of functions for `--verify`, and limits how often functions are traced.

`pytest --jitlint-record` runs the tests as they are. It stores the inputs of the project's jitted functions, how often
they are traced and compiled, and why they are traced again. `@pytest.mark.max_traces(n)` and the fixture `max_traces`
fail a test in which a function of the project is traced more often than n times.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from jitlint_pytest.limits import Limit, limit_of, what_is_not_there
from jitlint_pytest.traces import Traced, Traces, UnexplainedError, listening

MaxTraces = Callable[..., AbstractContextManager[None]]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("jitlint")
    group.addoption(
        "--jitlint-record",
        action="store_true",
        help="Store the inputs of jitted functions where `jitlint --verify` looks for them.",
    )
    group.addoption("--jitlint-record-to", metavar="FILE", help="Store the inputs of jitted functions in FILE.")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begins to record, before the project, and JAX with it, is imported."""
    given = early_config.known_args_namespace
    if given.jitlint_record or given.jitlint_record_to:
        file = Path(given.jitlint_record_to) if given.jitlint_record_to else None
        early_config.stash[_RECORDING] = recording = _Recording(file, Path.cwd())
        recording.start()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "max_traces(n, function=None): fail if a function of the project (or that one) is traced more than n times",
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("max_traces"):
        limit_of(marker.args, marker.kwargs)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    with ExitStack() as stack:
        for marker in item.iter_markers("max_traces"):
            stack.enter_context(_at_most(item.config.rootpath, limit_of(marker.args, marker.kwargs)))
        return (yield)


@pytest.fixture
def max_traces(pytestconfig: pytest.Config) -> MaxTraces:
    """`with max_traces(1, step): …` fails if `step` (without it: any function of the project) is traced more often."""
    return lambda *args, **options: _at_most(pytestconfig.rootpath, limit_of(args, options))


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    recording = session.config.stash.get(_RECORDING, None)
    if recording is None:
        return (yield)
    with recording.counting():
        return (yield)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    recording = config.stash.get(_RECORDING, None)
    if recording is not None:
        terminalreporter.section("jitlint")
        for line in recording.summary():
            terminalreporter.line(line)


# --- limits of traces -------------------------------------------------------------------------------------------------


@contextmanager
def _at_most(root: Path, limit: Limit) -> Iterator[None]:
    try:
        with listening() as found:
            yield
    except UnexplainedError as error:
        pytest.fail(str(error), pytrace=False)
    name = limit.name
    counted = [traced for traced in found.functions if (traced.name == name if name else _is_ours(traced, root))]
    if limit.is_text and not counted and (unknown := what_is_not_there(limit.name, root)):
        pytest.fail(unknown, pytrace=False)
    for traced in counted:
        if len(traced.traces) > limit.n:
            pytest.fail(_too_often(traced, limit.n, root), pytrace=False)


def _is_ours(traced: Traced, root: Path) -> bool:
    file = Path(traced.file)
    return file.is_relative_to(root) and "site-packages" not in file.parts


def _too_often(traced: Traced, n: int, root: Path) -> str:
    allowed = f"at most {n} {'was' if n == 1 else 'were'} allowed"
    lines = [
        f"`{traced.name}` ({_short(traced.file, root)}:{traced.line}) was traced {len(traced.traces)} times, {allowed}:"
    ]
    return "\n".join([*lines, *(f"  {_short(trace.place, root)}: {trace.why}" for trace in traced.traces)])


def _short(path: str, root: Path) -> str:
    return path.removeprefix(f"{root}{os.sep}")


# --- recording --------------------------------------------------------------------------------------------------------


class _Recording:
    """The recording of a run: inputs, from the recorder, and counts of traces, from JAX's log."""

    def __init__(self, file: Path | None, start: Path) -> None:
        # Imports of jitlint are slow, and only runs that record need them.
        from jitlint.config import Configuration
        from jitlint.project.files import project_folder
        from jitlint.verify.recorder import store

        self._root = project_folder(start)
        self._is_named = file is not None
        self._file = (file or Configuration().of(start).verify.recorded or self._root / store.FILE).absolute()
        self._counted: Traces | None = None
        self._write: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begins to record.

        Raises:
            pytest.UsageError: what is in the file is no recording.
        """
        from jitlint.verify.recorder import recording, store

        try:
            store.read(self._file)
        except store.StoreError as error:
            name = os.path.relpath(self._file)
            if self._is_named:
                raise pytest.UsageError(f"--jitlint-record-to {name}: that is no recording; name a new file") from error
            raise pytest.UsageError(f"{name} {error}") from error
        self._write = recording.begin(self._file, self._root)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Counts traces within, if JAX is installed and explains them; then writes the recording."""
        from jitlint.verify.recorder import store

        with ExitStack() as stack:
            try:
                self._counted = stack.enter_context(listening())
            except (ImportError, UnexplainedError):
                self._counted = None
            yield
        self._write()
        store.count(self._file, {key: _counts(traced, self._root) for key, traced in self._ours()})

    def summary(self) -> Iterator[str]:
        """A summary of the recording, in lines for people."""
        from jitlint.verify.recorder import store

        functions = store.read(self._file)
        count = sum(len(entry["signatures"]) for entry in functions.values())
        yield f"{os.path.relpath(self._file)}: {count} signatures of {len(functions)} functions"
        for _, traced in self._ours():
            if len(traced.traces) > 1:
                place = f"{_short(traced.file, self._root)}:{traced.line}"
                times = f"was traced {len(traced.traces)} times, compiled {traced.compiled} times"
                yield f"{place} `{traced.name}` {times}; the last time:"
                yield f"    {_short(traced.traces[-1].place, self._root)}: {traced.traces[-1].why}"

    def _ours(self) -> Iterator[tuple[tuple[str, int], Traced]]:
        for traced in self._counted.functions if self._counted is not None else ():
            if _is_ours(traced, self._root):
                yield (os.path.relpath(traced.file, self._root), traced.line), traced


def _counts(traced: Traced, root: Path) -> dict[str, Any]:
    return {
        "traced": len(traced.traces),
        "compiled": traced.compiled,
        "misses": [f"{_short(trace.place, root)}: {trace.why}" for trace in traced.traces[1:]],
    }


_RECORDING = pytest.StashKey[_Recording]()
