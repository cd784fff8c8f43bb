"""The devices that code is verified for, by the names that users give them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

PRESENT = ("cpu",)
"""Platforms whose devices are verified for where they are in the machine."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device to compile for. `name` is what the user calls it, `platform` what JAX calls its kind."""

    name: str
    platform: str


CPU = Device("cpu", "cpu")


def device(name: str) -> Device:
    """The device of a name.

    Raises:
        ValueError: there is none of this name; the message lists those that there are.
    """
    if name not in PRESENT:
        near = difflib.get_close_matches(name, PRESENT, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"the devices are {', '.join(PRESENT)}"
        raise ValueError(f"there is no device `{name}`; {hint}")
    return Device(name, name)
