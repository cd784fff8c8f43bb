"""The worker's start script: imports the folder around it as a package of its own name, and serves.

It is run by path, in an interpreter that need not know jitlint. Rooms import each other relatively, so that any name
for the package works.

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
    """Serves jobs from one descriptor, in a sandbox if possible, until the linter closes it.

    The linter may be gone by then, so the scratch directory is removed here.
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
        pathlib.Path("/proc/self/oom_score_adj").write_text("1000")  # should memory run out, this process goes first
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
