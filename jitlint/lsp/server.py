"""The server: what the client says and asks, when documents are checked, and what is shown."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path, urlparse
from pygls.workspace import TextDocument

from jitlint import __version__
from jitlint.events.revealed import Revealed
from jitlint.findings.finding import FileError, Finding, Verdict
from jitlint.lsp import diagnostics, session
from jitlint.lsp.options import Options
from jitlint.lsp.positions import Lines
from jitlint.lsp.process import FailedError, Process, ProcessLostError
from jitlint.lsp.progress import shown_if_long
from jitlint.lsp.session import Home, Report
from jitlint.rules.tool.bad_configuration import BadConfiguration
from jitlint.rules.tool.internal_error import InternalError
from jitlint.source.text import SourceError, read_source

DEBOUNCE = 0.15
"""Seconds without a keystroke before documents are checked."""

CHECK_SECONDS = 120.0
"""What checking a project may take: what it has found by then is kept, and the next check goes on from there."""

_TO_SHOW = (InternalError.code, BadConfiguration.code)
"""Errors that are shown, and not only logged: our own, and those in the settings."""

_P = ParamSpec("_P")
_T = TypeVar("_T")

_UNSAVED = Path(f"{os.sep}untitled:").absolute()
"""The folder of documents that were never saved. There is none of this name."""


@dataclass(slots=True, eq=False)
class OpenProject:
    """A project with open documents: since when its texts are what they are, counted in `changes` and in time, whether
    a check waits for a pause or for its turn, and what verifying has said, by fingerprint, of which texts."""

    home: Home
    changes: int = 0
    changed: float = 0.0
    timer: asyncio.TimerHandle | None = None
    queued: bool = False
    verdicts: dict[str, tuple[Verdict, ...]] = field(default_factory=dict)
    verified: str = ""


@dataclass(slots=True, eq=False)
class OpenDocument:
    """An open document: its name for the client, its path, its project, what was found in which version, and what its
    expressions are, after how many changes."""

    uri: str
    path: str
    project: OpenProject
    report: Report | None = None
    version: int | None = None
    stages: tuple[int, asyncio.Task[tuple[Revealed, ...] | None]] | None = None


class Server(LanguageServer):
    """The language server. Its methods are called by the features that `features` registers."""

    def __init__(self) -> None:
        # With whole texts nothing depends on how a library cuts texts into lines.
        super().__init__("jitlint", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self._process = Process()
        self._others: set[Process] = set()
        self.documents: dict[str, OpenDocument] = {}
        self.options = Options()
        self._projects: dict[Home, OpenProject] = {}
        self._checking = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._said: set[str] = set()

    # --- documents ----------------------------------------------------------------------------------------------------

    def opened(self, item: types.TextDocumentItem) -> None:
        """The client shows a document: from now on its own text counts."""
        path = _path(item.uri)
        if path is not None and (item.language_id == "python" or path.endswith(".py")):
            home = Home(str(_UNSAVED), False) if Path(path).parent == _UNSAVED else Home.of(path)
            project = self._projects.setdefault(home, OpenProject(home))
            self.documents[item.uri] = OpenDocument(item.uri, path, project)
            self._check_soon(project, 0)

    def changed(self, uri: str) -> None:
        """A document has another text."""
        if document := self.documents.get(uri):
            self._check_soon(document.project, DEBOUNCE)

    def closed(self, uri: str) -> None:
        """The client shows a document no more: what was saved counts."""
        if document := self.documents.pop(uri, None):
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
            self._check_soon(document.project, 0)

    def lines(self, path: str) -> Lines:
        """The lines of a file, as the client shows it or as it was saved; none if there is no such file."""
        encoding = self.server_capabilities.position_encoding or types.PositionEncodingKind.Utf16
        shown = next((document for document in self.documents.values() if document.path == path), None)
        if shown is not None:
            return Lines(self.text(shown), encoding)
        try:
            return Lines(read_source(Path(path), path).text, encoding)
        except SourceError:
            return Lines("", encoding)

    def text(self, document: OpenDocument) -> str:
        """What the client shows."""
        return self._shown(document).source

    def _shown(self, document: OpenDocument) -> TextDocument:
        return self.workspace.get_text_document(document.uri)

    # --- checking -----------------------------------------------------------------------------------------------------

    def check_all(self) -> None:
        """Files have changed: has all open documents checked."""
        for project in {document.project for document in self.documents.values()}:
            self._check_soon(project, DEBOUNCE)

    def _check_soon(self, project: OpenProject, seconds: float) -> None:
        """A project's texts have changed: has its documents checked after some time in which they do not again."""
        loop = asyncio.get_running_loop()
        project.changes += 1
        project.changed = loop.time()
        if project.timer is not None:
            project.timer.cancel()
        project.timer = loop.call_later(seconds, self._begin, project)

    def _begin(self, project: OpenProject) -> None:
        project.timer = None
        if not project.queued:
            project.queued = True
            self.background(self._check(project))

    def background(self, work: Any) -> None:
        """Does work of which nobody waits for the end."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _check(self, project: OpenProject) -> None:
        async with self._checking:
            project.queued = False
            shown = [document for document in self.documents.values() if document.project is project]
            if not shown:
                return
            versions = {document.uri: self._shown(document).version for document in shown}
            async with shown_if_long(self, f"jitlint analyzes {Path(project.home.folder).name}"):
                report = await self.ask(CHECK_SECONDS, session.check, project.home, self.texts(project))
        if report is None:
            return
        self._say_errors(report.errors)
        for document in shown:
            still_shown = self.documents.get(document.uri) is document
            if still_shown and self._shown(document).version == versions[document.uri]:
                document.report, document.version = report, versions[document.uri]
                self.publish(document)

    async def stages(self, document: OpenDocument) -> tuple[Revealed, ...] | None:
        """What the expressions of a document are, once it does not change any more; None if that cannot be had."""
        while True:
            changes = document.project.changes
            if document.stages is None or document.stages[0] != changes:
                document.stages = changes, asyncio.ensure_future(self._stages(document))
            revealed = await asyncio.shield(document.stages[1])
            if document.project.changes == changes:
                return revealed

    async def _stages(self, document: OpenDocument) -> tuple[Revealed, ...] | None:
        project = document.project
        changes = project.changes
        await asyncio.sleep(project.changed + DEBOUNCE - asyncio.get_running_loop().time())
        if project.changes != changes:
            return None
        return await self.ask(CHECK_SECONDS, session.reveal, project.home, self.texts(project), document.path)

    def publish(self, document: OpenDocument) -> None:
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

    def verified(self, project: OpenProject, identity: str, findings: Iterable[Finding]) -> None:
        """Shows what verifying has said of texts, as long as these are what is checked."""
        if project.verified != identity:
            project.verified = identity
            project.verdicts.clear()
        project.verdicts.update((finding.fingerprint, finding.verdicts) for finding in findings)
        for document in self.documents.values():
            if document.project is project:
                self.publish(document)

    def findings(self, document: OpenDocument) -> list[Finding]:
        """What was found in a document."""
        report = document.report
        if report is None:
            return []
        project = document.project
        verdicts = project.verdicts if project.verified == report.identity else {}
        return [
            replace(finding, verdicts=verdicts.get(finding.fingerprint, ()))
            for finding in report.findings
            if report.path(finding.event.place) == document.path
        ]

    def is_current(self, document: OpenDocument) -> bool:
        """Whether what was found in a document is of its text now."""
        return document.report is not None and document.version == self._shown(document).version

    def texts(self, project: OpenProject) -> dict[str, str]:
        """What the client shows of a project, by path."""
        shown = (document for document in self.documents.values() if document.project is project)
        return {document.path: self.text(document) for document in shown}

    def _shows_related(self) -> bool:
        known = self.client_capabilities.text_document
        return bool(known and known.publish_diagnostics and known.publish_diagnostics.related_information)

    # --- processes ----------------------------------------------------------------------------------------------------

    async def ask(self, seconds: float, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
        """What a function gives in the analyzing process; None, which the user was told, if it gives nothing."""
        try:
            return await self._process.call(seconds, _ignore, function, *args, **kwargs)
        except ProcessLostError as error:
            self.say_once("lost", f"jitlint's analysis {error}; it starts again with the next change")
        except FailedError as error:
            self.say_once(str(error), f"jitlint: {error}")
        return None

    def process_for_a_while(self) -> Process:
        """A process for what takes long; it is to be given back."""
        process = Process()
        self._others.add(process)
        return process

    def give_back(self, process: Process) -> None:
        """Ends a process."""
        self._others.discard(process)
        process.kill()

    def end(self) -> None:
        """Ends all processes."""
        for process in (self._process, *self._others):
            process.kill()

    # --- settings -----------------------------------------------------------------------------------------------------

    def configure(self, given: object) -> None:
        """Takes options as the client gives them; what is wrong with them is said, and left as it was."""
        self.options, problems = self.options.changed(given)
        for problem in problems:
            self.say_once(problem, f"jitlint: {problem}", types.MessageType.Warning)

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
            text = f"{error.path}: {error.text}"
            if error.code in _TO_SHOW:
                self.say_once(text, text, kind)
            elif text not in self._said:
                self._said.add(text)
                self.window_log_message(types.LogMessageParams(kind, text))


def _path(uri: str) -> str | None:
    """The path of a document; None for those that are neither files nor to become one."""
    scheme, _, path, *_ = urlparse(uri)
    if scheme == "file":
        name = to_fs_path(uri)
        return os.path.abspath(name) if name else None
    return str(_UNSAVED / (Path(path).name or "untitled")) if scheme == "untitled" else None


def _ignore(told: object) -> None:
    """Nobody waits for what is told meanwhile."""
