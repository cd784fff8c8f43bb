"""Judges reads of state: with another value, does the function trace to another program?"""

from __future__ import annotations

import contextlib
import re
from typing import Any

from jax import jit  # as it is before user code replaces it

from ..inputs import specs
from ..watching import slots
from ..watching.cases import Case, Witness, failure_evidence
from ..watching.watch import Run, Runner
from .replay import Replay


def judge(case: Case, witness: Witness, run: Runner, replay: Replay, source: str) -> None:
    """Decides a read of state.

    Args:
        case: the case.
        witness: a run that executed its place.
        run: runs code under watch.
        replay: what was traced in that run.
        source: the text of the place's file.
    """
    expression = case.probe.expression
    scopes = witness.run.hit(case.probe).scopes
    words = slots.words(source)
    read = slots.slots(expression, scopes[0]) if expression is not None and scopes else ()
    found = [slot for slot in read if slot.others or slots.others(slot.value, words)]
    changed = _variable(case.probe.detail.get("name", ""))
    found = [slot for slot in found if _variable(slot.name) == changed] or found
    if not found:
        case.unclear("cannot-change", state=case.probe.detail.get("name", ""))
        return
    jitted = jit(replay.fresh())
    seen: list[tuple[str, dict[str, Any]]] = []
    for slot in found:
        for new in slot.others or slots.others(slot.value, words):
            before = run("trace", replay.program)
            first = run("first call", lambda: jitted(*replay.arrays), stand_in=0)
            try:
                slot.put(new)
                second = run("second call", lambda: jitted(*replay.arrays), stand_in=0)
                after = run("trace with another value", replay.program)
            except Exception as error:  # noqa: BLE001  the user's class decides what setting an attribute does
                message = f"{type(error).__name__}: {error}"[:200]
                seen.append(("cannot-change", {"state": slot.name, "error": message}))
                continue
            finally:
                _restore(slot)
            seen.append(_compared(case, slot, new, before, after, [first, second]))
            if seen[-1][0] == "confirmed":
                case.confirm(replay.described, **seen[-1][1])
                return
    code, evidence = next((one for one in seen if one[0] != "refuted"), seen[0])
    if code == "refuted" and not all(slot.is_all for slot in found):
        case.unclear("cannot-change", state=case.probe.detail.get("name", ""))
    elif code == "refuted":
        case.refute(replay.described, **evidence)
    else:
        case.unclear(code, **evidence)


def _variable(name: str) -> str:
    """The variable or attribute that a name ends with, whatever item of it: "rates" of `self.rates[0]`."""
    return re.sub(r"(\[[^\]]*\])+$", "", name).rpartition(".")[2]


def _restore(slot: slots.Slot) -> None:
    with contextlib.suppress(Exception):  # a value that could not be changed need not be put back
        slot.put(slot.value)


def _compared(
    case: Case, slot: slots.Slot, new: Any, before: Run, after: Run, calls: list[Run]
) -> tuple[str, dict[str, Any]]:
    failed = next((one.failure for one in (before, after, *calls) if one.failure is not None), None)
    if failed is not None:
        return "failed", failure_evidence(failed)
    seen_again = calls[1].hit(case.probe).count
    described = specs.describe_value(new)
    evidence = {
        "state": slot.name,
        "value": specs.describe_value(slot.value),
        "changed_to": described if described != specs.describe_value(slot.value) else f"another {described}",
        "program_changes": before.value != after.value,
        "read_again": seen_again,
    }
    if before.value != after.value and not seen_again:
        return "confirmed", evidence
    if before.value == after.value and after.hit(case.probe).count:
        return "refuted", evidence
    return "not-attributed", evidence
