"""The process that runs a suite under watch: python -m tests.ecosystem.oracle.worker ORDER, a JSON object."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from absl import flags

from tests.ecosystem.oracle.watch import Watch
from tests.ecosystem.oracle.watched import Failure, Watched
from tests.mutants.limits import limited
from tests.mutants.stages import names

TEST_SECONDS = 300
SAVE_SECONDS = 60


class Suite:
    """A plugin of pytest that runs `count` of the tests under watch, until it has used `seconds` of processor time."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._tree = Path(order["tree"])
        self._output = Path(order["output"])
        self._count = order["count"]
        self._end = time.process_time() + order["seconds"]
        self._saved = time.monotonic()
        self._tests: Counter[str] = Counter()
        self._late = False
        texts = {str(self._tree / path): (self._tree / path).read_text("utf-8") for path in order["files"]}
        self._watch = Watch({path: names(ast.parse(text)) for path, text in texts.items()})

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keeps tests from everywhere: another version of the suite keeps nearly the same."""
        kept = set(sorted(items, key=lambda item: hashlib.sha256(item.nodeid.encode()).digest())[: self._count])
        items[:] = [item for item in items if item in kept]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        if time.process_time() > self._end:
            self._late = True
            item.session.shouldstop = "the time is over"
        sys.settrace(self._watch)
        try:
            return (yield)
        finally:
            sys.settrace(None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        with limited(TEST_SECONDS):
            return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self._tests[report.outcome] += 1
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        """Writes what was seen until now: a suite may end its process."""
        found = Watched(
            tests=dict(self._tests),
            late=self._late,
            files={self._short(path): file for path, file in self._watch.files().items()},
            failures=[self._shortened(failure) for failure in self._watch.failures()],
        )
        self._output.write_text(json.dumps(found), "utf-8")
        self._saved = time.monotonic()

    def _shortened(self, failure: Failure) -> Failure:
        return Failure(
            path=self._short(failure["path"]),
            line=failure["line"],
            error=failure["error"],
            left=self._short(failure["left"]),
            callers=[(self._short(path), line) for path, line in failure["callers"]],
        )

    def _short(self, path: str) -> str:
        return Path(path).relative_to(self._tree).as_posix()


def main() -> None:
    """Runs the suite that the order names, from its tree."""
    order = json.loads(sys.argv[1])
    suite = Suite(order)
    os.chdir(order["tree"])
    os.nice(5)
    sys.path[:1] = [order["path"], order["tree"]]  # instead of the folder whose `tests` are these
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]  # the suite may have a package of this name, too
    flags.FLAGS.mark_as_parsed()  # the tests that absl runs ask for its flags
    options = ("-q", "-c", os.devnull, "--rootdir", order["tree"], "-p", "no:cacheprovider")
    patterns = ("-o", "python_files=test_*.py *_test.py", "--continue-on-collection-errors")
    pytest.main([*options, *patterns, *order["tests"]], plugins=[suite])
    suite.save()


if __name__ == "__main__":
    main()
