"""The limits of the analysis: every loop, call and root ends, and beyond its limit a result is Unknown."""

from __future__ import annotations

from typing import Final

MAX_CALL_DEPTH: Final = 60
"""Project calls nested deeper than this give Unknown."""

MAX_UNROLL: Final = 8
"""Loops over known sequences up to this length run element by element."""

MAX_ROUNDS: Final = 4
"""Rounds of a loop of unknown length until its state must be stable."""

PRECISE_CALLS: Final = 16
"""Calls of one function with different arguments before constants among them are forgotten."""

MAX_CALLS: Final = 48
"""Calls of one function with different arguments before its result is Unknown."""

ROOT_CALLS: Final = 2
"""Calls of one function with different arguments that every root may make, whatever others made."""

ROOT_FUEL = 6_000
"""Statements that one root may run (a call costs some more). Not final, as the next: tests give less."""

MODULE_FUEL = 60_000
"""Statements that the top level of one module may run."""

CALL_COST: Final = 2
TOO_DEEP: Final = f"calls nest deeper than {MAX_CALL_DEPTH}"
TOO_MANY: Final = f"a function is called in more than {MAX_CALLS} ways"
TOO_LONG: Final = f"more than {ROOT_FUEL} statements run"
TOO_LONG_TOP: Final = f"more than {MODULE_FUEL} statements run at the top level"

TOO_NESTED: Final = "expressions or statements nest too deeply"
"""What is said of a root that is not followed to its end."""
