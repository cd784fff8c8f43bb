"""The limits that workers are held to."""

from __future__ import annotations

import time

import pytest

from jitlint.verify.worker.effort import Effort
from jitlint.verify.worker.process.budget import Clock, Interrupted


@pytest.mark.parametrize(
    ("seconds", "used", "work", "waited"),
    [
        pytest.param(5.0, 5.0, 5.0, False, id="alone"),
        pytest.param(5.0, 20.0, 20.0, False, id="four threads"),
        pytest.param(40.0, 5.0, 5.0, False, id="an eighth of a processor"),
        pytest.param(40.0, 0.0, 40.0, True, id="asleep"),
        pytest.param(40.0, 1.0, 31.0, True, id="asleep most of the time"),
    ],
)
def test_work_is_processor_time_and_time_that_nobody_took(
    monkeypatch: pytest.MonkeyPatch, seconds: float, used: float, work: float, waited: bool
) -> None:
    now = {"clock": 100.0, "used": 7.0}
    monkeypatch.setattr(time, "monotonic", lambda: now["clock"])
    effort = Effort(lambda: now["used"])
    now["clock"] += seconds
    now["used"] += used
    assert (effort.spent(), effort.waited()) == (work, waited)


def test_a_process_that_has_ended_takes_no_work_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = {"clock": 100.0, "used": 7.0}
    monkeypatch.setattr(time, "monotonic", lambda: now["clock"])
    effort = Effort(lambda: now["used"])
    now.update(clock=102.0, used=8.0)
    assert effort.spent() == 1.0
    now["used"] = 2.0  # what a process used is counted nowhere between its end and its parent's waiting for it
    assert (effort.spent(), effort.waited()) == (1.0, False)


def test_code_that_works_and_code_that_sleeps_are_stopped() -> None:
    def works() -> None:
        while True:
            pass

    for act, starved in ((works, False), (lambda: time.sleep(60), True)):
        clock = Clock()
        with pytest.raises(Interrupted), clock.limit(0.3):
            act()
        assert clock.starved == starved
