"""Loads the recorder into a program, then the `sitecustomize` that this file hides.

Python imports it at its start, because its folder is first on PYTHONPATH."""

import contextlib
import importlib
import importlib.util
import pathlib
import sys

_NAME = "_jitlint_recorder"


def _record() -> None:
    folder = pathlib.Path(__file__).resolve().parent.parent
    spec = importlib.util.spec_from_file_location(
        _NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is not None and spec.loader is not None:
        sys.modules[_NAME] = package = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)
        importlib.import_module(f"{_NAME}.recording").start()


def _go_on() -> None:
    here = pathlib.Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if not entry or pathlib.Path(entry).resolve() != here]
    mine = sys.modules.pop("sitecustomize")
    try:
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", mine)


with contextlib.suppress(Exception):  # the program must run even if it cannot be recorded
    _record()
_go_on()
