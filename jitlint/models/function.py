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
    """What a library function does.

    `result`: array, bool, int, float, complex, key, same, tree, host, static-int, static-bool, static-str,
    static-shape, static-dtype, static-object, none, unknown, or a phrase (`libraries/words.py`); or several arrays:
    tuple (of known length), arrays (a tuple of another length), list. `concrete`: parameters that must be concrete;
    `data_shape`: those whose values decide the result's shape; `handler`: the mechanism in `analysis/` that stands in
    for the function; `effect`: the category of host effect; `asserts`: what a call that passed says of its arguments
    (`frameworks/assertions.py`); `strict`: parameters that must have equal dtypes; `hashable`: those that must be
    hashable. `structure`, `dtypes` and `ranks` (one for each array of the result, or one for all) are what JAX said of
    the result.
    """

    name: str
    result: str = "unknown"
    concrete: tuple[Concrete, ...] = ()
    data_shape: tuple[Concrete, ...] = ()
    handler: str = ""
    effect: str = ""
    asserts: str = ""
    strict: tuple[str, ...] = ()
    hashable: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    structure: Rule = NOT_ASKED
    dtypes: tuple[Rule, ...] = ()
    ranks: tuple[Rule, ...] = ()
