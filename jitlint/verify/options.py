"""How findings are verified."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from jitlint.verify.devices import CPU, Device


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """Limits and choices of one run.

    Attributes:
        devices: what to compile for, at least one; each finding gets a verdict for each.
        python: the interpreter of the environment in which the code can be imported; it must have jax.
        jobs: how many worker processes; 0 means one per two processors, at least one (a compilation uses several).
        probe_timeout: seconds for one finding.
        module_timeout: seconds for all findings of one module, its import included.
        memory_mb: resident memory that a module's process may use, in MiB.
        drivers: what to run to reach code, as "module:function" or as the id of a test.
        inputs: declared inputs such as "x=f32[8,128], n=3", by "module:qualname" of their function.
    """

    devices: tuple[Device, ...] = (CPU,)
    python: str = sys.executable
    jobs: int = 0
    probe_timeout: float = 10.0
    module_timeout: float = 60.0
    memory_mb: int = 4096
    drivers: tuple[str, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
