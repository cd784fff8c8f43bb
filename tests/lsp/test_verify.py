"""The command that verifies the function under the cursor."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.lsp.editor import Editor

pytestmark = pytest.mark.slow

TWO = """\
import jax


@jax.jit
def step(x):
    if x > 0:
        return x
    return -x


@jax.jit
def other(x):
    while x > 0:
        x = x - 1
    return x


step(1.0)
other(1.0)
"""


def verify(editor: Editor, uri: str, line: int) -> Any:
    return editor.command("jitlint.verify", {"textDocument": {"uri": uri}, "position": {"line": line, "character": 0}})


def test_the_function_under_the_cursor_is_verified(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    file.write_text(TWO)
    with Editor(tmp_path) as editor:
        uri = editor.open(file)
        assert editor.codes(uri) == [(6, "JIT101"), (13, "JIT102")]
        assert "Verify this function with JAX" in editor.actions(uri, 5)
        assert verify(editor, uri, 6) == {"confirmed": 1}
        editor.wait(lambda: bool(editor.shown))
        assert editor.shown == ["jitlint: JAX says: 1 confirmed"]
        first, second = editor.diagnostics(uri)
        assert "\nconfirmed by JAX on cpu: " in first.message
        assert "by JAX" not in second.message
        kinds = [type(each).__name__ if not isinstance(each, dict) else each["kind"] for each in editor.progress]
        assert (kinds[0], kinds[-1]) == ("begin", "end")
        editor.type(uri, TWO + "\n")
        first, _ = editor.diagnostics(uri)
        assert "by JAX" not in first.message  # it was said of another text
        editor.type(uri, TWO)
        editor.save(uri)
        first, _ = editor.diagnostics(uri)
        assert "confirmed by JAX" in first.message  # and this is the same again


def test_verifying_can_be_cancelled(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    text = TWO.replace("    if x", "    time.sleep(60)\n    if x").replace("import jax", "import time\nimport jax")
    file.write_text(text)
    with Editor(tmp_path) as editor:
        uri = editor.open(file)
        assert (8, "JIT101") in editor.codes(uri)

        async def cancelled() -> Any:
            at = {"textDocument": {"uri": uri}, "position": {"line": 7, "character": 0}}
            asked = asyncio.ensure_future(editor.ask("jitlint.verify", at))
            while not editor.progress:
                await asyncio.sleep(0.01)
            await asyncio.sleep(1)  # by then it runs
            editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(editor.token))
            return await asked

        before = editor.process.children(recursive=True)
        assert editor.run(cancelled()) == {}
        editor.wait(lambda: bool(editor.shown))
        assert editor.shown == ["jitlint: not verified: cancelled"]
        assert set(editor.process.children(recursive=True)) <= set(before)


def test_what_is_not_saved_is_not_verified(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    file.write_text(TWO.replace("x > 0", "x > 1"))
    with Editor(tmp_path) as editor:
        uri = editor.open(file, TWO)
        assert editor.codes(uri) == [(6, "JIT101"), (13, "JIT102")]
        assert verify(editor, uri, 5) == {}
        editor.wait(lambda: bool(editor.shown))
        assert editor.shown == [f"jitlint: not verified: save {file} first: JAX runs files as they are saved"]
