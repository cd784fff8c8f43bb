"""Abstract values: a stage, plus what is known.

The stage is in the class: `Traced` and iterators over traced values are known at run time only, `Unknown` is what the
analysis cannot tell, everything else is static (known while tracing), even where its content is not known to us.
Objects with identity that can change (lists, dicts, instances, frames) are `HeapObject`s: their `fields` are written
through the store only, so that branches can be undone and joined.
"""

from __future__ import annotations

from jitlint.analysis.values.arrays import Array, HostArray, JaxArray, Lead, LoopCounter, ResizedInLoop, Rounds, Traced
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
    Never,
    OneOfArguments,
    Static,
    Union,
    Unknown,
    UnknownArgument,
    Value,
    deepest_nesting,
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
    "Traced",
    "Transformed",
    "Tuple",
    "Union",
    "Unknown",
    "UnknownArgument",
    "Value",
    "deepest_nesting",
    "newest_serial",
]
