"""Runs the examples of rules under JAX, and writes what happened as JSON to standard output: {"CODE example": {...}}.

The arguments are the codes of the rules.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback
from typing import Any

import jax

from jitlint.rules.registry import all_rules
from jitlint.rules.rule import Rule

COMPILED = "/jax/core/compile/backend_compile_duration"


def main() -> None:
    compiled: list[str] = []

    def note(event: str, duration: float, **details: Any) -> None:
        if event == COMPILED:
            compiled.append(str(details.get("fun_name")))

    jax.monitoring.register_event_duration_secs_listener(note)
    outcomes: dict[str, dict[str, Any]] = {}
    for rule in all_rules():
        if rule.code in sys.argv[1:] and rule.language == "python":
            for which in ("example", "fixed_example"):
                compiled.clear()
                outcomes[f"{rule.code} {which}"] = outcome(rule, getattr(rule, which), compiled)
    print(json.dumps(outcomes))


def outcome(rule: Rule, code: str, compiled: list[str]) -> dict[str, Any]:
    """The error's first line ("" if none) and the symptom's value (None without one)."""
    names: dict[str, Any] = {"__name__": "example"}
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"<{rule.code}>", "exec"), names)
    except Exception as error:  # noqa: BLE001 - examples raise whatever JAX and Python raise
        return {"error": first_line(error), "symptom": None}
    if not rule.symptom:
        return {"error": "", "symptom": None}
    names.update(printed=printed.getvalue().splitlines(), compiled=list(compiled))
    return {"error": "", "symptom": bool(eval(rule.symptom, names))}


def first_line(error: Exception) -> str:
    """The line with the error's type, after the source that a SyntaxError shows first."""
    lines = "".join(traceback.format_exception_only(error)).splitlines()
    return next(line for line in lines if not line.startswith(" "))


if __name__ == "__main__":
    main()
