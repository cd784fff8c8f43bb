"""What is known of one library function."""

from __future__ import annotations

from typing import NamedTuple


class Parameter(NamedTuple):
    """A parameter: its name, its position (None for keyword-only), its default as text ("" if it must be given, "…" if
    it is no plain constant); `rest` for `*args`."""

    name: str
    position: int | None
    default: str
    rest: bool = False


class Concrete(NamedTuple):
    """A parameter that must be concrete: its name, and its position (None for keyword-only).

    `error` is what JAX raises for a tracer, `unless` the option that lets it be traced. `scalar`: an array may be
    traced, a number must not.
    """

    name: str
    position: int | None
    error: str = ""
    unless: str = ""
    scalar: bool = False


class Rule(NamedTuple):
    """A rule of `rules` and those that hold instead once an option is given; the last of several given decides."""

    base: str
    given: tuple[tuple[str, str], ...] = ()


NOT_ASKED = Rule("")


class FunctionModel(NamedTuple):
    """What a library function does."""

    name: str
    """Its canonical qualified name."""
    result: str = "unknown"
    """What it returns: a result word (`checks.RESULTS`), a phrase of such words (`analysis/libraries/words.py`), or for
    generated models several arrays: tuple (of known length), arrays (a tuple of another length), list."""
    concrete: tuple[Concrete, ...] = ()
    """The parameters that must be concrete."""
    data_shape: tuple[Concrete, ...] = ()
    """The parameters whose values decide the result's shape."""
    handler: str = ""
    """The mechanism of the analyzer that stands in for the function: a key of `analysis.libraries.tables.HANDLERS`."""
    effect: str = ""
    """The category of its host effect ("output", "clock" …)."""
    asserts: str = ""
    """What holds for its arguments once it has returned: rank, shape, type, same or axis."""
    strict: tuple[str, ...] = ()
    """The parameters that must have equal dtypes."""
    hashable: tuple[str, ...] = ()
    """The parameters that must be hashable."""
    parameters: tuple[Parameter, ...] = ()
    """Its parameters, as far as `concrete` or JAX's signature tells."""
    structure: Rule = NOT_ASKED
    """The structure of the result, as JAX has answered it."""
    dtypes: tuple[Rule, ...] = ()
    """The dtype of each array of the result, or one for all, as JAX has answered it."""
    ranks: tuple[Rule, ...] = ()
    """The rank of each array of the result, or one for all, as JAX has answered it."""
