"""Clients that misbehave or die, processes that are lost, settings that are broken."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.lsp.editor import PATIENCE, Editor

BRANCH = "import jax\n\n\n@jax.jit\ndef step(x):\n    if x > 0:\n        return x\n    return -x\n"


def ended(processes: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    return not alive


def test_shutdown_leaves_no_process(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        uri = editor.open(tmp_path / "step.py", BRANCH)
        assert editor.codes(uri) == [(6, "JIT101")]
        processes = [editor.process, *editor.process.children(recursive=True)]
        assert len(processes) == 2
    assert ended(processes)


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_client_that_dies_or_a_server_that_is_killed_leaves_no_process(tmp_path: Path, is_killed: bool) -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "jitlint", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path
    )
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(message("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, number=1))
    server.stdin.write(message("initialized", {}))
    server.stdin.flush()
    parent = psutil.Process(server.pid)
    end = time.monotonic() + PATIENCE
    while not parent.children() and time.monotonic() < end:
        time.sleep(0.01)
    processes = [parent, *parent.children(recursive=True)]
    assert len(processes) == 2
    if is_killed:
        server.kill()
    server.stdin.close()
    server.stdout.close()
    server.wait(PATIENCE)
    assert ended(processes)


def message(method: str, params: object, number: int | None = None) -> bytes:
    content = {"jsonrpc": "2.0", "method": method, "params": params, **({} if number is None else {"id": number})}
    data = json.dumps(content).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


def test_nonsense_is_passed_over(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        assert editor.client._server is not None
        stream = editor.client._server.stdin
        assert stream is not None
        stream.write(b"Content-Length: 9\r\n\r\nnot JSON!")
        stream.write(message("textDocument/didOpen", {"textDocument": 7}))
        stream.write(
            message(
                "textDocument/didChange",
                {"textDocument": {"uri": "file:///no", "version": 1}, "contentChanges": [{"text": ""}]},
            )
        )
        stream.write(message("no/such", {}))
        for uri in ("", "no-uri", "git:/a.py", "file:", "http://host/a.py"):
            editor.open(uri, BRANCH)
        uri = editor.open(tmp_path / "step.py", BRANCH)
        assert editor.codes(uri) == [(6, "JIT101")]
        assert editor.hover("file:///never/opened.py", 0, 0) == ""
        assert (
            editor.command("jitlint.verify", {"textDocument": {"uri": "x"}, "position": {"line": 0, "character": 0}})
            == {}
        )
        editor.wait(lambda: editor.shown == ["jitlint: x is not open; open it to verify it"])


def test_a_process_that_is_lost_is_replaced_and_that_is_said_once(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        uri = editor.open(tmp_path / "step.py", BRANCH)
        assert editor.codes(uri) == [(6, "JIT101")]
        for _ in range(2):
            (process,) = editor.process.children()
            process.suspend()
            editor.type(uri, "\n" + BRANCH)
            time.sleep(0.5)  # by then it has been asked
            process.kill()
            editor.wait(lambda: bool(editor.shown))
            editor.type(uri, BRANCH)
            assert editor.codes(uri) == [(6, "JIT101")]
        assert editor.shown == ["jitlint's analysis ended unexpectedly; it starts again with the next change"]


def test_what_takes_long_is_shown(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        uri = editor.open(tmp_path / "step.py", BRANCH)
        assert editor.codes(uri) == [(6, "JIT101")]
        (process,) = editor.process.children()
        process.suspend()
        editor.type(uri, "\n" + BRANCH)
        editor.wait(lambda: bool(editor.progress))
        process.resume()
        assert editor.codes(uri) == [(7, "JIT101")]
        editor.wait(lambda: len(editor.progress) == 2)
        assert editor.shown == []


def test_an_answer_may_come_when_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        editor.hesitates = 1.0
        uri = editor.open(tmp_path / "step.py", BRANCH)
        assert editor.codes(uri) == [(6, "JIT101")]
        (process,) = editor.process.children()
        process.suspend()
        editor.type(uri, "\n" + BRANCH)
        editor.wait(lambda: hasattr(editor, "token"))
        process.resume()
        assert editor.codes(uri) == [(7, "JIT101")]
        end = time.monotonic() + 2.0
        editor.wait(lambda: time.monotonic() > end)
        assert (editor.logged, editor.shown) == ([], [])
        assert [each["kind"] for each in editor.progress] in ([], ["begin", "end"])  # the latter on a busy machine


def test_broken_settings_are_shown_once(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.jitlint]\nselekt = []\n")
    with Editor(tmp_path) as editor:
        uri = editor.open(tmp_path / "step.py", BRANCH)
        assert editor.codes(uri) == [(6, "JIT101")]
        editor.type(uri, "\n" + BRANCH)
        assert editor.codes(uri) == [(7, "JIT101")]
        (shown,) = editor.shown
        assert "pyproject.toml: JIT003 unknown key `selekt`" in shown


def test_without_the_library_the_command_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError(name='pygls')\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from jitlint.__main__ import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", code, "lsp"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2
    assert "pygls is missing; install jitlint[lsp]" in done.stderr
