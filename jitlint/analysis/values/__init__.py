"""Abstract values: a stage, plus what is known.

The stage is in the class: `Traced` and iterators over traced values are known at run time only, `Unknown` is what the
analysis cannot tell, everything else is static (known while tracing), even where its content is not known to us.
Objects with identity that can change (lists, dicts, instances, frames) are `HeapObject`s: their `fields` are written
through the store only, so that branches can be undone and joined.
"""

from __future__ import annotations

from jitlint.analysis.values.arrays import Array, Counter, HostArray, JaxArray, Lead, Resized, Rounds, Traced
from jitlint.analysis.values.base import (
    BOOL,
    FALSE,
    FLOAT,
    INT,
    MAX_NESTING,
    NEVER,
    NONE,
    OBJECT,
    STR,
    TRUE,
    UNKNOWN,
    ByType,
    Choice,
    Const,
    Either,
    Never,
    Static,
    Union,
    Unknown,
    UnknownArgument,
    Value,
    deepest_nesting,
)
from jitlint.analysis.values.callables import BoundMethod, Function, Made, Partial, Transformed
from jitlint.analysis.values.containers import SHAPE, Dict, Iterator, List, Sequence, Slice, Tuple, View
from jitlint.analysis.values.objects import Class, Descriptor, Frame, HeapObject, Instance, Site, Super, newest
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
    "Const",
    "Counter",
    "DecoratorOf",
    "Descriptor",
    "Dict",
    "Either",
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
    "Made",
    "Member",
    "Method",
    "ModuleValue",
    "Never",
    "Partial",
    "Resized",
    "Rounds",
    "Sequence",
    "Site",
    "Slice",
    "Static",
    "Super",
    "Traced",
    "Transformed",
    "Tuple",
    "Union",
    "Unknown",
    "UnknownArgument",
    "Value",
    "View",
    "deepest_nesting",
    "newest",
]
