"""Reads off a failure's message which changes of the inputs are worth trying, likeliest first."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping

import jax.numpy as jnp

from ..inputs.specs import (
    SIZE,
    Array,
    Fields,
    Function,
    Given,
    Key,
    Omitted,
    Placeholder,
    Plain,
    Sequence,
    Spec,
    leaves,
    namespace,
    of_rank,
    replaced,
    scalar,
)
from ..inputs.targets import Inputs, Parameter
from ..inside_jax.failures import Failure
from ..watching.watch import Run

Leaf = tuple[str, tuple[int, ...], Spec]
"""A parameter's name, the path to one of its parts, and that part."""


def suggestions(inputs: Inputs, involved: list[Parameter], run: Run) -> Iterator[Inputs]:
    """Inputs with the changes that a failure asks for.

    Args:
        inputs: those that failed.
        involved: the parameters that the failing line depends on, nearest first.
        run: the run that failed.
    """
    failure = run.failure
    if run.stuck.supplier:
        yield from _with_placeholders(inputs)
    if failure is None:
        return
    if key := missing_key(failure):
        yield from _with_key(inputs, involved, key)
    yield from _with_named(inputs, failure.message)
    for pattern, rule in _RULES:
        if (found := re.search(pattern, failure.message)) is not None:
            yield from rule(inputs, _leaves(inputs, involved), found)


def supplied(inputs: Inputs, run: Run) -> Iterator[Inputs]:
    """The inputs with the values that a library asked for in place of placeholders."""
    for name, value in inputs:
        for path, leaf in leaves(value):
            if isinstance(leaf, Placeholder) and leaf.number in run.stuck.wanted:
                yield changed(inputs, name, path, Given(run.stuck.wanted[leaf.number]))


def has_placeholder(inputs: Inputs) -> bool:
    """Whether the inputs hold a placeholder."""
    return any(isinstance(leaf, Placeholder) for _, value in inputs for _, leaf in leaves(value))


def missing_key(failure: Failure) -> str:
    """The missing key, if the code indexed with a string something that lacks it or has no keys; else ""."""
    if "KeyError" in failure.bases:
        return failure.message.strip("'\"")
    found = re.search(r"string indexing; got idx='([^']+)'", failure.message)
    return found.group(1) if found else ""


def changed(inputs: Inputs, name: str, path: tuple[int, ...], spec: Spec) -> Inputs:
    """The inputs with one part of one parameter replaced."""
    return tuple((other, replaced(value, path, spec) if other == name else value) for other, value in inputs)


def _leaves(inputs: Inputs, involved: list[Parameter]) -> list[Leaf]:
    """The parts of the involved parameters, then those of the others."""
    given = dict(inputs)
    names = [parameter.name for parameter in involved]
    names += [name for name in given if name not in names]
    return [(name, path, leaf) for name in names for path, leaf in leaves(given[name])]


def _is_number(leaf: Spec) -> bool:
    return isinstance(leaf, Plain) and isinstance(leaf.value, (int, float)) and not isinstance(leaf.value, bool)


def _put(inputs: Inputs, parts: list[Leaf], specs: tuple[Spec, ...], test: Callable[[Spec], bool]) -> Iterator[Inputs]:
    """Puts each of some specifications in place of each part that passes a test."""
    for name, path, leaf in parts:
        if test(leaf):
            for spec in specs:
                if spec != leaf:
                    yield changed(inputs, name, path, spec)


def _is_plain_or_array(leaf: Spec) -> bool:
    return isinstance(leaf, (Array, Plain, Function, Key))


def _of_length(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    """Arrays and tuples that unpack into so many parts."""
    length = int(found.group(1))
    for inner in (scalar(), of_rank(1), of_rank(2)) if length <= 12 else ():
        made = (Array("float32", (length, *inner.shape)), Sequence(tuple, (inner,) * length))
        yield from _put(inputs, parts, made, lambda leaf: isinstance(leaf, (Array, Plain)))


def _as_integers(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    """Whole numbers in one array at a time."""
    for name, path, leaf in parts:
        if isinstance(leaf, Array) and leaf.dtype == "float32":
            for shape in dict.fromkeys((leaf.shape, of_rank(1).shape)):
                yield changed(inputs, name, path, Array("int32", shape))
        elif isinstance(leaf, Plain) and isinstance(leaf.value, float):
            yield changed(inputs, name, path, Plain(SIZE))
            yield changed(inputs, name, path, Array("int32", ()))


def _as_python_integers(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    yield from _put(inputs, parts, (Plain(SIZE), Plain(1), Plain(2)), _is_plain_or_array)
    yield from _put(inputs, parts, (Sequence(tuple, (Plain(SIZE),)), Sequence(tuple, (Plain(1),))), _is_plain_or_array)


def _as_floats(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    for name, path, leaf in parts:
        if isinstance(leaf, Array) and leaf.dtype != "float32":
            yield changed(inputs, name, path, Array("float32", leaf.shape))
        elif isinstance(leaf, Plain) and isinstance(leaf.value, int):
            yield changed(inputs, name, path, Plain(0.7))


def _as_arrays(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    """Arrays in place of all numbers at once, then of each one."""
    for spec in (scalar(), of_rank(1), of_rank(2)):
        every = inputs
        for name, path, leaf in parts:
            if _is_number(leaf):
                every = changed(every, name, path, spec)
        yield every
        yield from _put(inputs, parts, (spec,), lambda leaf: isinstance(leaf, (Plain, Function)))


def _of_more_axes(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    """Arrays with one more axis, then with two."""
    for more in (1, 2):
        for name, path, leaf in parts:
            if isinstance(leaf, Array):
                yield changed(inputs, name, path, Array(leaf.dtype, (*leaf.shape, *(SIZE,) * more)))
            elif _is_number(leaf):
                yield changed(inputs, name, path, of_rank(more))


def _of_rank(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    words = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
    said = next(group for group in found.groups() if group)
    rank = words[said] if said in words else int(said)
    for name, path, leaf in parts if rank < 7 else ():
        if isinstance(leaf, Array) and len(leaf.shape) != rank:
            yield changed(inputs, name, path, of_rank(rank, leaf.dtype))
        elif _is_number(leaf):
            yield changed(inputs, name, path, of_rank(rank))


def _all_of_rank(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    """Two arrays of the rank that an operation on both asks for."""
    rank = int(found.group(1))
    wanted = [(name, path) for name, path, leaf in parts if isinstance(leaf, Array) or _is_number(leaf)]
    for at, (name, path) in enumerate(wanted if rank < 7 else ()):
        for other, other_path in wanted[at + 1 :]:
            yield changed(changed(inputs, name, path, of_rank(rank)), other, other_path, of_rank(rank))


def _of_multiples(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    """Longer sides, which more numbers divide; last axes first."""
    for times in (3, 5):
        for name, path, leaf in parts:
            if isinstance(leaf, Array):
                for at in reversed(range(len(leaf.shape))):
                    shape = (*leaf.shape[:at], leaf.shape[at] * times, *leaf.shape[at + 1 :])
                    yield changed(inputs, name, path, Array(leaf.dtype, shape))


def _of_other_sizes(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    """Sides with the length of the other side, from the different shapes or sizes that the message names."""
    shapes: list[tuple[int, ...]]
    shapes = [tuple(map(int, re.findall(r"\d+", text))) for text in re.findall(_SHAPE, found.string)]
    if len(shapes) < 2 and 2 <= len(numbers := re.findall(r"(?<![\w.])\d+(?![\w.])", found.string)) <= 4:
        shapes = [(int(number),) for number in numbers]
    pairs = [(a, b) for one in shapes[:4] for other in shapes[:4] for a, b in _unequal(one, other)]
    for a, b in dict.fromkeys(pairs):
        for name, path, leaf in parts:
            if isinstance(leaf, Array) and a in leaf.shape:
                for at in (at for at, side in enumerate(leaf.shape) if side == a):
                    shape = (*leaf.shape[:at], b, *leaf.shape[at + 1 :])
                    if math.prod(shape) > _MOST_ELEMENTS:
                        continue
                    yield changed(inputs, name, path, Array(leaf.dtype, shape))
            elif isinstance(leaf, Plain) and leaf.value == a and not isinstance(leaf.value, bool):
                yield changed(inputs, name, path, Plain(b))
    if shapes and len(set(map(len, shapes[:2]))) > 1:
        yield from _of_more_axes(inputs, parts, found)
        yield from _of_fewer_axes(inputs, parts)


def _unequal(one: tuple[int, ...], other: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The sides in which two shapes differ, last axes first."""
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b and b > 0:
            yield a, b


def _with_attribute(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    """Objects with the missing attribute."""
    attribute = found.group(1)
    for made in (of_rank(1), Function("sum"), scalar(), Plain(SIZE)):
        for name, path, leaf in parts:
            if isinstance(leaf, Fields) and leaf.maker is namespace and attribute not in dict(leaf.items):
                yield changed(inputs, name, path, Fields(namespace, (*leaf.items, (attribute, made))))
            elif isinstance(leaf, (Plain, Array)):
                yield changed(inputs, name, path, Fields(namespace, ((attribute, made),)))


def _with_argument(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    """Instances with the arguments that their constructor misses."""
    owner, names = found.group(1), re.findall(r"'(\w+)'", found.group(2))
    for made in (of_rank(1), Plain(SIZE), Function("sum")):
        for name, path, leaf in parts:
            if isinstance(leaf, Fields) and getattr(leaf.maker, "__name__", "") == owner:
                items = (*leaf.items, *((missing, made) for missing in names))
                yield changed(inputs, name, path, Fields(leaf.maker, items))


def _with_named(inputs: Inputs, message: str) -> Iterator[Inputs]:
    """Values for parameters, also of constructors, that kept their defaults and that the message names."""
    words = {word for found in re.findall(r"[`'\"](\w+)[`'\"]|(\w+)=", message) for word in found}
    for made in (of_rank(1), of_rank(2), scalar(), Plain(SIZE), Function("sum")):
        for name, value in inputs:
            if isinstance(value, Omitted) and name in words:
                yield changed(inputs, name, (), made)
            for path, leaf in leaves(value):
                if isinstance(leaf, Fields) and (missing := [one for one in _left_out(leaf) if one in words]):
                    for given in (missing, *([one] for one in missing)):
                        items = (*leaf.items, *((one, made) for one in given))
                        yield changed(inputs, name, path, Fields(leaf.maker, items))


def _left_out(leaf: Fields) -> list[str]:
    """The constructor's parameters that keep their defaults."""
    if not isinstance(leaf.maker, type) or leaf.maker is dict:
        return []
    try:
        parameters = inspect.signature(leaf.maker).parameters
    except (TypeError, ValueError):
        return []
    return [name for name in parameters if name not in dict(leaf.items)]


def _of_fewer_axes(inputs: Inputs, parts: list[Leaf]) -> Iterator[Inputs]:
    for name, path, leaf in parts:
        if isinstance(leaf, Array) and leaf.shape:
            yield changed(inputs, name, path, Array(leaf.dtype, leaf.shape[1:]))


def _alike(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    """One parameter with the structure of another one, as gradients have that of parameters."""
    names = list(dict.fromkeys(name for name, path, leaf in parts if not isinstance(leaf, Omitted)))[:5]
    given: Mapping[str, Spec] = dict(inputs)
    for one in names:
        for other in names:
            if one != other and given[one] != given[other]:
                yield changed(inputs, other, (), given[one])


def _of_carry(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
    """Arrays of the shape with which a loop's body returns them, all that have grown at once, then each alone."""
    grown: dict[Array | None, Array] = {}
    for dtype, before, wanted, after in re.findall(_CARRY, found.string):
        grown[_array(dtype, before)] = _array(wanted, after)
    every = inputs
    for name, path, leaf in parts:
        if (new := grown.get(_traced_as(leaf))) is not None:
            every = changed(every, name, path, new)
    yield every
    for name, path, leaf in parts:
        if (new := grown.get(_traced_as(leaf))) is not None:
            yield changed(inputs, name, path, new)


def _array(dtype: str, sides: str) -> Array:
    return Array(dtype, tuple(map(int, re.findall(r"\d+", sides))))


def _traced_as(leaf: Spec) -> Array | None:
    """The array that JAX traces a part as; None if it is neither an array nor a number."""
    if isinstance(leaf, Plain) and _is_number(leaf):
        return Array("int32" if isinstance(leaf.value, int) else "float32", ())
    return Array(leaf.dtype, leaf.shape) if isinstance(leaf, Array) else None


def _as(*specs: Spec) -> Callable[[Inputs, list[Leaf], re.Match[str]], Iterator[Inputs]]:
    def rule(inputs: Inputs, parts: list[Leaf], found: re.Match[str]) -> Iterator[Inputs]:
        return _put(inputs, parts, specs, _is_plain_or_array)

    return rule


_MOST_ELEMENTS = 1 << 16
_SHAPE = r"[(\[]([\d, ]*\d,?)[)\]]"
_CARRY = r"input carry component\b.*? has type (\w+)\[([\d,]*)\] but .*? has type (\w+)\[([\d,]*)\]"
_WORD = r"(one|two|three|four|five|\d)"
_RULES: tuple[tuple[str, Callable[[Inputs, list[Leaf], re.Match[str]], Iterator[Inputs]]], ...] = (
    (_CARRY, _of_carry),
    (r"unpack \(expected (\d+)", _of_length),
    (r"(\w+)\.__init__\(\) missing \d+ required [\w-]+ arguments?: (.*)", _with_argument),
    (r"(\w+)\.__new__\(\) missing \d+ required [\w-]+ arguments?: (.*)", _with_argument),
    (
        r"[Ii]ndexer must have integer|must be (?:of|an) integer|numpy\.integer|integer type|type must be an integer",
        _as_integers,
    ),
    (
        r"as an integer|must be an? int\b|integer scalar arrays|1D sequences of concrete|"
        r"concrete values of integer type|can only concatenate tuple|expected an integer",
        _as_python_integers,
    ),
    (r"(?:must|should|requires?|accept|expects?).*(?:float|inexact|real)", _as_floats),
    (
        r"(?:no attribute '(?:shape|dtype|ndim|T|at|astype|reshape|size|sum|mean|max|min|aval|ravel)')|"
        r"accepts only NDarrays|must be an? (?:jax )?[Aa]rray|jax[\. ][Aa]rray",
        _as_arrays,
    ),
    (r"PRNG key|key array|random key|a key\b|seed", _as(Key())),
    (r"not callable|must be callable|[Cc]allable", _as(Function("sum"), Function("same"))),
    (r"data ?type|dtype argument|as a dtype", _as(Given(jnp.float32))),
    (r"ndim of lhs and rhs, got (\d)", _all_of_rank),
    (r"equal division", _of_multiples),
    (
        rf"at least {_WORD}[- ]dimension|ndims? ?(?:>=|at least) ?{_WORD}|must be {_WORD}-?[dD]\b|rank {_WORD}\b|"
        rf"{_WORD}-dimensional|but {_WORD} were indexed",
        _of_rank,
    ),
    (
        r"0-d|rank[- ]0|no leading axis|tuple index out of range|[Tt]oo many indices|out of bounds for array of dim|"
        r"unsized object|has no len|not subscriptable|scalar|must have (?:at least|rank)",
        _of_more_axes,
    ),
    (r"structure|same tree|Dict key mismatch|node type mismatch|[Tt]oo (?:many|few) leaves", _alike),
    (r"shape|size|dimension|depth|broadcast|length|reshape|features|channels|must match|divisible", _of_other_sizes),
    (
        r"(?:not iterable|over a 0-d|has no len|not subscriptable)",
        _as(of_rank(1), Sequence(list, (of_rank(1), of_rank(1))), Sequence(tuple, (Plain(1),))),
    ),
    (r"os\.PathLike|expected str|must be (?:a )?str|string", _as(Plain("a"))),
    (r"out of bounds|axis", _as(Plain(0), Plain(-1))),
    (r"no attribute '(\w+)'", _with_attribute),
)
"""Patterns of messages, each with the changes to try."""


def _with_placeholders(inputs: Inputs) -> Iterator[Inputs]:
    """A placeholder in one place after the other, to ask the library which value it needs there."""
    for name, value in inputs:
        for number, (path, leaf) in enumerate(leaves(value)):
            if not isinstance(leaf, Omitted):
                yield changed(inputs, name, path, Placeholder(number))


def _with_key(inputs: Inputs, involved: list[Parameter], key: str) -> Iterator[Inputs]:
    """Dicts with the key added, then dicts in place of arrays, alone or in a list."""
    new = Fields(dict, ((key, of_rank(1)),))
    for name, value in inputs:
        everywhere = value
        for path, leaf in leaves(value):
            if isinstance(leaf, Fields) and leaf.maker is dict and key not in dict(leaf.items):
                everywhere = replaced(everywhere, path, Fields(dict, (*leaf.items, *new.items)))
        yield changed(inputs, name, (), everywhere)
        for path, leaf in leaves(value):
            if isinstance(leaf, Fields) and leaf.maker is dict and key not in dict(leaf.items):
                yield changed(inputs, name, path, Fields(dict, (*leaf.items, *new.items)))
    parts = _leaves(inputs, involved)
    yield from _put(inputs, parts, (new, Sequence(list, (new, new))), lambda leaf: isinstance(leaf, (Array, Plain)))
