"""Code actions: what they offer, and that it does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.editor import Editor

LEAVE_OUT = "Leave out JIT101 here, with a reason"
STEP = """\
import jax


@jax.jit
def step(x, n):
    if n > 2:
        return x
    return x * n


step(1.0, 3)
"""


def static(editor: Editor, uri: str, line: int) -> list[str]:
    return [title for title in editor.actions(uri, line) if title.startswith("Make")]


@pytest.mark.parametrize(
    ("condition", "comment"),
    [
        ("if n > 2:", "if n > 2:  # jitlint: ignore[JIT101] TODO: why"),
        ("if n > 2:  # noqa: E501", "if n > 2:  # noqa: E501  # jitlint: ignore[JIT101] TODO: why"),
        ("if n > 2:  # jitlint: ignore[JIT2] yes", "if n > 2:  # jitlint: ignore[JIT2, JIT101] yes"),
        ('if n > len("""a\n b"""):', 'if n > len("""a\n b"""):  # jitlint: ignore[JIT101] TODO: why'),
        ("if n > \\\n 2:", "if n > \\\n 2:  # jitlint: ignore[JIT101] TODO: why"),
    ],
)
def test_a_comment_leaves_a_finding_out(editor: Editor, tmp_path: Path, condition: str, comment: str) -> None:
    text = STEP.replace("if n > 2:", condition)
    uri = editor.open(tmp_path / "step.py", text)
    assert editor.codes(uri) == [(6, "JIT101")]
    assert editor.apply(editor.actions(uri, 5)[LEAVE_OUT]) == STEP.replace("if n > 2:", comment)
    assert editor.codes(uri) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import jax\n\n\n@jax.jit\n",
            'import jax\nfrom functools import partial\n\n\n@partial(jax.jit, static_argnames="n")\n',
        ),
        (
            "import functools\nimport jax\n\n\n@jax.jit\n",
            'import functools\nimport jax\n\n\n@functools.partial(jax.jit, static_argnames="n")\n',
        ),
        (
            "from functools import partial as p\nimport jax\n\n\n@p(jax.jit, inline=True)\n",
            'from functools import partial as p\nimport jax\n\n\n@p(jax.jit, inline=True, static_argnames="n")\n',
        ),
        (
            'from functools import partial\nimport jax\n\n\n@partial(jax.jit, static_argnames="m")\n',
            'from functools import partial\nimport jax\n\n\n@partial(jax.jit, static_argnames=("m", "n"))\n',
        ),
        (
            'from functools import partial\nimport jax\n\n\n@partial(jax.jit, static_argnames=["m"])\n',
            'from functools import partial\nimport jax\n\n\n@partial(jax.jit, static_argnames=["m", "n"])\n',
        ),
    ],
)
def test_an_argument_is_made_static(editor: Editor, tmp_path: Path, before: str, after: str) -> None:
    text = STEP.replace("import jax\n\n\n@jax.jit\n", before).replace("(x, n)", "(x, n, m=1)")
    uri = editor.open(tmp_path / "step.py", text)
    ((line, _),) = editor.codes(uri)
    (title,) = static(editor, uri, line - 1)
    assert title == "Make argument 'n' of 'step' static: each of its values compiles anew"
    assert editor.apply(editor.actions(uri, line - 1)[title]) == text.replace(before, after)
    assert editor.codes(uri) == []


def test_an_argument_is_made_static_where_jit_is_called(editor: Editor, tmp_path: Path) -> None:
    text = STEP.replace("@jax.jit\n", "").replace("step(1.0, 3)", "fast = jax.jit(step)\nfast(1.0, 3)")
    uri = editor.open(tmp_path / "step.py", text)
    assert editor.codes(uri) == [(5, "JIT101")]
    (title,) = static(editor, uri, 4)
    edited = editor.apply(editor.actions(uri, 4)[title])
    assert edited == text.replace("jax.jit(step)", 'jax.jit(step, static_argnames="n")')
    assert editor.codes(uri) == []


def test_the_edit_is_made_in_the_file_where_jit_is_applied(editor: Editor, project: Path) -> None:
    (project / "pkg" / "train.py").write_text(
        "import jax\nfrom pkg.helper import clip\n\nfast = jax.jit(clip)\nfast(2)\n"
    )
    uri = editor.open(project / "pkg" / "helper.py")
    assert editor.codes(uri) == [(2, "JIT101")]
    assert static(editor, uri, 1) == []  # the call does not show what `clip` takes


@pytest.mark.parametrize(
    "change",
    [
        ("step(1.0, 3)", "import jax.numpy as jnp\nstep(1.0, jnp.ones(3))"),  # an array cannot be static
        ("@jax.jit", "@partial(jax.jit, in_shardings=None)"),
        ("@jax.jit", "@partial(jax.jit, donate_argnums=1)"),
        ("@jax.jit", "@partial(jax.jit, **options)"),
        ("@jax.jit", "@partial(jax.jit, static_argnames=names)"),
    ],
)
def test_no_edit_is_offered_that_is_not_sure_to_be_right(
    editor: Editor, tmp_path: Path, change: tuple[str, str]
) -> None:
    text = "from functools import partial\nnames = ('x',)\noptions = {}\n" + STEP.replace(*change)
    uri = editor.open(tmp_path / "step.py", text)
    assert (9, "JIT101") in editor.codes(uri)
    assert static(editor, uri, 8) == []
    assert LEAVE_OUT in editor.actions(uri, 8)


def test_the_fixes_of_a_finding_are_offered_and_what_keeps_the_meaning_is_preferred(
    editor: Editor, tmp_path: Path
) -> None:
    uri = editor.open(tmp_path / "step.py", STEP)
    editor.diagnostics(uri)
    offered = editor.actions(uri, 5)
    title = "Select with jnp.where, which computes both sides"
    assert [name for name, action in offered.items() if getattr(action, "is_preferred", None)] == [title]
    assert editor.apply(offered[title]) == (
        "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef step(x, n):\n"
        "    return jnp.where(n > 2, x, x * n)\n\n\nstep(1.0, 3)\n"
    )
    assert editor.codes(uri) == []


def test_all_of_a_document_is_fixed_at_once(editor: Editor, tmp_path: Path) -> None:
    text = STEP.replace("return x * n", "return x if x > n else n")
    uri = editor.open(tmp_path / "step.py", text)
    assert editor.codes(uri) == [(6, "JIT101"), (8, "JIT104")]
    (action,) = editor.actions(uri, 0, only=["source.fixAll.jitlint"]).values()
    assert "return jnp.where(n > 2, x, jnp.where(x > n, x, n))" in editor.apply(action)
    assert editor.codes(uri) == []
    assert editor.actions(uri, 0, only=["source.fixAll"]) == {}


def test_windows_newlines_stay(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "step.py", STEP.replace("\n", "\r\n"))
    editor.diagnostics(uri)
    (title,) = static(editor, uri, 5)
    action = editor.actions(uri, 5)[title]
    assert action.edit is not None and action.edit.changes is not None
    assert all(edit.new_text.endswith("\r\n") for edit in action.edit.changes[uri])


def test_nothing_is_offered_where_nothing_was_found(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "step.py", STEP)
    assert editor.codes(uri) == [(6, "JIT101")]
    assert editor.actions(uri, 0) == {}


def test_a_comment_that_leaves_nothing_out_can_be_removed(editor: Editor, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.jitlint]\nextend-select = ["JIT002"]\n')
    uri = editor.open(project / "pkg" / "idle.py", "import jax\nä = 'äöü'  # jitlint: ignore[JIT101] no more\n")
    assert editor.codes(uri) == [(2, "JIT002")]
    assert editor.apply(editor.actions(uri, 1)["Remove the comment"]) == "import jax\nä = 'äöü'\n"
    assert editor.codes(uri) == []
