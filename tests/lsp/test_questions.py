"""Hovers and inlay hints: what is traced, and why."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from tests.lsp.editor import CAPABILITIES, Editor

MODEL = """\
import jax
import jax.numpy as jnp


def scale(x: jax.Array, by=2):
    return x * by


@jax.jit
def step(params, x):
    size = x.shape[0]
    return scale(x @ params["w"]), size


def plain(y):
    return scale(y)


step({"w": jnp.ones((3, 3))}, jnp.ones((4, 3)))
"""


def at(text: str, word: str, occurrence: int = 0) -> tuple[int, int]:
    """Line and column (from 0) in the middle of a word."""
    offset = -1
    for _ in range(occurrence + 1):
        offset = text.index(word, offset + 1)
    before = text[:offset].split("\n")
    return len(before) - 1, len(before[-1]) + len(word) // 2


def test_a_hover_says_stage_and_reason(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "model.py", MODEL)
    said = editor.hover(uri, *at(MODEL, "x.shape"))
    assert said == "```text\nx.shape\nStatic tuple (int, int)\n  under jax.jit of `step`, in pkg.model.step\n```"
    assert "\nTraced float[4,?] ← argument `x` of `step`\n" in editor.hover(uri, *at(MODEL, "x @"))
    assert "\nStatic dict {'w': Traced float[3,?]}\n" in editor.hover(uri, *at(MODEL, "params", 1))
    assert "size\nStatic int" in editor.hover(uri, *at(MODEL, "size"))


def test_a_hover_tells_contexts_apart(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "model.py", MODEL)
    said = editor.hover(uri, *at(MODEL, "x:"))
    assert said.split("\n")[1:-1] == [
        "x",
        "Traced float[?,?] ← argument `x` of `step`",
        "  under jax.jit of `step`, in pkg.model.scale",
        "Unknown: jitlint cannot tell, and is silent about it",
        "  not traced, in pkg.model.scale",
    ]


def test_there_is_no_hover_where_there_is_no_name(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "model.py", MODEL)
    assert editor.hover(uri, *at(MODEL, "return")) == ""
    assert editor.hover(uri, *at(MODEL, "Array")) == ""
    assert editor.hover(uri, 3, 0) == ""


def test_calls_from_other_files_count(editor: Editor, project: Path) -> None:
    helper = editor.open(project / "pkg" / "helper.py")
    assert "under jax.jit of `step`" in editor.hover(helper, 1, 8)
    train = editor.open(project / "pkg" / "train.py")
    editor.type(train, (project / "pkg" / "train.py").read_text().replace("@jax.jit\n", ""))
    assert "under jax.jit" not in editor.hover(helper, 1, 8)


def test_a_client_without_markdown_gets_plain_text(project: Path) -> None:
    hover = types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText])
    capabilities = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(hover=hover))
    with Editor(project, capabilities) as editor:
        uri = editor.open(project / "pkg" / "model.py", MODEL)
        assert editor.hover(uri, *at(MODEL, "size")).startswith("size\nStatic int\n")


def test_an_answer_is_of_the_newest_text(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "model.py", MODEL)
    for number in range(5):
        editor.type(uri, "\n" * number + MODEL)
    assert editor.hints(uri)[0] == (8, 10, "traced")


def test_hints_mark_what_is_traced(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "model.py", MODEL)
    assert editor.hints(uri) == [
        (4, 10, "traced"),
        (5, 11, "traced"),
        (9, 9, "traced"),
        (9, 17, "traced"),
        (11, 11, "traced"),
    ]


def test_hints_can_be_switched_off(project: Path) -> None:
    with Editor(project, options={"inlayHints": False}) as editor:
        uri = editor.open(project / "pkg" / "model.py", MODEL)
        assert editor.hints(uri) == []
        assert editor.shown == []


def test_settings_of_the_workspace_count(project: Path) -> None:
    workspace = types.WorkspaceClientCapabilities(
        configuration=True, inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True)
    )
    capabilities = types.ClientCapabilities(text_document=CAPABILITIES.text_document, workspace=workspace)
    with Editor(project, capabilities) as editor:
        uri = editor.open(project / "pkg" / "model.py", MODEL)
        assert editor.hints(uri)
        editor.settings = {"inlayHints": False, "inlayHint": True}
        editor.refreshed = False
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        editor.wait(lambda: editor.refreshed)
        assert editor.hints(uri) == []
        assert editor.shown == ["jitlint: there is no option `inlayHint`; did you mean `inlayHints`?"]
