"""The other process: messages and results come back, and a call that hangs or fails loses only itself."""

from __future__ import annotations

import asyncio
import operator
import os
import time
from typing import Any

import pytest

from jitlint.lsp import process
from jitlint.lsp.process import FailedError, Process, ProcessLostError


def ignored(message: object) -> None: ...


def test_a_call_that_hangs_is_ended_and_the_next_one_works() -> None:
    async def calls() -> None:
        running = Process()
        try:
            with pytest.raises(ProcessLostError, match="did not answer within 0 seconds"):
                await running.call(0.4, ignored, time.sleep, 60)
            assert await running.call(30, ignored, operator.add, 1, 2) == 3
        finally:
            running.kill()

    asyncio.run(calls())


def test_what_a_function_raises_or_tells_comes_back() -> None:
    async def calls() -> None:
        running = Process()
        messages: list[Any] = []
        try:
            with pytest.raises(FailedError, match=r"internal error .ZeroDivisionError: .*please report it"):
                await running.call(30, messages.append, operator.floordiv, 1, 0)
            assert await running.call(30, messages.append, process.send, "meanwhile") is None
            assert messages == ["meanwhile"]
        finally:
            running.kill()

    asyncio.run(calls())


def test_who_stops_waiting_disturbs_no_other() -> None:
    async def calls() -> None:
        running = Process()
        try:
            first = asyncio.ensure_future(running.call(30, ignored, operator.add, 1, 1))
            second = asyncio.ensure_future(running.call(30, ignored, operator.add, 2, 2))
            await asyncio.sleep(0)
            first.cancel()
            assert await second == 4
            assert await running.call(30, ignored, os.getppid) == os.getpid()
        finally:
            running.kill()

    asyncio.run(calls())
