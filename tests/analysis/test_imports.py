"""Names are followed through modules and packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check, findings, write

LIB = """\
import jax.numpy as jnp

LIMIT = 3

def relu(v):
    if v > 0:  # expect: JIT101
        return v
    return jnp.zeros_like(v)
"""

TRACED = """\
import jax

@jax.jit
def step(x):
    return RELU(x)
"""

IMPORTS = {
    "from": ("from lib import relu", "relu"),
    "from as": ("from lib import relu as r", "r"),
    "module": ("import lib", "lib.relu"),
    "module as": ("import lib as L", "L.relu"),
    "star": ("from lib import *", "relu"),
    "inside a function": ("def relu(v):\n    from lib import relu as r\n    return r(v)", "relu"),
    "under a test": (
        "import sys\nif sys.version_info > (3, 8):\n    from lib import relu\nelse:\n    relu = None",
        "relu",
    ),
    "tried": ("try:\n    from lib import relu\nexcept ImportError:\n    relu = None", "relu"),
    "rebound": ("import lib\nmodule = lib\nrelu = module.relu", "relu"),
    "in a table": ("import lib\nTABLE = {'relu': lib.relu}", "TABLE['relu']"),
}


@pytest.mark.parametrize("how", IMPORTS)
def test_ways_to_import(tmp_path: Path, how: str) -> None:
    statement, name = IMPORTS[how]
    check(tmp_path, {"main.py": statement + "\n" + TRACED.replace("RELU", name), "lib.py": LIB})


PACKAGED = {
    "absolute": ("pkg/train/step.py", "from pkg.ops.lib import relu"),
    "relative": ("pkg/train/step.py", "from ..ops.lib import relu"),
    "relative module": ("pkg/train/step.py", "from ..ops import lib\nrelu = lib.relu"),
    "sibling": ("pkg/ops/step.py", "from .lib import relu"),
    "sibling module": ("pkg/ops/step.py", "from . import lib\nrelu = lib.relu"),
    "exported by the package": ("pkg/train/step.py", "from ..ops import relu"),
    "exported under another name": ("pkg/train/step.py", "from pkg.ops import activation as relu"),
    "exported by all": ("pkg/train/step.py", "from pkg import *"),
    "dotted": ("pkg/train/step.py", "import pkg.ops.lib\nrelu = pkg.ops.lib.relu"),
    "dotted as": ("pkg/train/step.py", "import pkg.ops.lib as lib\nrelu = lib.relu"),
    "from the package itself": ("pkg/__init__.py", "from .ops.lib import *"),
    "in the package's own file": ("pkg/ops/__init__.py", "from .lib import relu"),
}


@pytest.mark.parametrize("how", PACKAGED)
def test_packages(tmp_path: Path, how: str) -> None:
    path, statement = PACKAGED[how]
    files = {
        "pkg/__init__.py": "from .ops import *\n",
        "pkg/ops/__init__.py": "from .lib import relu, relu as activation\n",
        "pkg/ops/lib.py": LIB,
        "pkg/train/__init__.py": "",
    }
    files[path] = statement + "\n" + TRACED.replace("RELU", "relu")
    check(tmp_path, files)


def test_all_says_what_a_star_brings(tmp_path: Path) -> None:
    check(
        tmp_path,
        {
            "main.py": "relu = None\nfrom lib import *\n" + TRACED.replace("RELU", "shown"),
            "lib.py": "__all__ = ['shown']\n" + LIB.replace("  # expect: JIT101", "") + "shown = abs\n",
        },
    )


def test_modules_that_import_each_other(tmp_path: Path) -> None:
    check(
        tmp_path,
        {
            "a.py": "import b\nimport jax\n\ndef relu(v):\n    return v if v > 0 else 0  # expect: JIT104\n",
            "b.py": "import a\n" + TRACED.replace("RELU", "a.relu"),
        },
    )


def test_transforms_are_followed_through_modules(tmp_path: Path) -> None:
    check(
        tmp_path,
        {
            "compat.py": "import functools\nimport jax\nfrom jax import jit as fast\n"
            "static_jit = functools.partial(jax.jit, static_argnames='n')\n",
            "impl.py": "def step(x, n):\n    if n: x = x + 1\n    return x if x > n else n  # expect: JIT104\n",
            "main.py": "import compat\nfrom compat import static_jit\nfrom impl import step\n\n"
            "run = static_jit(step)\n\n@compat.fast\ndef f(x):\n    while x > 0: x = x - 1  # expect: JIT102\n"
            "    return x\n",
        },
    )


def test_constants_come_along(tmp_path: Path) -> None:
    check(
        tmp_path,
        {
            "config.py": "DEBUG = False\nSIZES = (1, 2)\n",
            "main.py": "import jax\nimport config\nfrom config import SIZES\n\n@jax.jit\ndef f(x):\n"
            "    if config.DEBUG and x > 0:\n        return -x\n    if len(SIZES) == 3:\n        return float(x)\n"
            "    return x\n",
        },
    )


def test_only_given_files_have_findings_but_others_are_looked_into(tmp_path: Path) -> None:
    sources = write(tmp_path, {"main.py": "from lib import relu\n" + TRACED.replace("RELU", "relu"), "lib.py": LIB})
    given = [source for source in sources if source.display == "main.py"]
    assert findings(given) == []
    write(tmp_path, {"lib.py": "def relu(v):\n    return v.shape\n"})
    text = given[0].text.replace("return relu(x)", "return 1 if relu(x) else 2")
    assert findings(write(tmp_path, {"main.py": text})) == []


def test_what_is_not_there_is_unknown(tmp_path: Path) -> None:
    check(
        tmp_path,
        "import jax\nfrom nowhere import helper\nfrom .missing import other\nimport absent.deep as d\n\n@jax.jit\n"
        "def f(x):\n    if helper(x): return other(x)\n    if d.thing(x): return 1\n"
        "    if x > 0: return 2  # expect: JIT101\n    return x\n",
    )


def test_a_library_of_its_own_is_what_the_models_know(tmp_path: Path) -> None:
    """What cannot be followed in the library's source is known by the name under which it is published."""
    check(
        tmp_path,
        {
            "jax/__init__.py": "from jax._src.api import jit as jit\nfrom jax._src.passed import vmap as vmap",
            "jax/_src/__init__.py": "",
            "jax/_src/passed.py": "from jax._src.api import vmap",
            "jax/_src/api.py": """\
                import _compiled

                def jit(fun, **options):
                    return _compiled.jit(fun)

                def vmap(fun):
                    return _compiled.vmap(fun)

                @jit
                def own(x):
                    if x > 0:  # expect: JIT101
                        return x
                    return -x
            """,
            "jax/_src/used.py": """\
                import jax
                from jax._src import api
                from jax._src.passed import vmap

                @jax.jit
                def one(x):
                    assert x > 0  # expect: JIT103
                    return x

                @api.jit
                def two(x):
                    return [1] if x else []  # expect: JIT104

                @vmap
                def three(x):
                    while x > 0:  # expect: JIT102
                        x = x - 1
                    return x
            """,
        },
    )


@pytest.mark.parametrize("importing", ["from pkg.ops import lib", "from .ops import lib", "import pkg.ops.lib as lib"])
def test_a_folder_of_a_package_without_a_file_of_its_own(tmp_path: Path, importing: str) -> None:
    step = importing + "\n" + TRACED.replace("RELU", "lib.relu")
    check(tmp_path, {"pkg/__init__.py": "", "pkg/step.py": step, "pkg/ops/lib.py": LIB})


def test_a_folder_without_a_package(tmp_path: Path) -> None:
    step = "from ops import lib\n" + TRACED.replace("RELU", "lib.relu")
    check(tmp_path, {"step.py": step, "ops/lib.py": LIB})


@pytest.mark.parametrize(
    "importing", ["from lab.ops import lib", "import lab.ops.lib as lib", "from lab import ops\nlib = ops.lib"]
)
def test_folders_without_an_init_are_packages_for_scripts_beside_them(tmp_path: Path, importing: str) -> None:
    files = {"scripts/step.py": importing + "\n" + TRACED.replace("RELU", "lib.relu")}
    if importing.startswith("from lab import ops"):
        files["lab/ops/__init__.py"] = "from lab.ops import lib"
    check(tmp_path, {**files, "lab/ops/lib.py": LIB, "lab/other.py": "", "old/lab/ops/lib.py": "relu = None\n"})


def test_the_nearest_of_several_folders_without_an_init_is_meant(tmp_path: Path) -> None:
    other = LIB.replace("  # expect: JIT101", "")
    step = "from ops import lib\n" + TRACED.replace("RELU", "lib.relu")
    files = {"one/ops/lib.py": LIB, "two/ops/lib.py": other, "one/run/step.py": step, "two/run/step.py": ""}
    check(tmp_path, files)


STAND_INS = """\
import builtins
import contextlib

@contextlib.contextmanager
def stand_ins():
    real = builtins.__import__
    builtins.__import__ = lambda name, *rest: Recorder(name)
    yield
    builtins.__import__ = real

class Recorder:
    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        return type(self)(f"{self.name}.{name}")

    def __call__(self, **options):
        return self
"""

HARMLESS = """\
import contextlib
import sys
import time

import configurator

@contextlib.contextmanager
def beside(folder):
    sys.path.insert(0, folder)
    yield
    sys.path.remove(folder)

class Timed:
    def __enter__(self):
        self.began = time.time()

    def __exit__(self, *error):
        print(time.time() - self.began)

class Guarded(configurator.Guard):
    pass
"""

SHAPES = """\
import dataclasses

@dataclasses.dataclass(frozen=True)
class Box:
    size: int = 1
"""

BOX = """\
def box():
    made = shapes.Box()
    made.size = 3LABEL
    return made
"""

CONTEXTS = {
    "a function of the project": ("from stand_ins import stand_ins", "stand_ins()", False),
    "a harmless function of the project": ("from harmless import beside", "beside('.')", True),
    "a harmless class of the project": ("from harmless import Timed", "Timed()", True),
    "a class of the project with a base that nobody knows": ("from harmless import Guarded", "Guarded()", False),
    "a library that nobody knows": ("from configurator import lazily", "lazily()", False),
    "the standard library": ("import warnings", "warnings.catch_warnings()", True),
    "a library that is known for it": ("from etils import epy", "epy.lazy_imports()", True),
    "JAX": ("from jax import numpy", "jax.disable_jit()", True),
    "a lock": ("import threading\nLOCK = threading.Lock()", "LOCK", True),
    "several": ("import warnings, stand_ins as s", "warnings.catch_warnings(), s.stand_ins()", False),
}


@pytest.mark.parametrize("how", CONTEXTS)
def test_imports_under_a_context_manager(tmp_path: Path, how: str) -> None:
    first, context, real = CONTEXTS[how]
    program = f"import jax\n{first}\n\nwith {context}:\n    import shapes\n\n" + BOX.replace(
        "LABEL", "  # expect: JIT508" if real else ""
    )
    files = {"main.py": program, "stand_ins.py": STAND_INS, "harmless.py": HARMLESS, "shapes.py": SHAPES}
    check(tmp_path, files)


def test_what_a_context_manager_holds_runs_with_its_imports(tmp_path: Path) -> None:
    program = """\
        import jax
        from configurator import lazily

        import shapes

        def inner():
            import shapes
            shapes.Box().size = 3  # expect: JIT508

        with lazily():
            if __debug__:
                import shapes as others
            inner()

        def box():
            shapes.Box().size = 3  # expect: JIT508
            others.Box().size = 3
        """
    check(tmp_path, {"main.py": program, "shapes.py": SHAPES})


@pytest.mark.parametrize(("returned", "codes"), [("state * 2", ["JIT104"]), ("state.shape", [])])
def test_a_lone_script_is_followed_into_the_package_beside_it(tmp_path: Path, returned: str, codes: list[str]) -> None:
    files = {
        "train.py": """
            import jax
            from envs import Cart

            cart = Cart()

            @jax.jit
            def step(state):
                return 1 if cart.move(state) else 2
        """,
        "envs/__init__.py": "from envs.cart import Cart\n",
        "envs/cart.py": f"class Cart:\n    def move(self, state):\n        return {returned}\n",
    }
    script = write(tmp_path, files)[0]
    assert [finding.code for finding in findings([script])] == codes
