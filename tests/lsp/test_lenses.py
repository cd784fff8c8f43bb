"""Code lenses and semantic tokens."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.lsp.editor import Editor
from tests.lsp.test_questions import MODEL, at

TWO = """\
import jax


@jax.jit
def step(x):
    if x > 0:
        return 1.0 if x > 2 else x
    return -x


class Model:
    def fine(self):
        return 1

    @jax.jit
    def bad(self):
        return bool(self)
"""


def test_a_lens_stands_above_functions_with_findings(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "two.py", TWO)
    first, second = editor.lenses(uri)
    assert (first[0], first[1].title) == (3, "Verify 2 findings with JAX")
    assert (second[0], second[1].title) == (14, "Verify 1 finding with JAX")
    editor.type(uri, TWO.replace("import jax\n", "import jax\n\n\n", 1))
    assert [line for line, _ in editor.lenses(uri)] == [5, 16]
    editor.type(uri, TWO.replace("def step(", "def step(("))
    assert editor.lenses(uri) == []


def test_a_lens_verifies_and_says_what_jax_said(project: Path) -> None:
    path = project / "pkg" / "two.py"
    path.write_text(TWO + "\n\nstep(1.0)\n")
    with Editor(project) as editor:
        uri = editor.open(path)
        (_, command), _ = editor.lenses(uri)
        assert editor.command(command.command, *(command.arguments or ())) == {"confirmed": 2}
        assert editor.lenses(uri)[0][1].title == "JAX says: 2 confirmed"
        assert editor.shown == ["jitlint: JAX says: 2 confirmed"]


def test_a_lens_says_how_often_a_recorded_function_was_compiled(project: Path) -> None:
    text = TWO.replace("    return -x\n", "    return -x\n\n\n@jax.jit\ndef sized(x):\n    return x + 1\n")
    (project / "pkg" / "two.py").write_text(text)
    (project / "test_two.py").write_text(
        "import jax.numpy as jnp\nfrom pkg.two import sized\n\n\ndef test():\n"
        "    for size in (2, 3, 4):\n        sized(jnp.ones(size))\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "--jitlint-record", "-p", "no:cacheprovider"]
    subprocess.run(command, cwd=project, check=True, env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": "."})
    with Editor(project) as editor:
        uri = editor.open(project / "pkg" / "two.py")
        titles = {line: command.title for line, command in editor.lenses(uri)}
        assert titles[text.split("\n").index("def sized(x):") - 1] == "compiled 3 times when recorded"
        assert len(titles) == 3


def test_names_are_coloured_by_stage(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "model.py", MODEL)
    stages = {(line, column): (word, stage) for line, column, word, stage in editor.stages(uri)}
    line, _ = at(MODEL, "size = ")
    assert stages[line, 4] == ("size", "static") and stages[line, 11] == ("x", "traced")
    assert ("by", "static") in stages.values()
    assert stages[line + 1, 21] == ("params", "static")
    assert not [word for (row, _), (word, _) in stages.items() if row == at(MODEL, "scale(y)")[0]]


def test_places_count_in_the_units_of_the_editor(editor: Editor, project: Path) -> None:
    text = "import jax\n\n\n@jax.jit\ndef f(x):\n    return '\U0001f600' and x\n"
    uri = editor.open(project / "pkg" / "wide.py", text)
    assert (5, 20, "x", "traced") in [(row, column, text.split("\n")[row].replace("\U0001f600", "..")[column], stage)
                                     for row, column, _, stage in editor.stages(uri)]  # fmt: skip


def test_both_can_be_switched_off(project: Path) -> None:
    with Editor(project, options={"codeLens": False, "semanticTokens": False}) as editor:
        uri = editor.open(project / "pkg" / "two.py", TWO)
        assert editor.lenses(uri) == [] and editor.stages(uri) == []
