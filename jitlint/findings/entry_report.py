"""What verifying says about each entry point: how far it got on each device, at what cost, and why no further."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jitlint.events.entry_point import EntryPoint

STATUSES = ("compiled", "failed", "not-built", "not-reached")
"""The outcomes for an entry point:

- `compiled`: for every device whose compiler is there;
- `failed`: JAX cannot trace it, or cannot compile it for one of the devices;
- `not-built`: it was traced, but there is no compiler for any of the devices;
- `not-reached`: no inputs were found with which it can be traced.
"""


@dataclass(frozen=True, slots=True)
class Build:
    """An entry point on one device.

    Attributes:
        device: the device.
        status: compiled, failed or not-built.
        code: names why it is not compiled.
        reason: says so in one line.
        seconds: by stage: trace, lower, compile.
        memory: bytes by use: argument, output, temporary, alias, generated_code, total.
        flops: floating-point operations of one run, None if the compiler does not say.
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
        """Bytes that one run needs, None if the compiler does not say."""
        return self.memory.get("total")


@dataclass(frozen=True, slots=True)
class EntryReport:
    """An entry point and its outcome.

    Attributes:
        entry: the entry point.
        status: one of `STATUSES`.
        code: names why it is not compiled.
        reason: says so in one line.
        target: what was traced for it: the function itself, one that calls it, or one that it makes.
        inputs: those with which it was traced.
        source: where the inputs come from, "" if nothing was traced.
        builds: its outcome on each device.
        equations: the size of its jaxpr.
        constants: bytes of constants in the program.
        compared: `equal` or `differs` for runs with and without jit, or why there was no comparison; "" if nothing ran.
        jax: the version that ran.
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
