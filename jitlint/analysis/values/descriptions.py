"""Abstract values in words: what a value was when someone looked, of which later changes show nothing."""

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
MAX_PARTS = 8
MAX_TEXT = 40


class Leaf(NamedTuple):
    """A value that has no parts to show, or none that change."""

    value: Value


class Node(NamedTuple):
    """A container or an instance: `kind` in words, its parts with their labels; `open` if there may be any number."""

    kind: str
    parts: tuple[tuple[str, Seen], ...]
    open: bool = False


Seen: TypeAlias = tuple[Leaf | Node, ...]
"""What a value may be, one by one."""


# --- looking ----------------------------------------------------------------------------------------------------------


def look(value: Value, depth: int = MAX_DEPTH) -> Seen:
    """What a value is now."""
    if isinstance(value, Union):
        return merge_all(look(part, depth) for part in value.alternatives)
    node = _node(value, depth - 1) if depth else None
    return (node or Leaf(value),)


def _node(value: Value, depth: int) -> Node | None:
    if isinstance(value, Tuple):
        kind = value.cls.code.name if value.cls is not None else "tuple"
        return Node(kind, tuple(("", look(element, depth)) for element in value.elements))
    if isinstance(value, Sequence):
        return _endless(value.kind, value.element, depth)
    if isinstance(value, List):
        content = value.content
        inner = _node(content, depth) if isinstance(content, (Tuple, Sequence)) else None
        return Node(value.kind, inner.parts, inner.open) if inner else None
    if isinstance(value, Dict):
        entries = [(repr(key), look(entry, depth)) for key, entry in value.entries.items()]
        rest = value.rest
        if rest is not NEVER:
            entries.append(("…", look(rest, depth)))
        return Node("dict", tuple(entries))
    if isinstance(value, Instance) and depth == MAX_DEPTH - 1:
        fields = [(str(name), look(field, depth)) for name, field in value.fields.items() if isinstance(field, Value)]
        return Node(f"{value.cls.code.name} instance", tuple(fields))
    if isinstance(value, Iterator):
        return _endless(value.kind, value.element, depth)
    return None


def _endless(kind: str, element: Value, depth: int) -> Node:
    return Node(kind, (("", look(element, depth)),), open=True) if element is not NEVER else Node(kind, ())


def merge_all(seen: Iterable[Seen]) -> Seen:
    """What stands for all of several looks."""
    merged: list[Leaf | Node] = []
    for part in [part for alternative in seen for part in alternative]:
        for i, kept in enumerate(merged):
            both = _merge(kept, part)
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
    names, others = ([name for name, _ in node.parts] for node in (a, b))
    if a.open is b.open and names == others:
        parts = zip(a.parts, b.parts, strict=True)
        return Node(a.kind, tuple((name, merge_all((one, two))) for (name, one), (_, two) in parts), a.open)
    if not any(names) and not any(others):
        element = merge_all(part for _, part in (*a.parts, *b.parts))
        return Node(a.kind, (("", element),), open=True)
    found: dict[str, Seen] = {}
    for name, seen in (*a.parts, *b.parts):
        found[name] = merge_all((found[name], seen)) if name in found else seen
    return Node(a.kind, tuple(found.items()))


# --- saying -----------------------------------------------------------------------------------------------------------


def stage(seen: Seen) -> str:
    """ "traced", "static", "unknown", or "mixed" if it depends on the path."""
    stages = {_stage(part) for part in seen}
    return stages.pop() if len(stages) == 1 else "mixed"


def _stage(part: Leaf | Node) -> str:
    if isinstance(part, Leaf) and isinstance(part.value, (Traced, Unknown)):
        return "traced" if isinstance(part.value, Traced) else "unknown"
    return "static"


def describe(seen: Seen) -> str:
    """A value in words: its stage, what is known of it, and where a traced one was born."""
    return " | ".join(dict.fromkeys(map(_describe, seen)))


def _describe(part: Leaf | Node) -> str:
    if isinstance(part, Leaf) and isinstance(part.value, Traced):
        origin = part.value.flow.origin
        return _brief(part) + (f" ← {origin}" if origin else "")
    return _brief(part) if _stage(part) == "unknown" else f"Static {_brief(part)}"


def _brief(part: Leaf | Node) -> str:
    """As within containers: without "Static", and without origins."""
    if isinstance(part, Leaf):
        return _leaf(part.value)
    if part.kind.endswith(" instance") and not part.parts:
        return part.kind
    shown = [(f"{name}: " if name else "") + " | ".join(dict.fromkeys(map(_brief, seen))) for name, seen in part.parts]
    more = [f"{len(shown) - MAX_PARTS} more"] if len(shown) > MAX_PARTS else ["…"] if part.open else []
    left, right = _BRACKETS.get(part.kind, ("(", ")"))
    return f"{part.kind} {left}{', '.join([*shown[:MAX_PARTS], *more])}{right}"


_BRACKETS = {"list": ("[", "]"), "set": ("{", "}"), "dict": ("{", "}")}


def _leaf(value: Value) -> str:
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
    facts = "pytree" if value.tree else array_type(value)
    concrete = " with its value" if value.concrete else ""
    return f"Traced {facts}{concrete}" + (", computed from static values" if value.from_shape else "")


def array_type(value: Array) -> str:
    """What is known of dtype and shape: "float[3,?]", "bool[]", "int8[…]" (any rank), "array"."""
    dtype = value.exact or value.dtype
    weak = " weak" if value.weak else ""
    if value.rank is None:
        return f"{dtype}[…]{weak}" if dtype else "array"
    axes = ["?"] * value.rank
    if axes and value.lead is not None and value.lead[0] is None:
        axes[0] = str(value.lead[1])
    return f"{dtype or 'array'}[{','.join(axes)}]{weak}"


def _object(value: Value) -> str:
    """Functions, classes, modules and what libraries made."""
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
    return " | ".join(_brief(part) for part in look(value, 1)) if alternatives(value) else "nothing"


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
