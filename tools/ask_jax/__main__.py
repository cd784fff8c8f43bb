"""`python -m tools.ask_jax`: writes what the installed JAX answers into the models' data; `--check` compares only."""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tools.ask_jax.files import FOLDER, Row, differences, package_of, path_of, stored, written

Found = dict[str, dict[str, dict[str, dict[str, Row]]]]
"""Tables by package."""


def main() -> int:
    """Runs the command line; gives 1 if a check finds a difference."""
    parser = argparse.ArgumentParser(prog="python -m tools.ask_jax", description=__doc__)
    parser.add_argument("modules", nargs="*", help="only their files (jax.numpy …); all by default")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where file and JAX disagree")
    options = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
    from tools.ask_jax.answers import answers, units

    wanted = {package_of(module) for module in options.modules}
    jobs = [unit for unit in units() if not wanted or package_of(unit.module) in wanted]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found: Found = {}
        for unit, tables in zip(jobs, pool.map(answers, jobs), strict=True):
            package = found.setdefault(package_of(unit.module), {})
            for subject, modules in tables.items():
                package.setdefault(subject, {}).setdefault(unit.module, {}).update(modules[unit.module])
    if not wanted:
        found.update({path.stem: {} for path in FOLDER.glob("*.toml") if path.stem not in found})
    return _check(found) if options.check else _write(found)


def _write(found: Found) -> int:
    import jax

    FOLDER.mkdir(exist_ok=True)
    for package, tables in found.items():
        if not tables:
            path_of(package).unlink()
            continue
        path_of(package).write_text(written(package, jax.__version__, tables), encoding="utf-8")
    return 0


def _check(found: Found) -> int:
    import jax

    wrong = 0
    for package, tables in found.items():
        version, old = stored(package)
        if version != jax.__version__:
            print(f"{package}: the file is of JAX {version or '(no file)'}, {jax.__version__} is installed")
            wrong += 1
        for text in differences(old, tables):
            print(text)
            wrong += 1
    print(f"{wrong} differences in {len(found)} files" if wrong else f"{len(found)} files agree with JAX")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
