"""Abstract values in words, for `reveal_stage`, `jitlint stage` and editors.

This takes two steps, since lists and instances change while the program runs on. `summarize` copies what a value is
now; at the end, `merge_summaries` joins what one expression was at different times, and `describe` puts that in words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from jitlint.analysis.values.arrays import Array, HostArray, JaxArray, Traced
from jitlint.analysis.values.base import NEVER, Const, Static, Union, Unknown, Value
from jitlint.analysis.values.callables import BoundMethod, Function, Partial, Transformed
from jitlint.analysis.values.containers import Dict, DictView, Iterator, List, Sequence, Tuple
from jitlint.analysis.values.joins import alternatives, join
from jitlint.analysis.values.objects import Class, Descriptor, Instance, Super
from jitlint.analysis.values.outside import AtIndexer, DecoratorOf, External, ExternalInstance, Method, ModuleValue

MAX_DEPTH = 3
"""Containers that are nested deeper are shown without their parts."""

MAX_PARTS = 8
"""Parts of a container that are shown; of the others, the number is."""

MAX_TEXT = 40
"""Characters of a constant that are shown."""


class Leaf(NamedTuple):
    """A value without parts, or whose parts are not shown."""

    value: Value


class Node(NamedTuple):
    """A container or an instance, as it was when it was summarized."""

    kind: str
    """Its type in words: "list", "Model instance"."""
    parts: tuple[tuple[str, Summary], ...]
    """Its parts, each with a label: the key, the attribute's name, or "" for an element."""
    open: bool = False
    """Whether its length is not known: the one part then stands for any number of elements."""


Summary: TypeAlias = tuple[Leaf | Node, ...]
"""What a value may be, one by one: several where it depends on the path."""


# --- summaries --------------------------------------------------------------------------------------------------------


def summarize(value: Value, depth: int = MAX_DEPTH) -> Summary:
    """What a value is now, with the parts of containers down to `depth`; later changes of the value do not show."""
    if isinstance(value, Union):
        return merge_summaries(summarize(part, depth) for part in value.alternatives)
    node = _node(value, depth - 1) if depth else None
    return (node or Leaf(value),)


def _node(value: Value, depth: int) -> Node | None:
    """The summary of a container or an instance; None for a value without parts to show."""
    if isinstance(value, Tuple):
        kind = value.cls.code.name if value.cls is not None else "tuple"
        return Node(kind, tuple(("", summarize(element, depth)) for element in value.elements))
    if isinstance(value, Sequence):
        return _open_node(value.kind, value.element, depth)
    if isinstance(value, List):
        content = value.content
        inner = _node(content, depth) if isinstance(content, (Tuple, Sequence)) else None
        return Node(value.kind, inner.parts, inner.open) if inner else None
    if isinstance(value, Dict):
        entries = [(repr(key), summarize(entry, depth)) for key, entry in value.entries.items()]
        rest = value.rest
        if rest is not NEVER:
            entries.append(("…", summarize(rest, depth)))
        return Node("dict", tuple(entries))
    if isinstance(value, Instance) and depth == MAX_DEPTH - 1:
        fields = [
            (str(name), summarize(field, depth)) for name, field in value.fields.items() if isinstance(field, Value)
        ]
        return Node(f"{value.cls.code.name} instance", tuple(fields))
    if isinstance(value, Iterator):
        return _open_node(value.kind, value.element, depth)
    return None


def _open_node(kind: str, element: Value, depth: int) -> Node:
    """The summary of a container of unknown length."""
    return Node(kind, (("", summarize(element, depth)),), open=True) if element is not NEVER else Node(kind, ())


def merge_summaries(summaries: Iterable[Summary]) -> Summary:
    """One summary that stands for all of several."""
    merged: list[Leaf | Node] = []
    for part in [part for summary in summaries for part in summary]:
        for i, earlier in enumerate(merged):
            both = _merge(earlier, part)
            if both is not None:
                merged[i] = both
                break
        else:
            merged.append(part)
    return tuple(merged)


def _merge(a: Leaf | Node, b: Leaf | Node) -> Leaf | Node | None:
    """One that stands for both; None if they are of different kinds."""
    if isinstance(a, Node) and isinstance(b, Node):
        return _merge_nodes(a, b) if a.kind == b.kind else None
    if isinstance(a, Leaf) and isinstance(b, Leaf):
        if isinstance(a.value, Unknown) is not isinstance(b.value, Unknown):
            return None
        both = join(a.value, b.value)
        return None if isinstance(both, Union) else Leaf(both)
    return None


def _merge_nodes(a: Node, b: Node) -> Node:
    """Joins two containers of one kind part by part; lists and tuples of different lengths have one part for all."""
    names, others = ([name for name, _ in node.parts] for node in (a, b))
    if a.open is b.open and names == others:
        parts = zip(a.parts, b.parts, strict=True)
        return Node(a.kind, tuple((name, merge_summaries((one, two))) for (name, one), (_, two) in parts), a.open)
    if not any(names) and not any(others):
        element = merge_summaries(part for _, part in (*a.parts, *b.parts))
        return Node(a.kind, (("", element),), open=True)
    merged: dict[str, Summary] = {}
    for name, summary in (*a.parts, *b.parts):
        merged[name] = merge_summaries((merged[name], summary)) if name in merged else summary
    return Node(a.kind, tuple(merged.items()))


# --- words ------------------------------------------------------------------------------------------------------------


def stage(summary: Summary) -> str:
    """ "traced", "static", "unknown", or "mixed" if it depends on the path."""
    stages = {_stage(part) for part in summary}
    return stages.pop() if len(stages) == 1 else "mixed"


def _stage(part: Leaf | Node) -> str:
    if isinstance(part, Leaf) and isinstance(part.value, (Traced, Unknown)):
        return "traced" if isinstance(part.value, Traced) else "unknown"
    return "static"


def describe(summary: Summary) -> str:
    """A value in words: "Static int 3", "Traced float[?] ← argument `x` of `step`"."""
    return " | ".join(dict.fromkeys(map(_describe, summary)))


def _describe(part: Leaf | Node) -> str:
    """One of several things that a value may be, in words."""
    if isinstance(part, Leaf) and isinstance(part.value, Traced):
        origin = part.value.flow.origin
        return _brief(part) + (f" ← {origin}" if origin else "")
    return _brief(part) if _stage(part) == "unknown" else f"Static {_brief(part)}"


def _brief(part: Leaf | Node) -> str:
    """A part as it is shown within a container: without "Static", and without where it was born."""
    if isinstance(part, Leaf):
        return _leaf(part.value)
    if part.kind.endswith(" instance") and not part.parts:
        return part.kind
    shown = [(f"{name}: " if name else "") + " | ".join(dict.fromkeys(map(_brief, s))) for name, s in part.parts]
    more = [f"{len(shown) - MAX_PARTS} more"] if len(shown) > MAX_PARTS else ["…"] if part.open else []
    left, right = _BRACKETS.get(part.kind, ("(", ")"))
    return f"{part.kind} {left}{', '.join([*shown[:MAX_PARTS], *more])}{right}"


_BRACKETS = {"list": ("[", "]"), "set": ("{", "}"), "dict": ("{", "}")}


def _leaf(value: Value) -> str:
    """A value without its parts, in words."""
    if isinstance(value, Traced):
        return _traced(value)
    if isinstance(value, (JaxArray, HostArray)):
        return ("jax " if isinstance(value, JaxArray) else "numpy ") + array_type(value)
    if isinstance(value, Const):
        return "None" if value.value is None else f"{type(value.value).__name__} {_short(repr(value.value))}"
    if isinstance(value, Static):
        return value.kind
    if isinstance(value, Unknown):
        return "Unknown"
    return _object(value)


def _traced(value: Traced) -> str:
    """A tracer in words, without where it was born."""
    facts = "pytree" if value.tree else array_type(value)
    concrete = " with its value" if value.concrete else ""
    return f"Traced {facts}{concrete}" + (", computed from static values" if value.from_shape else "")


def array_type(value: Array) -> str:
    """Dtype and shape as far as known: "float[3,?]", "bool[]", "int8[…]" (any rank), "array"."""
    dtype = value.dtype if not value.exact or value.exact.endswith("+") else value.exact
    weak = " weak" if value.weak else ""
    if value.rank is None:
        return f"{dtype}[…]{weak}" if dtype else "array"
    axes = ["?"] * value.rank
    if axes and value.lead is not None and value.lead[0] is None:
        axes[0] = str(value.lead[1])
    return f"{dtype or 'array'}[{','.join(axes)}]{weak}"


def _object(value: Value) -> str:
    """Functions, classes, modules and objects of libraries, in words."""
    if isinstance(value, Function):
        return "lambda" if value.code.name == "<lambda>" else f"function {value.code.qualname}"
    if isinstance(value, BoundMethod):
        return f"method of {_plain(value.receiver)}: {_plain(value.function)}"
    if isinstance(value, Partial):
        return f"partial of {_plain(value.function)}"
    if isinstance(value, Transformed):
        return f"{value.transform.name} of {_plain(value.function)}"
    if isinstance(value, Instance):
        return f"{value.cls.code.name} instance"
    if isinstance(value, Class):
        return f"class {value.code.qualname}"
    if isinstance(value, Descriptor):
        return f"{value.kind} of {_plain(value.function)}"
    if isinstance(value, ModuleValue):
        return f"module {value.module.name}"
    if isinstance(value, External):
        return value.name
    if isinstance(value, ExternalInstance):
        return f"what {value.of} gives"
    if isinstance(value, DecoratorOf):
        return f"decorator {value.name}"
    if isinstance(value, Method):
        return f"method {value.name} of {_plain(value.receiver)}"
    if isinstance(value, AtIndexer):
        return f"`.at` of {_plain(value.array)}"
    if isinstance(value, Super):
        return f"super() of {value.cls.code.qualname}"
    if isinstance(value, DictView):
        return "view (…)"
    # A container that is nested too deeply to show its parts.
    return f"{getattr(value, 'kind', type(value).__name__.lower())} (…)"


def _plain(value: Value) -> str:
    """A value within the words for another: the receiver of a method, say."""
    return " | ".join(_brief(part) for part in summarize(value, 1)) if alternatives(value) else "nothing"


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
