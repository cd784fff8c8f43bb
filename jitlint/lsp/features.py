"""The messages of the protocol that the server handles, and what each does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types

from jitlint.lsp import commands, hovers, lenses, session, tokens
from jitlint.lsp.actions import FIX_ALL, VERIFY, actions, fix_all
from jitlint.lsp.diagnostics import range_of
from jitlint.lsp.server import Server
from jitlint.report import stages
from jitlint.source.text import normalize

_PREPARE_SECONDS = 60.0
_SECTION = "jitlint"
_WATCHED = ("**/*.py", "**/pyproject.toml", "**/jitlint.toml", "**/.gitignore")


def run() -> None:
    """Serves one client on standard input and output, until it disconnects."""
    server = build()
    try:
        server.start_io()
    finally:
        server.end()


def build() -> Server:
    """A server with all its features."""
    server = Server()
    _add_life(server)
    _add_documents(server)
    _add_notebooks(server)
    _add_questions(server)
    _add_marks(server)
    return server


def _add_life(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    async def initialize(params: types.InitializeParams) -> None:
        server.configure(params.initialization_options)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        server.background(server.ask(_PREPARE_SECONDS, session.prepare))
        workspace = server.client_capabilities.workspace
        registrations = []
        if workspace and (files := workspace.did_change_watched_files) and files.dynamic_registration:
            patterns = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(patterns)
            registrations.append(types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
        if workspace and (settings := workspace.did_change_configuration) and settings.dynamic_registration:
            registrations.append(types.Registration("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION))
        if registrations:
            server.client_register_capability(types.RegistrationParams(registrations))  # it may never be answered
        await _configure(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: types.DidChangeConfigurationParams) -> None:
        if isinstance(params.settings, dict):
            server.configure(params.settings.get(_SECTION))
        await _configure(server)


async def _configure(server: Server) -> None:
    """Asks the client for its settings, if it supports that, and makes it draw inlay hints anew."""
    workspace = server.client_capabilities.workspace
    if workspace and workspace.configuration:
        items = [types.ConfigurationItem(section=_SECTION)]
        (given,) = await server.workspace_configuration_async(types.ConfigurationParams(items))
        server.configure(given)
    if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
        await server.workspace_inlay_hint_refresh_async(None)


def _add_documents(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.opened(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.check_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        server.check_all()


def _add_notebooks(server: Server) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenNotebookDocumentParams) -> None:
        server.notebook_opened(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeNotebookDocumentParams) -> None:
        server.changed(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseNotebookDocumentParams) -> None:
        server.closed(params.notebook_document.uri, [cell.uri for cell in params.cell_text_documents])

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveNotebookDocumentParams) -> None:
        server.check_all()


def _add_questions(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        values = await server.values(params.text_document.uri)
        if values is None:
            return None
        found = hovers.at(values.text, values.revealed, *values.lines.character(params.position))
        if not found:
            return None
        return types.Hover(_as_written(server, hovers.describe(found)), range_of(found[0].place, values.lines))

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix, FIX_ALL]))
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return []
        only = params.context.only
        found = []
        if only is None or _asks_for(only, types.CodeActionKind.QuickFix.value):
            found += await actions(server, document, params.range)
        if only is not None and _asks_for(only, FIX_ALL):  # editors ask for it by name, as when a file is saved
            found += await fix_all(server, document)
        return found

    @server.command(VERIFY)
    async def verify(at: types.TextDocumentPositionParams) -> commands.Summary:
        document = server.documents.get(at.text_document.uri)
        if document is None:
            message = f"jitlint: {at.text_document.uri} is not open; open it to verify it"
            server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
            return {}
        return await commands.verify(server, document, at.position)


def _add_marks(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        values = await server.values(params.text_document.uri) if server.options.inlayHints else None
        if values is None:
            return []
        first, last = params.range.start.line + 1, params.range.end.line + 1
        return [
            types.InlayHint(
                values.lines.position(hint.line, hint.column),
                hint.word,
                tooltip=hint.explanation,
                padding_right=True,
            )
            for hint in hovers.hints(values.text, values.revealed)
            if first <= hint.line <= last
        ]

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, tokens.LEGEND)
    async def semantic_tokens(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        values = await server.values(params.text_document.uri) if server.options.semanticTokens else None
        if values is None:
            return None
        return types.SemanticTokens(tokens.encoded(stages.names(values.revealed), values.lines))

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        document = server.documents.get(params.text_document.uri)
        if document is None or not server.options.codeLens:
            return []
        findings = await server.current_findings(document)
        lines = server.lines(document.path)
        compiled = lenses.compiled_counts(Path(document.project.home.folder), document.path)
        shown = []
        for lens in lenses.lenses(normalize(server.text(document)), findings, compiled):
            start = lines.position(lens.line, 1)
            at = types.TextDocumentPositionParams(params.text_document, start)
            command = types.Command(lens.title, VERIFY if lens.verifies else "", arguments=[at])
            shown.append(types.CodeLens(types.Range(start, start), command))
        return shown


def _as_written(server: Server, text: str) -> types.MarkupContent:
    """Text whose lines the client shows as they are."""
    known = server.client_capabilities.text_document
    formats = known.hover.content_format if known and known.hover else None
    if formats and types.MarkupKind.Markdown not in formats:
        return types.MarkupContent(types.MarkupKind.PlainText, text)
    return types.MarkupContent(types.MarkupKind.Markdown, f"```text\n{text}\n```")


def _asks_for(only: Sequence[types.CodeActionKind | str], kind: str) -> bool:
    """Whether an editor asks for code actions of a kind, or of one that it belongs to."""
    return any(f"{kind}.".startswith(f"{getattr(each, 'value', each)}.") for each in only)
