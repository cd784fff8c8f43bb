"""The record of one library function: what it returns, what it demands of its arguments, what it does besides."""

from __future__ import annotations

from typing import NamedTuple


class Parameter(NamedTuple):
    """A parameter of a library function."""

    name: str
    """Its name."""
    position: int | None
    """Its position; None if it can be given by keyword only."""
    default: str
    """Its default as text; "" if it must be given, "…" if the default is no plain constant."""
    rest: bool = False
    """Whether it is `*args`, which takes all further positional arguments."""


class Concrete(NamedTuple):
    """A parameter whose argument must be concrete: the `shape` of `jnp.zeros`, say."""

    name: str
    """Its name."""
    position: int | None
    """Its position; None if it can be given by keyword only."""
    error: str = ""
    """The error that JAX raises for a tracer."""
    unless: str = ""
    """The option with which the argument may be traced: `size` of `jnp.nonzero`."""
    scalar: bool = False
    """Whether only a scalar must be concrete, while an array of more dimensions may be traced."""


class Rule(NamedTuple):
    """A rule for the structure, dtype or rank of a result, in the language of `rules.py`."""

    base: str
    """The rule without options."""
    given: tuple[tuple[str, str], ...] = ()
    """Pairs of an option and the rule that holds if it is given; of several given options, the last decides."""


NOT_ASKED = Rule("")
"""Stands where JAX was not asked."""


class FunctionModel(NamedTuple):
    """A library function: everything that the model files and JAX's own answers say about it."""

    name: str
    """Its canonical qualified name."""
    result: str = "unknown"
    """What it returns: a result word (`checks.RESULTS`), a phrase (`analysis/libraries/result_words.py`), or for
    generated models several arrays: tuple (of known length), arrays (a tuple of unknown length), list."""
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
    """Its parameters, as far as `concrete` or JAX's signature names them."""
    structure: Rule = NOT_ASKED
    """The structure of the result, as JAX has answered it."""
    dtypes: tuple[Rule, ...] = ()
    """The dtype of each array of the result, or one for all, as JAX has answered it."""
    ranks: tuple[Rule, ...] = ()
    """The rank of each array of the result, or one for all, as JAX has answered it."""
