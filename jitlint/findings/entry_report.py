"""What verifying found out of each entry point: how far it got on each device, at what cost, and why no further."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jitlint.events.entry_point import EntryPoint

STATUSES = ("compiled", "failed", "not-built", "not-reached")
"""Of an entry: it compiled for every device whose compiler could judge; it failed to trace, or for one of the devices;
it was traced, but no device's compiler could judge; no inputs were found that it can be traced with."""


@dataclass(frozen=True, slots=True)
class Build:
    """An entry point on one device.

    `status` is compiled, failed or not-built; `code` names why it is not compiled, `reason` says it in one line.
    `seconds` by stage (trace, lower, compile), `memory` bytes by use (argument, output, temporary, alias,
    generated_code, total), `flops` of one run, None where the compiler does not tell.
    """

    device: str
    status: str
    code: str = ""
    reason: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    memory: Mapping[str, int] = field(default_factory=dict)
    flops: float | None = None

    @property
    def peak_memory(self) -> int | None:
        """Bytes that one run needs, None where the compiler does not tell."""
        return self.memory.get("total")


@dataclass(frozen=True, slots=True)
class EntryReport:
    """An entry point and what became of it. `target` is what was traced for it: the function, what leads there, or a
    function that it makes.

    `code` names why it is not compiled, `reason` says it in one line. `inputs` are those it was traced with, `source`
    where they are from. `equations`: the size of its jaxpr; `constants`: bytes that the program holds itself.
    `compared` is equal, differs, or why an eager run was not compared with a compiled one; "" if nothing ran.
    """

    entry: EntryPoint
    status: str
    code: str = ""
    reason: str = ""
    target: str = ""
    inputs: tuple[str, ...] = ()
    source: str = ""
    builds: tuple[Build, ...] = ()
    equations: int | None = None
    constants: int | None = None
    compared: str = ""
    jax: str = ""
