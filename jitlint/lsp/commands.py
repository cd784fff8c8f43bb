"""The command that verifies the function under the cursor: progress, verdicts in the diagnostics, a summary."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future

from lsprotocol import types

from jitlint.findings.finding import STATUSES
from jitlint.lsp import verifying
from jitlint.lsp.process import FailedError, Process, ProcessLostError
from jitlint.lsp.server import Document, Server

VERIFY_SECONDS = 1_800.0
"""What verifying a function may take; its parts have limits of their own."""

Summary = Mapping[str, int]


async def verify(server: Server, document: Document, position: types.Position) -> Summary:
    """Verifies the findings of the function at a position, outside of functions those of the document.

    Returns:
        How many findings have which verdict; nothing if it could not be done, which the user is told.
    """
    project = document.project
    line, _ = server.lines(document.path).character(position)
    process = server.process_for_a_while()
    progress = await _Progress.begin(server, process)
    counts: Counter[str] = Counter()
    try:
        identity, verified = await process.call(
            VERIFY_SECONDS,
            progress.report,
            verifying.verified_at,
            project.home,
            server.texts(project),
            document.path,
            line,
        )
        if progress.cancelled:
            verified = tuple(each for each in verified if each.verdict and each.verdict.status != "not-run")
        server.verified(project, identity, verified)
        counts.update(finding.verdict.status for finding in verified if finding.verdict)
        said = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        nothing = "not verified: cancelled" if progress.cancelled else "there is no finding here to verify"
        message = f"JAX says: {said}" if said else nothing
        kind = types.MessageType.Info
    except (ProcessLostError, FailedError) as error:
        message, kind = f"not verified: {'cancelled' if progress.cancelled else error}", types.MessageType.Warning
    finally:
        server.give_back(process)
        progress.end()
    server.window_show_message(types.ShowMessageParams(kind, f"jitlint: {message}"))
    return counts


class _Progress:
    """What the client shows while something is verified, if it does; it can cancel it."""

    def __init__(self, server: Server, token: str | None) -> None:
        self._server = server
        self._token = token
        self.cancelled = False

    @classmethod
    async def begin(cls, server: Server, process: Process) -> _Progress:
        window = server.client_capabilities.window
        if not window or not window.work_done_progress:
            return cls(server, None)
        progress, token = cls(server, str(uuid.uuid4())), server.work_done_progress
        assert progress._token is not None
        await token.create_async(progress._token)
        token.begin(progress._token, types.WorkDoneProgressBegin("jitlint verifies", cancellable=True, percentage=0))
        loop = asyncio.get_running_loop()

        def cancel(future: Future[None]) -> None:
            if future.cancelled():
                progress.cancelled = True
                loop.call_soon_threadsafe(process.stop)

        token.tokens[progress._token].add_done_callback(cancel)
        return progress

    def report(self, told: tuple[str, int, int]) -> None:
        module, done, total = told
        if self._token is not None:
            share = types.WorkDoneProgressReport(
                message=f"{module}, {total - done} left", percentage=100 * done // max(total, 1)
            )
            self._server.work_done_progress.report(self._token, share)

    def end(self) -> None:
        if self._token is not None:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
