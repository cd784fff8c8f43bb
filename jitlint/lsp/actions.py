"""Code actions: the edits and commands that an editor offers for findings."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from lsprotocol import types
from pygls.uris import from_fs_path

from jitlint.findings.finding import Finding
from jitlint.fixes.comments import suppressing
from jitlint.fixes.edit import Fix
from jitlint.lsp import session
from jitlint.lsp.diagnostics import Renderer, range_of
from jitlint.lsp.positions import Lines
from jitlint.lsp.server import CHECK_SECONDS, OpenDocument, Server
from jitlint.source.text import normalize

FIX_ALL = "source.fixAll.jitlint"
"""The kind of the action that fixes a whole document."""

VERIFY = "jitlint.verify"
"""The command that verifies a function."""


async def actions(server: Server, document: OpenDocument, wanted: types.Range) -> list[types.CodeAction]:
    """The code actions for the findings in a range; none while the document has changed since it was checked."""
    if document.report is None or not server.is_current(document):
        return []
    renderer = Renderer(document.report.folder, server.lines, related=False)
    found: list[types.CodeAction] = []
    for finding in server.findings(document):
        diagnostic = renderer.finding(finding)
        if not _touch(diagnostic.range, wanted):
            continue
        if finding.fix is not None:
            found.append(_fix(server, document, finding.fix, diagnostic, preferred=True))
        else:
            found += await _offered(server, document, finding, diagnostic)
        place = finding.event.place
        text = normalize(server.text(document))
        if comment := suppressing(place.path, text, (place.line, place.end_line), finding.code):
            found.append(_fix(server, document, comment, diagnostic))
    if found:
        at = types.TextDocumentPositionParams(types.TextDocumentIdentifier(document.uri), wanted.start)
        command = types.Command("Verify this function with JAX", VERIFY, arguments=[at])
        found.append(types.CodeAction(command.title, types.CodeActionKind.QuickFix, command=command))
    return found


def _fix(
    server: Server, document: OpenDocument, fix: Fix, diagnostic: types.Diagnostic, *, preferred: bool = False
) -> types.CodeAction:
    """A fix as a code action; its edits lie in the document that has the finding.

    Args:
        server: knows the document's lines.
        document: the one to edit.
        fix: the edits.
        diagnostic: the finding that they remove.
        preferred: whether this is what an editor does if it is asked for one fix.
    """
    lines = server.lines(document.path)
    changes = [types.TextEdit(range_of(edit.place, lines), edit.text) for edit in fix.edits]
    return types.CodeAction(
        fix.message,
        types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        is_preferred=preferred or None,
        edit=types.WorkspaceEdit(changes={document.uri: changes}),
    )


async def _offered(
    server: Server, document: OpenDocument, finding: Finding, diagnostic: types.Diagnostic
) -> list[types.CodeAction]:
    """The fixes that were tried on the project; the first is preferred if it keeps the meaning."""
    project = document.project
    offers = await server.ask(CHECK_SECONDS, session.offers, project.home, server.texts(project), finding)
    if not offers or not server.is_current(document):
        return []
    return [
        types.CodeAction(
            offer.title,
            types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            is_preferred=(at == 0 and offer.safe) or None,
            edit=_workspace_edit(server, offer.texts),
        )
        for at, offer in enumerate(offers)
    ]


async def fix_all(server: Server, document: OpenDocument) -> list[types.CodeAction]:
    """All fixes of a document that keep the meaning, as one action; none if there are none."""
    project = document.project
    if document.report is None or not server.is_current(document):
        return []
    texts = await server.ask(CHECK_SECONDS, session.fixed, project.home, server.texts(project), document.path)
    if not texts or not server.is_current(document):
        return []
    return [types.CodeAction("Fix all that jitlint can fix safely", FIX_ALL, edit=_workspace_edit(server, texts))]


def _workspace_edit(server: Server, texts: Mapping[str, str]) -> types.WorkspaceEdit:
    """The edits that give files new texts, by their paths."""
    uris = {document.path: document.uri for document in server.documents.values()}
    return types.WorkspaceEdit(
        changes={
            uris.get(path) or from_fs_path(path) or "": list(edits(server.lines(path), text))
            for path, text in texts.items()
        }
    )


def edits(before: Lines, after: str) -> Iterator[types.TextEdit]:
    """The edits, in whole lines, that turn one text into another."""
    old = [before[line] for line in range(1, len(before) + 1)]
    new = after.split("\n")
    for kind, first, last, start, end in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            text = "".join(f"{line}{before.newline}" for line in new[start:end])
            yield types.TextEdit(types.Range(types.Position(first, 0), types.Position(last, 0)), text)


def _touch(one: types.Range, other: types.Range) -> bool:
    return not (_before(one.end, other.start) or _before(other.end, one.start))


def _before(one: types.Position, other: types.Position) -> bool:
    return (one.line, one.character) < (other.line, other.character)
