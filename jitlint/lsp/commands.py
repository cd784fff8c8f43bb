"""The command that verifies the function under the cursor: shows progress, then verdicts in the diagnostics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from lsprotocol import types

from jitlint.findings.finding import STATUSES
from jitlint.lsp import verifying
from jitlint.lsp.process import FailedError, ProcessLostError
from jitlint.lsp.progress import Progress
from jitlint.lsp.server import OpenDocument, Server

VERIFY_SECONDS = 1_800.0
"""The limit for verifying a function; the parts of verifying have their own limits."""

Summary = Mapping[str, int]


async def verify(server: Server, document: OpenDocument, position: types.Position) -> Summary:
    """Verifies the findings of the function at a position; outside of functions, those of the whole document.

    Returns:
        How many findings have which verdict; nothing if verifying failed, in which case a message says so.
    """
    project = document.project
    line, _ = server.lines(document.path).character(position)
    process = server.process_for_a_while()
    progress = await Progress.begin(server, "jitlint verifies", process.stop)
    counts: Counter[str] = Counter()
    try:
        identity, verified = await process.call(
            VERIFY_SECONDS,
            lambda message: progress.report(*message),
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
        verdicts = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        nothing = "not verified: cancelled" if progress.cancelled else "there is no finding here to verify"
        message = f"JAX says: {verdicts}" if verdicts else nothing
        kind = types.MessageType.Info
    except (ProcessLostError, FailedError) as error:
        message, kind = f"not verified: {'cancelled' if progress.cancelled else error}", types.MessageType.Warning
    finally:
        server.give_back(process)
        progress.end()
    server.window_show_message(types.ShowMessageParams(kind, f"jitlint: {message}"))
    return counts
