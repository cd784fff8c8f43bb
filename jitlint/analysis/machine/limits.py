"""The limits of the analysis: every loop, call and root ends, and beyond its limit a result is Unknown."""

from __future__ import annotations

from typing import Final

MAX_CALL_DEPTH: Final = 60
"""Project calls nested deeper than this give Unknown."""

MAX_UNROLL: Final = 8
"""Loops over known sequences up to this length run element by element."""

MAX_UNROLL_ITEMS: Final = 16
"""Loops over names, or over the items of a dict with names for its keys, run element by element up to this length."""

MAX_UNROLL_NAMES: Final = 64
"""Comprehensions over names, and over the fields of a dataclass, run element by element up to this length.

So do loops over the fields, and loops of one statement that takes no value, which declares something for each name.
"""

MAX_UNROLL_TOGETHER: Final = 512
"""The clauses of a comprehension run their element at most so often."""

MAX_ROUNDS: Final = 4
"""Rounds that a loop of unknown length runs at most; it ends before if a round changes nothing."""

PRECISE_CALLS: Final = 16
"""Calls of one function with different arguments, after which numbers among the arguments are widened."""

PRECISE_TEXTS: Final = 32
"""Calls of one function with different arguments, after which texts among them are widened, too.

There are few of them, and they pick what runs: `getattr(callback, event)`.
"""

MAX_CALLS: Final = 48
"""Calls of one function with different arguments, after which its result is Unknown."""

ROOT_CALLS: Final = 2
"""Calls of one function with different arguments that each root may make, even if others have used up MAX_CALLS."""

ROOT_FUEL = 6_000
"""Statements that one root may run. This and the next two are not Final, since tests set them lower."""

UNIT_FUEL = 120_000
"""Statements that the roots of a unit may run before each further one may run LATE_ROOT_FUEL only.

That is 30 for each line of a unit of 4,000.
"""

LATE_ROOT_FUEL = 1_500
"""Statements that a root may run if those before have run UNIT_FUEL of them."""

OPEN_FUEL = 16_000
"""How many statements the roots of a unit may run at least in runs with open options, before one more begins."""

COMMAND_LINE_FUEL = 30_000
"""How many statements the roots of a unit may run at least with one command line after the other."""

CHOICES_FUEL = 20_000
"""How many statements the roots of a unit may run at least with one choice of an option after the other."""

UNITS_AT_FULL_COST: Final = 8
"""If a component has more units, as a library with many examples does, each gets less of the last three."""

MAX_ALIKE: Final = 2
"""How many of the calls by module tops that leave out the same ways are made again."""

MAX_CHOICES: Final = 48
"""With how many choices one root runs, one after the other."""

REPEATED_FUEL = 12_000
"""Statements that a call from a module's top may run when it is made again with open options."""

SHOWN_OPTIONS = 3
"""How many open options a finding names at most."""

OPEN_SHARE = 20
"""All of these runs together may take one part in so many of what the roots took, if that is more."""

MODULE_FUEL = 60_000
"""Statements that the top level of one module may run."""

TOPS_FUEL = 400_000
"""Statements that the top levels of a component may run before each further one may run LATE_TOP_FUEL only.

Only projects with many programs run so many, such as a library with its examples.
"""

LATE_TOP_FUEL = 7_500
"""Statements that the top level of a module may run if those before have run TOPS_FUEL of them."""

CALL_COST: Final = 2
"""Statements as which a call counts, beside those of its body."""

LOOKS_PER_STATEMENT: Final = 8
"""Looks into lists, dicts and instances (`values/base.py`) that cost as much as a statement."""

MAX_LINEAGE: Final = 128
"""Bases of a class, with their own, beyond which the class may have more than is in view."""

TOO_DEEP: Final = f"calls nest deeper than {MAX_CALL_DEPTH}"
TOO_MANY: Final = f"a function is called in more than {MAX_CALLS} ways"
TOO_LONG: Final = f"more than {ROOT_FUEL} statements run"
TOO_LONG_LATE: Final = (
    f"more than {LATE_ROOT_FUEL} statements run, where other code of the unit had run {UNIT_FUEL} before"
)
TOO_LONG_TOP: Final = f"more than {MODULE_FUEL} statements run at the top level"
TOO_LONG_LATE_TOP: Final = (
    f"more than {LATE_TOP_FUEL} statements run at the top level, where other modules had run {TOPS_FUEL} before"
)

TOO_LARGE: Final = "a value becomes too large"
TOO_MUCH_MEMORY: Final = "the analysis takes too much memory"
TOO_NESTED: Final = "expressions or statements nest too deeply"
"""This and the six above: the reason that users read where a root is not followed to its end."""


def shares(units: int) -> int:
    """The number by which is divided what each unit of a component may run with other options."""
    return -(-units // UNITS_AT_FULL_COST)
