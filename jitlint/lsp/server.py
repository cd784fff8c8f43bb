"""The server: what the client says and asks, when documents are checked, and what is shown."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path, urlparse
from pygls.workspace import TextDocument

from jitlint import __version__
from jitlint.findings.finding import FileError, Finding
from jitlint.lsp import diagnostics, session
from jitlint.lsp.positions import Lines
from jitlint.lsp.process import FailedError, Process, ProcessLostError
from jitlint.lsp.session import Home, Report
from jitlint.source.text import SourceError, read_source

DEBOUNCE = 0.15
"""Seconds without a keystroke before documents are checked."""

CHECK_SECONDS = 120.0
"""What checking a project may take: what it has found by then is kept, and the next check goes on from there."""

_TO_SHOW = ("JIT000", "JIT003")
"""Errors that are shown, and not only logged: our own, and those in the settings."""

_P = ParamSpec("_P")
_T = TypeVar("_T")

_UNSAVED = os.path.abspath(f"{os.sep}untitled:")
"""The folder of documents that were never saved. There is none of this name."""


@dataclass(slots=True)
class Document:
    """An open document: its name for the client, its path, where it belongs, and what was found in which version."""

    uri: str
    path: str
    home: Home
    report: Report | None = None
    version: int | None = None


class Server(LanguageServer):
    """The language server. Its methods are called by the features that `features` registers."""

    def __init__(self) -> None:
        # With whole texts nothing depends on how a library cuts texts into lines.
        super().__init__("jitlint", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.process = Process()
        self.documents: dict[str, Document] = {}
        self._timers: dict[Home, asyncio.TimerHandle] = {}
        self._queued: set[Home] = set()
        self._checking = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._said: set[str] = set()

    # --- documents ----------------------------------------------------------------------------------------------------

    def opened(self, item: types.TextDocumentItem) -> None:
        """The client shows a document: from now on its own text counts."""
        path = _path(item.uri)
        if path is not None and (item.language_id == "python" or path.endswith(".py")):
            home = Home(_UNSAVED, False) if path.startswith(_UNSAVED) else Home.of(path)
            self.documents[item.uri] = Document(item.uri, path, home)
            self.check_soon(home, 0)

    def changed(self, uri: str) -> None:
        """A document has another text."""
        if document := self.documents.get(uri):
            self.check_soon(document.home, DEBOUNCE)

    def closed(self, uri: str) -> None:
        """The client shows a document no more: what was saved counts."""
        if document := self.documents.pop(uri, None):
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
            self.check_soon(document.home, 0)

    def lines(self, path: str) -> Lines:
        """The lines of a file, as the client shows it or as it was saved; none if there is no such file."""
        encoding = self.workspace.position_encoding
        shown = next((document for document in self.documents.values() if document.path == path), None)
        if shown is not None:
            return Lines(self.text(shown), encoding)
        try:
            return Lines(read_source(Path(path), path).text, encoding)
        except SourceError:
            return Lines("", encoding)

    def text(self, document: Document) -> str:
        """What the client shows."""
        return self._shown(document).source

    def _shown(self, document: Document) -> TextDocument:
        return self.workspace.get_text_document(document.uri)

    # --- checking -----------------------------------------------------------------------------------------------------

    def check_soon(self, home: Home, seconds: float) -> None:
        """Has a project's open documents checked after some time without another reason to."""
        if timer := self._timers.pop(home, None):
            timer.cancel()
        self._timers[home] = asyncio.get_running_loop().call_later(seconds, self._begin, home)

    def check_all(self) -> None:
        """Has all open documents checked."""
        for home in {document.home for document in self.documents.values()}:
            self.check_soon(home, DEBOUNCE)

    def _begin(self, home: Home) -> None:
        self._timers.pop(home, None)
        if home not in self._queued:
            self._queued.add(home)
            self.background(self._check(home))

    def background(self, work: Any) -> None:
        """Does work of which nobody waits for the end."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _check(self, home: Home) -> None:
        async with self._checking:
            self._queued.discard(home)
            shown = [document for document in self.documents.values() if document.home == home]
            if not shown:
                return
            versions = {document.uri: self._shown(document).version for document in shown}
            report = await self.ask(CHECK_SECONDS, session.check, home, self.texts(home))
        if report is None:
            return
        self._say_errors(report.errors)
        for document in shown:
            still_shown = self.documents.get(document.uri) is document
            if still_shown and self._shown(document).version == versions[document.uri]:
                document.report, document.version = report, versions[document.uri]
                self.publish(document)

    async def ask(self, seconds: float, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
        """What a function gives in the analyzing process; None, which the user was told, if it gives nothing."""
        try:
            return await self.process.call(seconds, _ignore, function, *args, **kwargs)
        except ProcessLostError as error:
            self.say_once("lost", f"jitlint's analysis {error}; it starts again with the next change")
        except FailedError as error:
            self.say_once(str(error), f"jitlint: internal error ({error}); please report it")
        return None

    def publish(self, document: Document) -> None:
        """Shows what was found in a document."""
        report = document.report
        if report is None:
            return
        lines = functools.cache(self.lines)
        renderer = diagnostics.Renderer(report.folder, lines, related=self._shows_related())
        found = [renderer.finding(finding) for finding in self.findings(document)]
        found += [renderer.revealed(each) for each in report.revealed if report.path(each.place) == document.path]
        if document.path in report.broken:
            found.append(diagnostics.problem(report.broken[document.path], lines(document.path)))
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document.uri, found, document.version))

    def findings(self, document: Document) -> list[Finding]:
        """What was found in a document."""
        report = document.report
        if report is None:
            return []
        return [finding for finding in report.findings if report.path(finding.event.place) == document.path]

    def texts(self, home: Home) -> dict[str, str]:
        """What the client shows of a project, by path."""
        return {document.path: self.text(document) for document in self.documents.values() if document.home == home}

    def _shows_related(self) -> bool:
        known = self.client_capabilities.text_document
        return bool(known and known.publish_diagnostics and known.publish_diagnostics.related_information)

    # --- telling ------------------------------------------------------------------------------------------------------

    def say_once(self, topic: str, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Shows a message; of one topic the first only, the others go to the log."""
        if topic in self._said:
            self.window_log_message(types.LogMessageParams(kind, message))
        else:
            self._said.add(topic)
            self.window_show_message(types.ShowMessageParams(kind, message))

    def report_server_error(self, error: Exception, source: type[PyglsError | JsonRpcException]) -> None:
        """What the client sent was no message, or a feature failed: that is for the log."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"jitlint: {error!r}"))

    def _say_errors(self, errors: Iterable[FileError]) -> None:
        for error in errors:
            kind = types.MessageType.Warning
            if error.message.startswith(_TO_SHOW):
                self.say_once(f"{error.path}: {error.message}", f"{error.path}: {error.message}", kind)
            elif (told := f"{error.path}: {error.message}") not in self._said:
                self._said.add(told)
                self.window_log_message(types.LogMessageParams(kind, told))


def _path(uri: str) -> str | None:
    """The path of a document; None for those that are neither files nor to become one."""
    scheme, _, path, *_ = urlparse(uri)
    if scheme == "file":
        name = to_fs_path(uri)
        return os.path.abspath(name) if name else None
    return os.path.join(_UNSAVED, os.path.basename(path) or "untitled") if scheme == "untitled" else None


def _ignore(told: object) -> None:
    """Nobody waits for what is told meanwhile."""
