"""The server: which documents the client shows, when they are checked, and what is shown about them."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path, urlparse

from jitlint import __version__
from jitlint.events.revealed import Revealed
from jitlint.findings.finding import FileError, Finding, Verdict
from jitlint.lsp import diagnostics, notebooks, session
from jitlint.lsp.options import Options
from jitlint.lsp.positions import Lines
from jitlint.lsp.process import FailedError, Process, ProcessLostError
from jitlint.lsp.progress import shown_if_long
from jitlint.lsp.session import Home, Report
from jitlint.project.files import NOTEBOOK
from jitlint.rules.tool.bad_configuration import BadConfiguration
from jitlint.rules.tool.internal_error import InternalError
from jitlint.source.printable import printable
from jitlint.source.text import SourceError, normalize, read_source

DEBOUNCE = 0.15
"""Seconds without a keystroke before documents are checked."""

CHECK_SECONDS = 120.0
"""The limit for checking a project. The cache has what was computed by then, so the next check goes on from there."""

_TO_SHOW = (InternalError.code, BadConfiguration.code)
"""Errors that are shown, and not only logged: jitlint's own, and those in the settings."""

_P = ParamSpec("_P")
_T = TypeVar("_T")

_UNSAVED = Path(f"{os.sep}untitled:").absolute()
"""The folder of documents that were never saved. There is none of this name."""


@dataclass(slots=True, eq=False)
class OpenProject:
    """A project with open documents.

    Attributes:
        home: its folder.
        changes: how often its texts have changed.
        changed: when they last changed.
        timer: runs while a check waits for a pause in typing.
        queued: whether a check waits for its turn.
        verdicts: what JAX said about findings, by their fingerprints.
        verified: the identity of the texts that the verdicts are about.
    """

    home: Home
    changes: int = 0
    changed: float = 0.0
    timer: asyncio.TimerHandle | None = None
    queued: bool = False
    verdicts: dict[str, tuple[Verdict, ...]] = field(default_factory=dict)
    verified: str = ""


class Values(NamedTuple):
    """A text that the client shows, or a cell of a notebook, with its lines and the values of its expressions."""

    text: str
    lines: Lines
    revealed: Sequence[Revealed]


@dataclass(slots=True, eq=False)
class OpenDocument:
    """An open document.

    Attributes:
        uri: its name for the client.
        path: its absolute path.
        project: its project.
        is_notebook: whether it is a notebook, whose cells the client shows.
        report: the result of the last check of the project.
        version: the version of the document that was checked.
        checked: set while the findings are about the present text.
        revealed: the values of its expressions, which are being computed, and the project's `changes` at that time.
    """

    uri: str
    path: str
    project: OpenProject
    is_notebook: bool = False
    report: Report | None = None
    version: int | None = None
    checked: asyncio.Event = field(default_factory=asyncio.Event)
    revealed: tuple[int, asyncio.Task[tuple[Revealed, ...] | None]] | None = None


class Server(LanguageServer):
    """The language server. The features that `features.py` registers call its methods."""

    def __init__(self) -> None:
        # Whole texts, so that nothing depends on how a library divides texts into lines.
        super().__init__(
            "jitlint",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            notebook_document_sync=types.NotebookDocumentSyncOptions([notebooks.JUPYTER]),
        )
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
        """The client opens a document: from now on the client's text counts, not the saved one."""
        path = _path(item.uri)
        if path is not None and (item.language_id == "python" or path.endswith(".py")):
            path = _python(path)
            home = Home(str(_UNSAVED), False) if Path(path).parent == _UNSAVED else Home.of(path)
            project = self._projects.setdefault(home, OpenProject(home))
            self.documents[item.uri] = OpenDocument(item.uri, path, project)
            self._check_soon(project, 0)

    def changed(self, uri: str) -> None:
        """The client changes the text of a document."""
        if document := self.documents.get(uri):
            document.checked.clear()
            self._check_soon(document.project, DEBOUNCE)

    def notebook_opened(self, uri: str) -> None:
        """The client opens a notebook: its cells, as the client shows them, are a document."""
        path = _path(uri)
        if path is not None and path.endswith(NOTEBOOK):
            project = self._projects.setdefault(Home.of(path), OpenProject(Home.of(path)))
            self.documents[uri] = OpenDocument(uri, path, project, is_notebook=True)
            self._check_soon(project, 0)

    def closed(self, uri: str, shown: Iterable[str] = ()) -> None:
        """The client closes a document: the saved text counts again.

        Args:
            uri: the document.
            shown: what diagnostics were shown in, if that is not the document itself but its cells.
        """
        if document := self.documents.pop(uri, None):
            for each in shown or (uri,):
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(each, []))
            self._check_soon(document.project, 0)

    def lines(self, path: str) -> Lines:
        """The lines of a file, as the client shows it, else as it was saved; none if there is no such file."""
        encoding = self._units
        shown = next((document for document in self.documents.values() if document.path == path), None)
        if shown is not None and not shown.is_notebook:
            return Lines(self.text(shown), encoding)
        try:
            return Lines(read_source(Path(path), path).text, encoding)
        except SourceError:
            return Lines("", encoding)

    def text(self, document: OpenDocument) -> str:
        """The text that the client shows; of a notebook, as its file would have it."""
        if document.is_notebook:
            return notebooks.as_file(self.workspace, document.uri)
        return self.workspace.get_text_document(document.uri).source

    def _version(self, document: OpenDocument) -> int | None:
        if document.is_notebook:
            notebook = self.workspace.get_notebook_document(notebook_uri=document.uri)
            return notebook.version if notebook is not None else None
        return self.workspace.get_text_document(document.uri).version

    # --- checking -----------------------------------------------------------------------------------------------------

    def check_all(self) -> None:
        """Checks all open documents, since files have changed."""
        for project in {document.project for document in self.documents.values()}:
            self._check_soon(project, DEBOUNCE)

    def _check_soon(self, project: OpenProject, seconds: float) -> None:
        """Checks a project whose texts have changed, once they have not changed again for some seconds."""
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
        """Starts work without waiting for its end."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _check(self, project: OpenProject) -> None:
        async with self._checking:
            project.queued = False
            shown = [document for document in self.documents.values() if document.project is project]
            if not shown:
                return
            versions = {document.uri: self._version(document) for document in shown}
            async with shown_if_long(self, f"jitlint analyzes {Path(project.home.folder).name}"):
                report = await self.ask(CHECK_SECONDS, session.check, project.home, self.texts(project))
        if report is None:
            return
        self._say_errors(report.errors)
        for document in shown:
            still_shown = self.documents.get(document.uri) is document
            if still_shown and self._version(document) == versions[document.uri]:
                document.report, document.version = report, versions[document.uri]
                document.checked.set()
                self.publish(document)

    async def current_findings(self, document: OpenDocument) -> list[Finding]:
        """The findings of a document's present text, once it is checked; none if that fails."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(document.checked.wait(), CHECK_SECONDS)
            return self.findings(document)
        return []

    async def revealed(self, document: OpenDocument) -> tuple[Revealed, ...] | None:
        """The values of a document's expressions, once the project stops changing; None if the analysis failed."""
        while True:
            changes = document.project.changes
            if document.revealed is None or document.revealed[0] != changes:
                document.revealed = changes, asyncio.ensure_future(self._revealed(document))
            revealed = await asyncio.shield(document.revealed[1])
            if document.project.changes == changes:
                return revealed

    async def values(self, uri: str) -> Values | None:
        """The values in a document or a notebook's cell; None if it is not open, or the analysis failed."""
        if document := self.documents.get(uri):
            revealed = await self.revealed(document)
            text = normalize(self.text(document))
            return Values(text, self.lines(document.path), revealed) if revealed is not None else None
        place = notebooks.cell(self.workspace, uri)
        document = self.documents.get(place[0]) if place is not None else None
        revealed = await self.revealed(document) if document is not None else None
        if place is None or revealed is None:
            return None
        text = normalize(self.workspace.get_text_document(uri).source)
        return Values(text, Lines(text, self._units), [each for each in revealed if each.place.cell == place[1]])

    async def _revealed(self, document: OpenDocument) -> tuple[Revealed, ...] | None:
        project = document.project
        changes = project.changes
        await asyncio.sleep(project.changed + DEBOUNCE - asyncio.get_running_loop().time())
        if project.changes != changes:
            return None
        return await self.ask(CHECK_SECONDS, session.reveal, project.home, self.texts(project), document.path)

    def publish(self, document: OpenDocument) -> None:
        """Shows the findings of a document."""
        report = document.report
        if report is None:
            return
        if document.is_notebook:
            for shown in notebooks.diagnostics(
                self.workspace, document.uri, report, self.findings(document), self._units
            ):
                self.text_document_publish_diagnostics(shown)
            return
        lines = functools.cache(self.lines)
        is_a_file = document.path == _path(document.uri)
        renderer = diagnostics.Renderer(report.folder, lines, related=is_a_file and self._shows_related())
        found = [renderer.finding(finding) for finding in self.findings(document)]
        found += [renderer.revealed(each) for each in report.revealed if report.path(each.place) == document.path]
        if document.path in report.broken:
            found.append(diagnostics.problem(report.broken[document.path], lines(document.path)))
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document.uri, found, document.version))

    def verified(self, project: OpenProject, identity: str, findings: Iterable[Finding]) -> None:
        """Shows verdicts, as long as the texts that they are about do not change.

        Args:
            project: the project.
            identity: that of its texts when they were verified.
            findings: the findings with their verdicts.
        """
        if project.verified != identity:
            project.verified = identity
            project.verdicts.clear()
        project.verdicts.update((finding.fingerprint, finding.verdicts) for finding in findings)
        for document in self.documents.values():
            if document.project is project:
                self.publish(document)
        workspace = self.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.background(self.workspace_code_lens_refresh_async(None))

    def findings(self, document: OpenDocument) -> list[Finding]:
        """The findings of a document, with their verdicts."""
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
        """Whether the findings of a document are about its present text."""
        return document.report is not None and document.version == self._version(document)

    def texts(self, project: OpenProject) -> dict[str, str]:
        """The texts of a project's open documents, by path."""
        shown = (document for document in self.documents.values() if document.project is project)
        return {document.path: self.text(document) for document in shown}

    @property
    def _units(self) -> types.PositionEncodingKind | str:
        """What the client counts columns in."""
        return self.server_capabilities.position_encoding or types.PositionEncodingKind.Utf16

    def _shows_related(self) -> bool:
        known = self.client_capabilities.text_document
        return bool(known and known.publish_diagnostics and known.publish_diagnostics.related_information)

    # --- processes ----------------------------------------------------------------------------------------------------

    async def ask(self, seconds: float, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
        """The result of a function in the analyzing process; None if it failed, in which case a message says so."""
        try:
            return await self._process.call(seconds, _ignore, function, *args, **kwargs)
        except ProcessLostError as error:
            self.say_once("lost", f"jitlint's analysis {error}; it starts again with the next change")
        except FailedError as error:
            self.say_once(str(error), f"jitlint: {error}")
        return None

    def process_for_a_while(self) -> Process:
        """A process for work that takes long; the caller ends it with `give_back`."""
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
        """Takes the client's options; an option that is wrong stays as it was, and a message says so."""
        self.options, problems = self.options.changed(given)
        for problem in problems:
            self.say_once(problem, f"jitlint: {problem}", types.MessageType.Warning)

    # --- messages -----------------------------------------------------------------------------------------------------

    def say_once(self, topic: str, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Shows the first message about a topic; the others go to the log."""
        message = printable(message)
        if topic in self._said:
            self.window_log_message(types.LogMessageParams(kind, message))
        else:
            self._said.add(topic)
            self.window_show_message(types.ShowMessageParams(kind, message))

    def report_server_error(self, error: Exception, source: type[PyglsError | JsonRpcException]) -> None:
        """Logs that the client sent no valid message, or that a feature failed."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, printable(f"jitlint: {error!r}")))

    def _say_errors(self, errors: Iterable[FileError]) -> None:
        for error in errors:
            kind = types.MessageType.Warning
            text = f"{error.path}: {error.text}"
            if error.code in _TO_SHOW:
                self.say_once(text, text, kind)
            elif text not in self._said:
                self._said.add(text)
                self.window_log_message(types.LogMessageParams(kind, printable(text)))


def _path(uri: str) -> str | None:
    """The path of a document; None if it is neither a file nor an unsaved text that may become one."""
    scheme, _, path, *_ = urlparse(uri)
    if scheme == "file":
        name = to_fs_path(uri)
        return os.path.abspath(name) if name else None
    return str(_UNSAVED / (Path(path).name or "untitled")) if scheme == "untitled" else None


def _python(path: str) -> str:
    """The path that a text document counts as.

    jupyterlab-lsp shows the Python of a notebook's cells as one text with the notebook's name, in a folder of its own
    (https://jupyterlab-lsp.readthedocs.io/en/latest/Configuring.html, `virtual_documents_dir`). It imports what is
    beside the notebook.
    """
    return path.replace(f"{os.sep}.virtual_documents{os.sep}", os.sep) + ".py" if path.endswith(NOTEBOOK) else path


def _ignore(message: object) -> None:
    """Drops a message of the process: the caller waits for the result only."""
