"""The limits that workers are held to."""

from __future__ import annotations

import os

import pytest

from jitlint.verify import pool


def test_limits_are_longer_where_others_keep_the_machine_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(pool, "_running", lambda: 1)
    for others, workers, times in ((0.0, 2, 1.0), (6.0, 2, 2.0), (0.0, 8, 2.0), (1000.0, 2, 8.0)):
        monkeypatch.setattr(os, "getloadavg", lambda others=others: (others, 0.0, 0.0))
        assert pool.patience(workers) == times


def test_what_runs_now_counts_before_the_average_has_noticed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(pool, "_running", lambda: 5)
    assert pool.patience(2) == 3.0
