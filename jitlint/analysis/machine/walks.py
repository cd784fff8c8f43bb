"""Walks from instance to instance, which may refer to each other in a circle, as a parent and its children do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Instance, look

Result = TypeVar("Result")
"""What a walk finds, or makes, of an instance."""


def inside(interp: Interpreter, instance: Instance, walk: Callable[[], Result], again: Result) -> Result:
    """The result of `walk()`, which goes through the fields of an instance; `again` if one is inside of it already."""
    look()
    around = interp.path.walked
    if instance.serial in around:
        return again
    around.add(instance.serial)
    try:
        return walk()
    finally:
        around.discard(instance.serial)
