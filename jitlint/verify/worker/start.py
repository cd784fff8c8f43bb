"""The worker's start script, run by path: makes the folder around it a package of its own name, and serves.

usage: python start.py REQUEST_FD REPLY_FD SCRATCH auto|network|off
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import pathlib
import shutil
import sys

NAME = "_jitlint_worker"


def main() -> None:
    """Serves jobs from one descriptor and answers on the other until the first is closed, in a sandbox if there is one.

    It is closed when the linter is gone: what it would have cleared away is removed here.
    """
    here = pathlib.Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if not entry or pathlib.Path(entry).resolve() != here]
    spec = importlib.util.spec_from_file_location(NAME, here / "__init__.py", submodule_search_locations=[str(here)])
    if spec is None or spec.loader is None:
        raise SystemExit(f"{here} is no package")
    package = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = package
    spec.loader.exec_module(package)
    request, reply, scratch, sandbox = sys.argv[1:]
    with contextlib.suppress(OSError):
        pathlib.Path("/proc/self/oom_score_adj").write_text("1000")  # before others, should the memory run out
    problem: str | None = ""
    try:
        if sandbox != "off":
            problem = importlib.import_module(f"{NAME}.process.sandbox").enter(scratch, network=sandbox == "network")
        if problem is not None:
            importlib.import_module(f"{NAME}.server").serve(int(request), int(reply), problem)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
