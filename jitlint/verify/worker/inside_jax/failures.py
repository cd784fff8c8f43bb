"""Reads exceptions: which of the user's frames they went through, and which kinds of event they prove."""

from __future__ import annotations

import dis
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..process import guard
from ..user_code.sites import Site, site_of


@dataclass(frozen=True)
class Failure:
    """An exception as the user would see it.

    Attributes:
        type: the name of its class.
        bases: the names of its class and of all base classes.
        message: its text.
        sites: the places in the user's frames, innermost last.
        operation: the instruction at the innermost place, by its name in `dis`.
        refused: whether it comes from something that code may not do here, such as writing a file.
    """

    type: str
    bases: tuple[str, ...]
    message: str
    sites: tuple[Site, ...]
    operation: str = ""
    refused: bool = False

    @property
    def first_line(self) -> str:
        lines = self.message.strip().splitlines()
        return lines[0][:300] if lines else ""

    @property
    def site(self) -> Site | None:
        return self.sites[-1] if self.sites else None


def read(error: BaseException, user_files: Collection[str]) -> Failure:
    """Reads an exception, with its frames in the user's files."""
    bases = tuple(base.__name__ for base in type(error).__mro__)
    sites = tuple(_sites(error, user_files))
    refused = any(guard.is_refusal(_message(each)) for each in _chain(error))
    return Failure(type(error).__name__, bases, _message(error), sites, _operation(error, user_files), refused)


def misses_buffer(failure: Failure) -> bool:
    """Whether an array has lost its buffer, by donation or otherwise."""
    return re.search(r"deleted|donat", failure.message) is not None


def _message(error: BaseException) -> str:
    try:
        return str(error)[:20000]
    except BaseException:  # noqa: BLE001  a user's exception may fail to print itself
        return ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception, then its causes, the nearest first."""
    seen: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and not any(link is one for one in seen):
        seen.append(link)
        yield link
        link = link.__cause__


def _sites(error: BaseException, user_files: Collection[str]) -> Iterator[Site]:
    entry = error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename in user_files:
            yield site_of(code, entry.tb_lasti)
        entry = entry.tb_next
    if isinstance(error, SyntaxError) and error.filename in user_files:
        yield Site(str(error.filename), error.lineno or 1, 0, error.lineno or 1, 1000, "<module>")


def _operation(error: BaseException, user_files: Collection[str]) -> str:
    """The instruction at which the innermost user frame stopped."""
    found = ""
    entry = error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename in user_files:
            found = dis.opname[code.co_code[entry.tb_lasti]]
        entry = entry.tb_next
    return found


TRACER = (
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "ConcretizationTypeError",
    "TracerArrayConversionError",
    "NonConcreteBooleanIndexError",
)
"""The exceptions that say that a tracer has no value."""

_AMBIGUOUS = r"truth value of an array|ambiguous"
_SCALAR = r"scalar|interpreted as an integer|must be real number|argument must be"
_NO_TYPE = r"not a valid JAX (array )?type|Error interpreting argument|as an abstract array|Cannot interpret value"

_OF_TRACER = r"\A(?!unsupported operand)(?s:.*)[Tt]race[dr]"

Test = tuple[tuple[str, ...], str]
"""Names of exception types, one of which must be among the bases, and a pattern that the message must contain."""

STRONG: dict[str, tuple[Test, ...]] = {
    "bool": ((("TracerBoolConversionError",), ""),),
    "index": ((("TracerIntegerConversionError",), ""), (("ConcretizationTypeError",), "")),
    "hash": ((("TypeError",), r"unhashable"),),
    "convert": ((TRACER, ""),),
    "host": (
        (TRACER, ""),
        (("TypeError", "ValueError", "NotImplementedError", "AttributeError"), _OF_TRACER),
        (("TypeError",), r"SeedSequence|real number|must be"),
    ),
    "host-method": ((("AttributeError",), ""), (("ConcretizationTypeError",), "")),
    "format": (
        (("TypeError",), r"format|real number|integer is required"),
        (("AttributeError", "KeyError"), r"Trace"),
        (TRACER, ""),
    ),
    "text": ((("ValueError",), r"Unused .*arguments"), (("TypeError",), r"expected str")),
    "shape": (
        (("TypeError",), r"[Ss]hapes? must be|concrete|interpreted as an integer"),
        (TRACER, ""),
        (("IndexError",), r"static"),
        (("UnexpectedTracerError",), ""),
    ),
    "slice": ((("IndexError",), r"static|[Ss]lic|None"), (TRACER, ""), (("TypeError",), r"slice indices")),
    "mask-index": ((("NonConcreteBooleanIndexError",), ""),),
    "data-shape": ((TRACER, ""),),
    "in-place": (
        (("TypeError",), r"item assignment|immutable|read-only|item deletion|argument 'out'"),
        (TRACER, ""),
        (("NotImplementedError", "AttributeError", "ValueError"), ""),
    ),
    "frozen": (
        (("FrozenInstanceError",), ""),
        (("AttributeError", "TypeError"), r"assign|set attribute|immutable|setter"),
        (("SetAttributeFrozenModuleError", "SetAttributeInModuleSetupError", "FlaxError"), ""),
    ),
    "static-name": (
        (("ValueError", "TypeError", "IndexError"), r"argnum|argname|does not take|positional|cannot intersect"),
    ),
    "static-field": ((("ValueError",), r"equality of metadata|ambiguous"),),
    "static-value": ((("ValueError", "TypeError"), r"[Nn]on-hashable|unhashable"),),
    "iterator-argument": (
        (("TypeError",), _NO_TYPE + r"|has no len|requires ndarray or scalar"),
        (("ValueError",), "Need at least one array"),
    ),
    "iterator-result": ((("TypeError",), r"not a valid JAX type|generator"),),
    "invalid-argument": ((("TypeError",), _NO_TYPE + r"|requires ndarray or scalar|unsupported operand"),),
    "invalid-result": ((("TypeError",), _NO_TYPE),),
    "no-result": ((("TypeError",), "Output was None"), (("ValueError",), "at least one array")),
    "operand-dtypes": ((("TypeError",), r"dtype"),),
    "carry": (
        (("TypeError",), r"carry input and carry output must"),
        (("ValueError",), r"Too (many|few) leaves"),
        (("IndexError",), r"list index out of range"),
    ),
    "branches": ((("TypeError",), r"branch(es| outputs) must|sequence of callables|positional argument"),),
    "open-loop": ((("ValueError",), "Reverse-mode differentiation does not work"),),
    "gradient": ((("TypeError",), r"Gradient only defined|grad requires real"),),
    "derivative-rule": (
        (("TypeError",), r"Custom (VJP|JVP)|positional argument|[Cc]ustom_(vjp|jvp)"),
        (("ValueError",), r"unpack"),
    ),
    "trees": (
        (("ValueError",), r"[Mm]ismatch|structure|Expected|[Aa]rity"),
        (("TypeError",), r"unsupported operand|object is not"),
    ),
    "axis-name": ((("NameError",), r"unbound axis name"),),
    "predicate": ((("TypeError",), r"must return a boolean scalar"),),
    "body-order": ((("TypeError", "IndexError", "AttributeError", "ValueError"), ""),),
    "body-result": ((("TypeError",), r"must be a pair"),),
    "selector": ((("TypeError",), r"Pred |predicate is None|[Ii]ndex type must|index must be scalar"),),
    "bounds": ((("TypeError",), r"must have equal types"),),
    "lengths": (
        (
            ("ValueError",),
            r"leading axis|same first dimension|inconsistent sizes|rank should be at least|in_axes must be",
        ),
    ),
    "donated": (
        (
            ("RuntimeError", "ValueError"),
            r"has been deleted|deleted or donated|(previously donated|also used) (in|by) the same call|"
            r"donate the same buffer twice",
        ),
    ),
    "iterator-next": ((("UnexpectedTracerError", "StopIteration"), ""), (("RuntimeError",), "StopIteration")),
    "leak": ((("UnexpectedTracerError",), ""),),
}
"""Per kind of event, the exceptions that prove it when they arise at its place."""

WEAK: dict[str, tuple[Test, ...]] = {
    "bool": ((("ValueError",), _AMBIGUOUS),),
    "index": ((("TypeError",), _SCALAR + r"|integer|indices must"),),
    "convert": ((("TypeError",), _SCALAR),),
    "shape": ((("TypeError",), _SCALAR),),
    "slice": ((("TypeError",), _SCALAR),),
    "host": ((("TypeError", "ValueError"), _SCALAR + "|" + _AMBIGUOUS),),
}
"""Weaker proof, used if nothing clearer comes: exceptions of arrays with more than one element."""


def bears_out(kind: str, failure: Failure, *, weak: bool = False) -> bool:
    """Whether the failure is of the type that an event of this kind raises."""
    tests = (WEAK if weak else STRONG).get(kind, ())
    return any(set(names) & set(failure.bases) and re.search(pattern, failure.message) for names, pattern in tests)


_DTYPE = re.compile(r"\b(bool|u?int\d*|b?float\d*|complex\d*)\b")


def shows_difference(failure: Failure, difference: str) -> bool:
    """Whether `lax.scan`, `cond` … failed because of the predicted difference, which is in the analyzer's words."""
    difference = re.sub(r"'[^']*'", "", difference)
    dtypes = set(_DTYPE.findall(difference))
    if len(dtypes) == 2:
        kinds = (dtype if dtype[-1].isdigit() else rf"[ub]?{dtype}\d*" for dtype in dtypes)
        named = all(re.search(rf"\b{kind}\[", failure.message) for kind in kinds)
        return named and "dtypes do not match" in failure.message
    if re.search(r"\brank\b|\baxis\b|\bshape", difference):
        return "shapes do not match" in failure.message
    if re.search(r"\blea(f|ves)\b", difference):
        return re.search(r"leaves|list index", failure.message) is not None
    if "operand" in difference:
        return "positional argument" in failure.message
    return not difference or re.search(r"pytree structure|sequence of callables", failure.message) is not None


def names_tracer(failure: Failure) -> bool:
    """Whether the failure can only come from a tracer, by its type or its words."""
    return is_concretization(failure) or re.search(r"Tracer|Traced<|traced array", failure.message) is not None


def hides(failure: Failure) -> bool:
    """Whether the failure hides the code after it for all inputs of the same shapes, since a tracer has no value."""
    if is_concretization(failure):
        return True
    kinds = ("shape", "slice", "format", "hash", "in-place")
    lacks = "AttributeError" in failure.bases  # more often caused by made-up inputs
    return names_tracer(failure) and not lacks and any(bears_out(kind, failure) for kind in kinds)


def stops(failure: Failure) -> bool:
    """Whether the failure hides the code after it if the inputs are true ones, and can be forced past."""
    return hides(failure) or bears_out("carry", failure) or bears_out("branches", failure)


def is_concretization(failure: Failure) -> bool:
    """Whether Python needed the value of a tracer, which fails for all inputs of the same shapes."""
    return bool(set(TRACER) & set(failure.bases))


def missing_package(failure: Failure) -> str:
    """The package that an import did not find, "" if a failure is anything else."""
    named = re.match(r"No module named '([\w.]+)'", failure.message)
    return named.group(1) if named is not None and {"ModuleNotFoundError", "AbsentError"} & set(failure.bases) else ""


def undefined_name(failure: Failure) -> str:
    """The name that was not defined, "" if a failure is anything else."""
    named = re.match(r"name '(\w+)' is not defined", failure.message)
    return named.group(1) if named is not None and "NameError" in failure.bases else ""
