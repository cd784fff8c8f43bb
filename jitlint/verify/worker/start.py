"""The worker's start script: imports the folder around it as a package of its own name, and serves.

It is run by path, in an interpreter that need not know jitlint, and in the sandbox already. Rooms import each other
relatively, so that any name for the package works.

usage: python start.py REQUEST_FD REPLY_FD SCRATCH UNCONFINED, the last being what it lacks of a sandbox
"""

from __future__ import annotations

import importlib
import importlib.util
import pathlib
import shutil
import sys

NAME = "_jitlint_worker"


def main() -> None:
    """Serves jobs from one descriptor until the linter closes it.

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
    request, reply, scratch, unconfined = sys.argv[1:]
    try:
        importlib.import_module(f"{NAME}.server").serve(int(request), int(reply), unconfined)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
