"""What a prediction rests on beyond what the source says, by name, and how sure that leaves it.

An event that rests on nothing is certain. How often those that rest on an assumption are true is measured on findings
that were judged: `assumptions.json` holds the level that each kind has earned, and `python -m tests.ecosystem.judged
--learn` writes it.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple


class Confidence(enum.StrEnum):
    """How often what is said is true, on code that nobody tuned jitlint on."""

    CERTAIN = "certain"
    """95 times in 100."""
    LIKELY = "likely"
    """80 times in 100: it rests on an assumption that the message names."""
    POSSIBLE = "possible"
    """Less often; off unless asked for."""


class AssumptionKind(enum.StrEnum):
    """What is assumed. `Assumption.text` says it of the place."""

    UNDECIDED_JOIN = "undecided-join"
    """The value is traced on some of the paths that lead here."""
    ONE_OF_VALUES = "one-of-values"
    """A value is one of several, and others may do no harm."""
    OF_ONE_KIND = "of-one-kind"
    """Of the kinds that a value may have (None or a dict), one is meant in which it fails."""
    OFFERED_FUNCTION = "offered-function"
    """What is called is one of the functions that the project offers in one place, by a key or an option."""
    ONE_OF_FUNCTIONS = "one-of-functions"
    """What is called is one of several functions of the project, and others may do no harm."""
    ONE_OF_CALLABLES = "one-of-callables"
    """What is called is one of several objects, and others may do no harm."""
    GIVEN_NONE = "given-none"
    """What is given for a parameter whose default is None, and is not known, is None, too."""
    GIVEN_BY_TEXT = "given-by-text"
    """A text of settings (JSON, TOML, YAML) gives a field that has a default."""
    OTHER_OPTION = "other-option"
    """A parameter or field has another value than its default, or a text takes something else from a table."""
    COMMAND_LINE = "command-line"
    """A user gives some options on the command line, which is what they are for."""
    NOT_NUMPY = "not-numpy"
    """A value that is JAX's or NumPy's array is JAX's."""
    NOT_WRAPPED = "not-wrapped"
    """What is not known is no object of the project's that answers NumPy's functions itself (`__array_ufunc__`)."""
    IS_ARRAY = "is-array"
    """An argument of which nothing is known is an array, not a container."""
    NOT_ARRAY = "not-array"
    """An argument of which nothing is known is no array, on the path where it lacks what arrays have (`shape`)."""
    PART_IS_ARRAY = "part-is-array"
    """What lies within an argument of which nothing is known is an array, not a container."""
    NO_OTHER_CLASS = "no-other-class"
    """An argument of which nothing is known is of none of the project's classes that the code asks for."""
    NOT_TOLD_APART = "not-told-apart"
    """What code asks of a tracer, as for its library, and what is not known, gives no reason to go another way."""
    CLASS_GUESSED = "class-guessed"
    """An object is of a class that its attributes or its name fit, or of a subclass of the one that is known."""
    RUNS_UNDER_JIT = "runs-under-jit"
    """A framework's users run a method under jit, though no such call is in view."""
    TRACED_EXPRESSLY = "traced-expressly"
    """A framework's users run a method under jit that asks for a number expressly (`int(x)`, `x.item()`)."""
    NOT_TRACED_BY_CALLER = "not-traced-by-caller"
    """No caller out of view traces the code, so that it runs anew in each call."""
    IS_DIFFERENTIATED = "is-differentiated"
    """A function with derivative rules is differentiated somewhere."""
    LOOP_MATTERS = "loop-matters"
    """A derivative depends on the result of a loop."""
    HOLDS_REFUSED = "holds-refused"
    """A part of an argument is what JAX refuses."""
    IS_REFUSED = "is-refused"
    """An argument or a result is the one of several values that JAX refuses."""
    VIEW_OF_DICT = "view-of-dict"
    """What `keys`, `values` or `items` gives is a dict's view."""
    OTHERS_EQUAL = "others-equal"
    """The other static fields of an object are equal, so that JAX compares this one."""
    OBJECTS_DIFFER = "objects-differ"
    """What a function gets differs from call to call."""
    MANY_ROUNDS = "many-rounds"
    """A loop has many rounds."""
    NUMBER_DIFFERS = "number-differs"
    """A number that the host reads from an array in each round of a loop is not the same each time."""
    SAME_OBJECT = "same-object"
    """What is changed and what is read belongs to the same object."""
    CALLED_AGAIN = "called-again"
    """A compiled function is called again after a change."""
    CALLED_AT_ALL = "called-at-all"
    """A function of a notebook that no cell calls is called, with the values that its variables have at the end."""
    CALLS_COMPILED = "calls-compiled"
    """What is called is a compiled function."""
    CHANGED_LATER = "changed-later"
    """A change comes after the first call of a compiled function."""
    CHANGE_STAYS = "change-stays"
    """A change that is undone later, as by a context manager, is meant for calls, not for the next trace."""
    CALLED_BEFORE = "called-before"
    """Another function, which donates a buffer, is called before."""
    PATH_TAKEN = "path-taken"
    """A value is the donated one, or has another dtype, on some of the paths that lead here."""
    PATH_DONATES = "path-donates"
    """A path on which the buffer is donated is taken."""
    STILL_HELD = "still-held"
    """A variable holds what was donated, since the path is taken that does not bind it anew."""
    PATH_USES_KEY = "path-uses-key"
    """A path on which a key of random numbers is used up is taken."""
    BUFFER_TAKEN = "buffer-taken"
    """A result has the size of a donated buffer, so that JAX puts it there; else it keeps the buffer, and warns."""
    UNINTENDED_FALLBACK = "unintended-fallback"
    """A handler of all errors is not meant for those of tracers."""
    UNINTENDED_HANDLER = "unintended-handler"
    """A handler of some errors is not meant for those of tracers."""
    NOT_CAUGHT = "not-caught"
    """A handler around the code is not meant for the error."""
    NOT_IN_PLACE = "not-in-place"
    """An augmented assignment (`+=`) gives a new value, and does not change an object of which not all is in view."""
    READ_AFTERWARDS = "read-afterwards"
    """A tracer that is kept is read after its trace, not only in between."""
    WARNS_EACH_CALL = "warns-each-call"
    """A warning is meant to come with each call."""
    NO_CHEXIFY = "no-chexify"
    """No `chex.chexify` is around the code."""
    RESULT_WANTED = "result-wanted"
    """A function is called for its result, not for its time or its error."""
    NO_EFFECT = "no-effect"
    """What a function calls has no effect, so that a function without a result is of no use."""
    IS_CONTAINER = "is-container"
    """An argument of which nothing is known is an object, list or dict that can be changed."""
    MEANT_FOR_CALLER = "meant-for-caller"
    """What a function writes to an attribute of an argument, and reads again, is meant for its caller, too."""
    NO_SCRATCH = "no-scratch"
    """What a function writes to an item of an argument, and reads again, is meant for its caller, too."""
    COUNTS_EXAMPLES = "counts-examples"
    """A counter that a mapped function counts up, or an iterator that it moves on, does so once for all examples."""
    ONLY_IN_TESTS = "only-in-tests"
    """What fails in tests, or in what a test alone transforms, was not met yet by who runs the tests."""
    PASSES_TESTS = "passes-tests"
    """What fails in several files of the project's tests was not met yet by who runs the tests."""
    UNKNOWN_IS_TRACED = "unknown-is-traced"
    """A value of which nothing is known is traced (`--sound`)."""


class Assumption(NamedTuple):
    """Something that is taken to be so."""

    kind: AssumptionKind
    text: str
    """It in words, of this place: "`x` is an array"."""

    @property
    def confidence(self) -> Confidence:
        """How sure an event is at most that rests on it."""
        return _EARNED[self.kind]


LEVELS = Path(__file__).with_name("assumptions.json")
"""For each kind of assumption, its confidence, and the judgements that it comes from."""


def _read() -> dict[AssumptionKind, Confidence]:
    levels = json.loads(LEVELS.read_text(encoding="utf-8"))
    return {kind: Confidence(levels[kind]["confidence"]) for kind in AssumptionKind}


_EARNED = _read()
SURENESS = {Confidence.CERTAIN: 2, Confidence.LIKELY: 1, Confidence.POSSIBLE: 0}
"""An order of the levels: the surer, the larger."""


def weakest(assumptions: Iterable[Assumption]) -> Assumption | None:
    """The assumption that leaves an event the least sure, the first of several such; None if there is none."""
    return min(assumptions, key=lambda each: SURENESS[each.confidence], default=None)


MANY = 3
"""So many assumptions that are each only likely are not likely together: none of the first findings that rested on as
many was true."""


def confidence_of(assumptions: Collection[Assumption]) -> Confidence:
    """How sure an event is that rests on some assumptions: as sure as on the weakest alone, if they are not many.

    An option with another value, and one of the functions that the code offers for it, are one assumption.
    """
    found = weakest(assumptions)
    if found is None:
        return Confidence.CERTAIN
    kinds = {each.kind for each in assumptions if each.confidence is not Confidence.CERTAIN}
    uncertain = len(kinds - {AssumptionKind.OFFERED_FUNCTION} if AssumptionKind.OTHER_OPTION in kinds else kinds)
    return Confidence.POSSIBLE if uncertain >= MANY else found.confidence


def merged(*groups: Iterable[Assumption]) -> tuple[Assumption, ...]:
    """All assumptions of several groups; the first of each kind stands for those like it."""
    found: dict[AssumptionKind, Assumption] = {}
    for group in groups:
        for each in group:
            found.setdefault(each.kind, each)
    return tuple(found.values())
