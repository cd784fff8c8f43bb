"""Abstract values: what the interpreter computes with instead of Python objects. Other rooms import them from here.

A value's class tells its stage: a `Traced` is known at run time only, an `Unknown` may be anything, and every other
value is static: known while tracing, even where jitlint does not know its content (`Static("int")` is some int).

Values are immutable and may be shared. The exceptions are the `HeapObject`s (lists, dicts, iterators, instances,
classes, frames), which have an identity and change: their `fields` are written through the store (machine/store.py)
only, so that branches can be undone and joined.

README.md lists every kind of value, and every table that a new kind must enter.
"""

from __future__ import annotations

from jitlint.analysis.values.arrays import Array, HostArray, JaxArray, Lead, LoopCounter, ResizedInLoop, Rounds, Traced
from jitlint.analysis.values.base import (
    BOOL,
    FALSE,
    FLOAT,
    INT,
    MAX_NESTING,
    MAX_SIZE,
    NEVER,
    NONE,
    OBJECT,
    STR,
    TRUE,
    UNKNOWN,
    ByType,
    Choice,
    Compound,
    Const,
    Never,
    OneOfArguments,
    Static,
    TooLargeError,
    Union,
    Unknown,
    UnknownArgument,
    Value,
    deepest_nesting,
    look,
    restart_looks,
    size_of,
)
from jitlint.analysis.values.callables import BoundMethod, Function, Partial, ProjectCallable, Transformed
from jitlint.analysis.values.containers import SHAPE, Dict, DictView, Iterator, List, Sequence, Slice, Tuple
from jitlint.analysis.values.objects import Class, Descriptor, Frame, HeapObject, Instance, Site, Super, newest_serial
from jitlint.analysis.values.outside import (
    AtIndexer,
    DecoratorOf,
    External,
    ExternalInstance,
    Member,
    Method,
    ModuleValue,
)

__all__ = [
    "BOOL",
    "FALSE",
    "FLOAT",
    "INT",
    "MAX_NESTING",
    "MAX_SIZE",
    "NEVER",
    "NONE",
    "OBJECT",
    "SHAPE",
    "STR",
    "TRUE",
    "UNKNOWN",
    "Array",
    "AtIndexer",
    "BoundMethod",
    "ByType",
    "Choice",
    "Class",
    "Compound",
    "Const",
    "DecoratorOf",
    "Descriptor",
    "Dict",
    "DictView",
    "External",
    "ExternalInstance",
    "Frame",
    "Function",
    "HeapObject",
    "HostArray",
    "Instance",
    "Iterator",
    "JaxArray",
    "Lead",
    "List",
    "LoopCounter",
    "Member",
    "Method",
    "ModuleValue",
    "Never",
    "OneOfArguments",
    "Partial",
    "ProjectCallable",
    "ResizedInLoop",
    "Rounds",
    "Sequence",
    "Site",
    "Slice",
    "Static",
    "Super",
    "TooLargeError",
    "Traced",
    "Transformed",
    "Tuple",
    "Union",
    "Unknown",
    "UnknownArgument",
    "Value",
    "deepest_nesting",
    "look",
    "newest_serial",
    "restart_looks",
    "size_of",
]
