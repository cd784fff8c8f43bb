"""Of several predictions of one event, the surest counts; what may be dropped hides no other one."""

from __future__ import annotations

from jitlint.analysis.machine.context import Start
from jitlint.analysis.machine.parts import Unit
from jitlint.analysis.machine.reveal import Reveals
from jitlint.analysis.machine.state_log import StateLog
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Event, EventKind
from jitlint.source.places import Place

PLACE = Place("model.py", 3, 5, 3, 9)
OF_A_GUESS = Event(EventKind.BOOL, PLACE, "if")
OF_A_PROGRAM = Event(
    EventKind.BOOL, PLACE, "if", assumptions=(Assumption(AssumptionKind.OTHER_OPTION, "`loss` is given another value"),)
)


def test_what_is_dropped_if_another_unit_calls_the_function_hides_nothing() -> None:
    unit = Unit(Reveals(None), StateLog({}))
    unit.record(OF_A_GUESS, Start("train", (4, 7)))
    unit.record(OF_A_PROGRAM, Start(None, (2, 1)))
    assert unit.events == {OF_A_GUESS.key: OF_A_GUESS} and unit.starts == {OF_A_GUESS.key: Start("train", (4, 7))}
    assert unit.firm_events == {OF_A_GUESS.key: OF_A_PROGRAM}


def test_the_surest_of_a_program_stands_alone() -> None:
    unit = Unit(Reveals(None), StateLog({}))
    unit.record(OF_A_PROGRAM, None)
    unit.record(OF_A_GUESS, None)
    assert unit.events == unit.firm_events == {OF_A_GUESS.key: OF_A_GUESS}
