"""Shows in the client that something takes long, if the client supports it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager

from lsprotocol import types
from pygls.lsp.server import LanguageServer

LONG = 1.0
"""Seconds after which the client shows progress."""


class Progress:
    """One display of progress in the client, if it supports that; `cancelled` once the user has cancelled it."""

    def __init__(self, server: LanguageServer, token: str | None) -> None:
        self._server = server
        self._token = token
        self.cancelled = False

    @classmethod
    async def begin(cls, server: LanguageServer, title: str, cancel: Callable[[], None] | None = None) -> Progress:
        """Makes the client show progress.

        Args:
            server: the server of that client.
            title: what takes long.
            cancel: ends the work. If it is given, the user can cancel, and the client shows which part is done.
        """
        window = server.client_capabilities.window
        if not window or not window.work_done_progress:
            return cls(server, None)
        token, known = str(uuid.uuid4()), server.work_done_progress
        progress = cls(server, token)
        # Shielded: when nobody waits any more, the client's answer still needs the future that it belongs to.
        await asyncio.shield(asyncio.ensure_future(known.create_async(token)))
        share = 0 if cancel is not None else None
        known.begin(token, types.WorkDoneProgressBegin(title, cancellable=cancel is not None, percentage=share))
        loop = asyncio.get_running_loop()

        def ended(future: Future[None]) -> None:
            if future.cancelled() and cancel is not None:
                progress.cancelled = True
                loop.call_soon_threadsafe(cancel)

        known.tokens[token].add_done_callback(ended)
        return progress

    def report(self, now: str, done: int, total: int) -> None:
        """Shows what runs now, and how much is done of how much."""
        if self._token is not None:
            share = types.WorkDoneProgressReport(
                message=f"{now}, {total - done} left", percentage=100 * done // max(total, 1)
            )
            self._server.work_done_progress.report(self._token, share)

    def end(self) -> None:
        """Makes the client remove the display."""
        if self._token is not None:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
            self._server.work_done_progress.tokens.pop(self._token, None)


@asynccontextmanager
async def shown_if_long(server: LanguageServer, title: str) -> AsyncIterator[None]:
    """Makes the client show progress if what runs within takes long."""

    async def show() -> None:
        await asyncio.sleep(LONG)
        progress = await Progress.begin(server, title)
        try:
            await asyncio.Event().wait()
        finally:
            progress.end()

    showing = asyncio.ensure_future(show())  # not awaited, as the client may never answer
    try:
        yield
    finally:
        showing.cancel()
