"""Of a module's top level only what the probes need runs; what only acts is left out, here and in what it imports."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind, Root
from jitlint.findings.finding import Verdict
from jitlint.project.modules import name_of
from jitlint.source.text import SourceFile
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions
from jitlint.verify.worker.user_code.slices import Slicer, Wanted, callers


def kept(text: str, *names: str, **more: frozenset[str]) -> str:
    """The text that is left of a module when some names are needed."""
    needed = Slicer(ast.parse(text), 0).needed(Wanted(frozenset(names), **more))
    return ast.unparse(ast.Module(needed, []))


def same(left: str, right: str) -> bool:
    return left == ast.unparse(ast.parse(right))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a = 1\nb = a\nc = 2\ndef f(): return b\nprint(f())", "a = 1\nb = a\ndef f(): return b"),
        ("a = 1\na += 1\ndel a\na = 3\ndef f(): return a", "a = 1\na += 1\ndel a\na = 3\ndef f(): return a"),
        ("d = make()\n@d\ndef f(): pass", "d = make()\n@d\ndef f(): pass"),
        ("N = 1\ndef f(x=N): pass", "N = 1\ndef f(x=N): pass"),
        ("T = int\ndef f(x: T): pass", "T = int\ndef f(x: T): pass"),
        ("T = int\ndef f(x: 'list[T]'): pass", "T = int\ndef f(x: 'list[T]'): pass"),
        ("B = object\nclass C(B): pass\ndef f(): return C", "B = object\nclass C(B): pass\ndef f(): return C"),
        (
            "def g(): return h()\ndef h(): return 1\ndef f(): return g()",
            "def g(): return h()\ndef h(): return 1\ndef f(): return g()",
        ),
        ("a, (b, *c) = load()\ndef f(): return c", "a, (b, *c) = load()\ndef f(): return c"),
        ("if (n := g()) > 1:\n    print(n)\ndef f(): return n", "if (n := g()) > 1:\n    pass\ndef f(): return n"),
        ("x = 1\ndef f():\n    x = 2\n    return x", "def f():\n    x = 2\n    return x"),
    ],
)
def test_what_a_name_needs(text: str, left: str) -> None:
    assert same(kept(text, "f"), left)


@pytest.mark.parametrize(
    "change",
    [
        "t.append(1)",
        "t[0] = 1",
        "t.size = 1",
        "del t[0]",
        "t[0] += 1",
        "setattr(t, 'a', 1)",
        "first = next(t)",
        "first = t.pop()",
        "other = t\nother.append(1)",
        "box = [t]\nbox[0].append(1)",
        "holder = Holder(t)\nholder.fill()",
        "from lib import fill\nfill(t)",
        "import lib\nlib.register(t)",
        "t.register('a')(1)",
        "def fill(x):\n    x.append(1)\nvalue = fill(t)",
        "def fill():\n    t.append(1)\nfill()",
        "def fill():\n    global t\n    t = 1\nfill()",
        "def fill():\n    t.append(1)\ndef outer():\n    fill()\nvalue = outer()",
        "def add(value):\n    def wrap(g):\n        t[value] = g\n    return wrap\n@add('x')\ndef g(): pass",
        "for i in range(3):\n    t.append(i)",
        "with lock() as held:\n    t.append(held)",
        "try:\n    t.append(1)\nexcept ValueError:\n    pass",
        "if ready():\n    t.append(1)",
        "import jax\njax.tree_util.register_pytree_node(t, None, None)",
    ],
)
def test_what_may_change_a_needed_object_is_kept(change: str) -> None:
    text = f"t = make()\n{change}\ndef f(): return t"
    assert same(kept(text, "f"), text)


@pytest.mark.parametrize(
    "act",
    [
        "print(t)",
        "u.append(1)",
        "train(1)",
        "len(t)",
        "assert t",
        "u = t",
        "other = compute(t)",
        "for i in range(9):\n    print(i)",
        "while True:\n    u = step(t)",
        "with timer():\n    train()",
        "try:\n    train()\nexcept KeyboardInterrupt:\n    pass",
        "import jax\njax.block_until_ready(t)",
        "def fill(t):\n    u[0] = t\nfill(1)",
        "import unused\ny = unused.load()",
        "u.x = 1",
    ],
)
def test_what_only_acts_is_left_out(act: str) -> None:
    left = kept(f"u = make()\nt = make()\n{act}\ndef f(): return t", "f")
    assert same(left, "t = make()\ndef f(): return t") or "def fill" in act


@pytest.mark.parametrize(
    "configuration",
    [
        "import jax\njax.config.update('jax_enable_x64', True)",
        "import jax\njax.config.x64 = True",
        "from jax import config\nconfig.update('jax_enable_x64', True)",
        "import os\nos.environ['A'] = '1'",
        "import os\nos.environ.setdefault('A', '1')",
        "import sys\nsys.path.append('x')",
        "import sys\nsys.path[:0] = ['x']",
        "import warnings\nwarnings.filterwarnings('ignore')",
        "import matplotlib\nmatplotlib.use('Agg')",
        "import numpyro\nnumpyro.set_host_device_count(4)",
        "import numpy as np\nnp.random.seed(0)",
        "import lib.plugins",
        "import lib\nif lib.old:\n    lib.call = patched",
    ],
)
def test_configuration_is_kept(configuration: str) -> None:
    assert same(kept(f"{configuration}\ndef f(): pass", "f"), f"{configuration}\ndef f(): pass")


def test_calls_of_a_needed_function_that_keeps_its_results_are_kept() -> None:
    text = "from functools import lru_cache\n@lru_cache\ndef g(n): return n\ng(4)\ndef f(): return g(4)"
    assert same(kept(text, "f"), text)


def test_loops_keep_what_is_needed_and_how_they_end() -> None:
    text = """
rate = 1.0
for epoch in range(9):
    rate = rate / 2
    loss = train(rate)
    if rate < 0.1:
        print("small")
        break
    print(loss)
def f(): return rate
"""
    assert same(
        kept(text, "f"),
        """
rate = 1.0
for epoch in range(9):
    rate = rate / 2
    if rate < 0.1:
        break
def f(): return rate
""",
    )


def test_lines_stay_where_they_are() -> None:
    text = "print()\n\n\ndef f():\n    return 1\nif 1:\n    print()\n    a = f()\n"
    function, branch = Slicer(ast.parse(text), 0).needed(Wanted(frozenset(("a",))))
    assert (function.lineno, branch.lineno, branch.body[0].lineno) == (4, 6, 8)  # type: ignore[attr-defined]


def test_calls_that_reach_a_function_are_evidence_where_that_is_wanted() -> None:
    text = "def f(): pass\ndef g(): f()\nstep = jit(f)\nstep(1)\ng()\nfor i in x:\n    print(i)\n    step(i)\nother()"
    left = kept(text, "f", reached=frozenset("f"))
    assert same(left, text.replace("\nother()", "").replace("    print(i)\n", ""))


def test_loops_that_bind_again_are_not_run_for_arguments() -> None:
    text = (
        "def f(x): pass\np = init()\nt = []\nfor i in range(9):\n    p = f(p)\nfor i in x:\n    q = i\n    t.append(q)"
    )
    assert same(kept(text, arguments=frozenset("p")), "def f(x): pass\np = init()")
    assert same(kept(text, arguments=frozenset("t")), "def f(x): pass\nt = []\nfor i in x:\n    q = i\n    t.append(q)")


def test_classes_that_are_asked_for_members_are_needed() -> None:
    text = "W = 3\nclass Net:\n    def call(self): return W\nclass Other:\n    def go(self): return missing\n"
    assert same(kept(text + "def f(net): return net.call()", "f"), text + "def f(net): return net.call()")


def test_callers_are_found_through_what_is_made_of_functions() -> None:
    text = "def f(): pass\ng = jit(vmap(f))\ndef h(): g()\nclass C:\n    def m(self): h()\nx = f()\ndef k(): x"
    assert callers(ast.parse(text), {"f"}) == {"g", "h", "C", "m"}


@pytest.mark.parametrize(
    "text",
    [
        "globals()['a'] = 1",
        "exec('a = 1')",
        "from lib import *",
        "vars()['a'] = 1",
        "a = eval('b')",
        "import sys\nsetattr(sys.modules[__name__], 'a', 1)",
        "def __getattr__(name): return 1",
    ],
)
def test_names_made_in_other_ways_are_seen_to_be_so(text: str) -> None:
    assert Slicer(ast.parse(text), 0).is_dynamic()
    assert not Slicer(ast.parse("def f(model): return model.eval()"), 0).is_dynamic()


BRANCH = "import jax\nimport jax.numpy as jnp\n\n@jax.jit\ndef f(x):\n    return 1 if x > 0 else 2\n"


def verdict(file: SourceFile, **options: object) -> Verdict:
    found = finding(file, EventKind.BOOL, "ternary", "x > 0", entry="jax.jit", function="f", root="f")
    (seen,) = verify([found], [file], VerifyOptions(**options))  # type: ignore[arg-type]
    assert seen.verdict is not None
    return seen.verdict


def test_a_script_that_trains_without_end_is_not_run(tmp_path: Path) -> None:
    file = source(tmp_path / "train.py", BRANCH + "\nx = jnp.ones(())\nwhile True:\n    x = f(x)\n")
    seen = verdict(file)
    assert seen.status == "confirmed" and seen.evidence["where"].startswith("tracing f("), seen


def test_all_is_run_where_that_is_asked_for(tmp_path: Path) -> None:
    file = source(tmp_path / "mod.py", BRANCH + "\nf(jnp.ones(()))\n")
    assert verdict(file).evidence["where"].startswith("tracing f(")
    assert verdict(file, full_import=True).evidence["where"] == "the module's line 8"


def test_dynamic_modules_are_run_whole(tmp_path: Path) -> None:
    file = source(
        tmp_path / "mod.py", BRANCH.replace("x > 0", "x > zero") + "\nglobals()['zero'] = 0\nf(jnp.ones(()))\n"
    )
    (seen,) = verify(
        [finding(file, EventKind.BOOL, "ternary", "x > zero", function="f", root="f")], [file], VerifyOptions()
    )
    assert seen.verdict and seen.verdict.evidence["where"] == "the module's line 9"


def test_what_a_slice_fails_to_define_a_full_import_may(tmp_path: Path) -> None:
    """The change comes from where the text does not show it."""
    (tmp_path / "registry.py").write_text("ALL = {}\ndef fill():\n    ALL['jit'] = __import__('jax').jit\n")
    text = "from registry import ALL, fill\n\nfill()\n\n@ALL['jit']\ndef f(x):\n    return 1 if x > 0 else 2\n"
    file = source(tmp_path / "mod.py", text)
    made = finding(file, EventKind.BOOL, "ternary", "x > 0", function="f", root="f")
    (seen,) = verify([made], [file], VerifyOptions())
    assert seen.verdict and seen.verdict.status == "confirmed", seen.verdict


def test_modules_of_the_project_define_and_do_not_act(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("SCALE = []\nSCALE.append(2.0)\nwhile True:\n    pass\n")
    text = BRANCH.replace("import jax.numpy as jnp", "from data import SCALE").replace("x > 0", "x > SCALE[0]")
    file = source(tmp_path / "mod.py", text)
    made = finding(file, EventKind.BOOL, "ternary", "x > SCALE[0]", function="f", root="f")
    (seen,) = verify([made], [file], VerifyOptions())
    assert seen.verdict and seen.verdict.status == "confirmed", seen.verdict


def test_others_get_from_a_module_what_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("from mod import LIMIT\n\ndef limit():\n    return LIMIT\n")
    text = BRANCH.replace("\n@", "LIMIT = 3\nfrom helper import limit\n\n@").replace("x > 0", "x > limit()")
    file = source(tmp_path / "mod.py", text)
    made = finding(file, EventKind.BOOL, "ternary", "x > limit()", function="f", root="f")
    (seen,) = verify([made], [file], VerifyOptions())
    assert seen.verdict and seen.verdict.status == "confirmed", seen.verdict


def test_a_missing_package_matters_only_where_it_is_needed(tmp_path: Path) -> None:
    unrelated = source(
        tmp_path / "mod.py", "import no_such_package\n" + BRANCH + "\ndef g():\n    no_such_package.go()\n"
    )
    assert verdict(unrelated).status == "confirmed"
    for needed in (BRANCH.replace("x > 0", "no_such.sign(x) > 0"), BRANCH.replace("@jax", "@no_such.wrap\n@jax")):
        file = source(tmp_path / "mod.py", "import no_such.deep as no_such\n" + needed)
        at = "no_such.sign(x) > 0" if "sign" in needed else "x > 0"
        (seen,) = verify(
            [finding(file, EventKind.BOOL, "ternary", at, function="f", root="f")], [file], VerifyOptions()
        )
        assert seen.verdict and seen.verdict.evidence["reason"] == "missing-package", seen.verdict
        assert "`no_such`" in seen.verdict.reason and "pip install" in seen.verdict.reason


LAYOUTS = {
    "a package whose own file fails": {
        "pkg/__init__.py": "import no_such_package\n",
        "pkg/tools.py": "ZERO = 0\n",
        "pkg/mod.py": "from .tools import ZERO\n",
    },
    "src": {
        "src/pkg/__init__.py": "",
        "src/pkg/tools.py": "ZERO = 0\n",
        "src/pkg/mod.py": "from pkg.tools import ZERO\n",
    },
    "a namespace package": {"pkg/tools.py": "ZERO = 0\n", "pkg/mod.py": "from .tools import ZERO\n"},
    "a folder of a package without a file of its own": {
        "pkg/__init__.py": "",
        "pkg/tools.py": "ZERO = 0\n",
        "pkg/inner/mod.py": "from ..tools import ZERO\n",
    },
    "a package that is run": {
        "pkg/__init__.py": "",
        "pkg/tools.py": "ZERO = 0\n",
        "pkg/__main__.py": "from .tools import ZERO\n",
    },
    "names for type checkers": {
        "mod.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import no_such\nZERO: 'no_such.Zero' = 0\n"
    },
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_modules_are_found_in_every_layout(tmp_path: Path, name: str) -> None:
    for path, text in LAYOUTS[name].items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    path = tmp_path / list(LAYOUTS[name])[-1]
    file = source(path, path.read_text() + BRANCH.replace("x > 0", "x > ZERO"))
    made = finding(file, EventKind.BOOL, "ternary", "x > ZERO", function="f")
    module, _ = name_of(path)
    made = replace(made, event=replace(made.event, symbol=f"{module}.f", root=Root(file.display, module, "f")))
    (seen,) = verify([made], [file], VerifyOptions())
    assert seen.verdict and seen.verdict.status == "confirmed", seen.verdict
