"""An editor as the language server sees it: a client library on the real program's standard input and output."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import psutil
from lsprotocol import types
from pygls import uris
from pygls.lsp.client import LanguageClient

PATIENCE = 60.0
"""Seconds until a test gives up."""

_T = TypeVar("_T")

CAPABILITIES = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True)
    ),
    window=types.WindowClientCapabilities(work_done_progress=True),
)


class Editor:
    """A started server and what it has sent. Its own event loop runs while something is waited for."""

    def __init__(
        self,
        folder: Path,
        capabilities: types.ClientCapabilities = CAPABILITIES,
        options: object = None,
        program: Sequence[str] = (sys.executable, "-m", "jitlint"),
    ) -> None:
        self.client = LanguageClient("editor", "1")
        self.shown: list[str] = []
        self.logged: list[str] = []
        self.progress: list[Any] = []
        self.settings: object = None
        self.hesitates = 0.0
        """Seconds until the server's request to show progress is answered."""
        self._versions: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        self._published: dict[str, types.PublishDiagnosticsParams] = {}
        self._runner = asyncio.Runner()
        self._folder = folder
        self._program = program
        self._capabilities = capabilities
        self._options = options
        self._listen()

    def __enter__(self) -> Editor:
        self.run(self.client.start_io(*self._program, "lsp", cwd=str(self._folder)))
        assert self.client._server is not None
        self.process = psutil.Process(self.client._server.pid)
        asked = types.InitializeParams(
            self._capabilities, root_uri=uris.from_fs_path(str(self._folder)), initialization_options=self._options
        )
        self.initialized = self.run(self.client.initialize_async(asked))
        self.client.initialized(types.InitializedParams())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.process.is_running():
            self.run(self.client.shutdown_async(None))
            self.client.exit(None)
            self.run(self.client.stop())
        self._runner.close()

    # --- what the user does -------------------------------------------------------------------------------------------

    def open(self, path: Path | str, text: str | None = None) -> str:
        """Shows a file, or a document that has only a URI; gives the URI."""
        uri = path if isinstance(path, str) else uris.from_fs_path(str(path)) or ""
        shown = text if text is not None else Path(path).read_text("utf-8")
        self._texts[uri], self._versions[uri] = shown, 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, types.LanguageKind.Python, 1, shown))
        )
        return uri

    def type(self, uri: str, text: str) -> None:
        """Changes a document's whole text."""
        self._texts[uri] = text
        self._versions[uri] += 1
        change = types.TextDocumentContentChangeWholeDocument(text)
        document = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def save(self, uri: str) -> None:
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def hover(self, uri: str, line: int, column: int) -> str:
        """What is said of a place (from 0), "" if nothing is."""
        at = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, column))
        found = self.run(self.client.text_document_hover_async(at))
        assert found is None or isinstance(found.contents, types.MarkupContent)
        return found.contents.value if found is not None else ""

    def hints(self, uri: str) -> list[tuple[int, int, str]]:
        """Line, column (from 0) and label of the inlay hints."""
        everywhere = types.Range(types.Position(0, 0), types.Position(10_000, 0))
        asked = types.InlayHintParams(types.TextDocumentIdentifier(uri), everywhere)
        found = self.run(self.client.text_document_inlay_hint_async(asked))
        return [(each.position.line, each.position.character, str(each.label)) for each in found or ()]

    def lenses(self, uri: str) -> list[tuple[int, types.Command]]:
        """Line (from 0) and command of the code lenses."""
        found = self.run(
            self.client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
        )
        return [(each.range.start.line, each.command) for each in found or () if each.command is not None]

    def stages(self, uri: str, text: str | None = None) -> list[tuple[int, int, str, str]]:
        """Line and column (from 0), text and stage of the names that an editor colours; of a cell with this text."""
        asked = types.SemanticTokensParams(types.TextDocumentIdentifier(uri))
        found = self.run(self.client.text_document_semantic_tokens_full_async(asked))
        lines = (self._texts[uri] if text is None else text).split("\n")
        shown, line, column = [], 0, 0
        for at in range(0, len(found.data) if found else 0, 5):
            down, along, length, _, modifiers = found.data[at : at + 5]
            line, column = line + down, along if down else column + along
            shown.append((line, column, lines[line][column : column + length], {1: "static", 2: "traced"}[modifiers]))
        return shown

    def actions(self, uri: str, line: int, only: list[Any] | None = None) -> dict[str, Any]:
        """What is offered on a line (from 0), by title; with `only`, of these kinds."""
        whole = types.Range(types.Position(line, 0), types.Position(line, 1_000))
        asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), whole, types.CodeActionContext([], only))
        found = self.run(self.client.text_document_code_action_async(asked))
        return {each.title: each for each in found or ()}

    def apply(self, action: types.CodeAction) -> str:
        """Does an action's edit of the one document that it has; gives the text."""
        assert action.edit is not None and action.edit.changes is not None
        ((uri, edits),) = action.edit.changes.items()
        lines = self._texts[uri].split("\n")
        for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            start, end = edit.range.start, edit.range.end
            assert isinstance(edit, types.TextEdit)
            last = lines[end.line][end.character :] if end.line < len(lines) else ""
            text = lines[start.line][: start.character] + edit.new_text + last
            lines[start.line : end.line + 1] = text.split("\n")
        self.type(uri, "\n".join(lines))
        return self._texts[uri]

    def command(self, name: str, *arguments: Any) -> Any:
        """Has the server do something; gives what it answers."""
        return self.run(self.ask(name, *arguments))

    async def ask(self, name: str, *arguments: Any) -> Any:
        """The same, for what goes on meanwhile."""
        return await self.client.workspace_execute_command_async(types.ExecuteCommandParams(name, list(arguments)))

    # --- what the user sees -------------------------------------------------------------------------------------------

    def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """Those of the document's text as it is now, once they are there."""
        self.wait(lambda: uri in self._published and self._published[uri].version == self._versions[uri])
        return list(self._published[uri].diagnostics)

    def codes(self, uri: str) -> list[tuple[int, str]]:
        """Line (from 1) and code of each diagnostic."""
        return [(each.range.start.line + 1, str(each.code)) for each in self.diagnostics(uri)]

    def published(self, uri: str) -> types.PublishDiagnosticsParams | None:
        """What was last published of a document."""
        return self._published.get(uri)

    def forget(self) -> None:
        """Only what comes from now on counts."""
        self._published.clear()

    def wait(self, condition: Callable[[], bool]) -> None:
        """Waits until something is so."""

        async def until() -> None:
            end = time.monotonic() + PATIENCE
            while not condition():
                assert time.monotonic() < end, f"waited in vain; shown: {self.shown}, logged: {self.logged}"
                await asyncio.sleep(0.01)

        self.run(until())

    def run(self, work: Coroutine[Any, Any, _T] | Any) -> _T:
        async def whole() -> _T:
            return await asyncio.wait_for(work, PATIENCE)

        return self._runner.run(whole())

    def _listen(self) -> None:
        client = self.client

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self._published[params.uri] = params

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        def shown(params: types.ShowMessageParams) -> None:
            self.shown.append(params.message)

        @client.feature(types.WINDOW_LOG_MESSAGE)
        def logged(params: types.LogMessageParams) -> None:
            self.logged.append(params.message)

        @client.feature(types.PROGRESS)
        def progressed(params: types.ProgressParams) -> None:
            self.progress.append(params.value)

        @client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
        async def created(params: types.WorkDoneProgressCreateParams) -> None:
            self.token = params.token
            await asyncio.sleep(self.hesitates)

        @client.feature(types.WORKSPACE_CONFIGURATION)
        def configured(params: types.ConfigurationParams) -> list[object]:
            return [self.settings for _ in params.items]

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def registered(params: types.RegistrationParams) -> None: ...

        @client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)
        def refreshed(*_: object) -> None:
            self.refreshed = True
