"""The worker's start script, run by path: makes the folder around it a package of its own name, and serves.

usage: python start.py REQUEST_FD REPLY_FD
"""

from __future__ import annotations

import importlib
import importlib.util
import pathlib
import sys

NAME = "_jitlint_worker"


def main() -> None:
    """Serves jobs from one descriptor and answers on the other until the first is closed."""
    here = pathlib.Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if not entry or pathlib.Path(entry).resolve() != here]
    spec = importlib.util.spec_from_file_location(NAME, here / "__init__.py", submodule_search_locations=[str(here)])
    if spec is None or spec.loader is None:
        raise SystemExit(f"{here} is no package")
    package = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = package
    spec.loader.exec_module(package)
    importlib.import_module(f"{NAME}.server").serve(int(sys.argv[1]), int(sys.argv[2]))


if __name__ == "__main__":
    main()
