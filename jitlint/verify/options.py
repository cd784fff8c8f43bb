"""How findings are verified."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from jitlint.verify.devices import CPU, NODES, Device
from jitlint.verify.known import Known
from jitlint.verify.sandbox.confinement import Confinement

BUDGETS = {"quick": 1 / 3, "normal": 1.0, "thorough": 6.0}
"""How much is done before a finding stays inconclusive: times the limits of one run."""


@dataclass(frozen=True, slots=True)
class Driver:
    """A function or test that the user names because it reaches code.

    Attributes:
        name: "module:function" or the id of a test, "tests/test_step.py::test_step".
        folder: the folder in which its module or file is found.
    """

    name: str
    folder: str


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """Limits and choices of one run. Seconds are those of work (`worker/effort.py`), not of the clock.

    Attributes:
        devices: what to compile for, at least one; each finding gets a verdict for each.
        python: the interpreter whose environment can import the code; it must have jax.
        jobs: how many worker processes; 0 means one per two processors, at least two (a compilation uses several).
        probe_timeout: seconds for one finding.
        module_timeout: seconds for all findings of one module, its import included.
        compile_timeout: seconds for compiling one finding's function for one device.
        memory_mb: resident memory that a module's process may use, in MiB; more with compilers for described devices.
        run: whether functions are also executed once, on devices that are in the machine.
        dump: the folder into which each compiled function's jaxpr and optimized HLO are written, if any.
        cache: the folder of the cache, None to neither read nor write it.
        sandbox: one of `wish.FORMS`: whether code is kept in a sandbox, and whether it runs where there is none.
        variables: the names of further environment variables that the code gets.
        full_import: whether all of a module's top level runs, and not only the part that its findings need.
        drivers: what to run to reach code.
        inputs: recorded and declared inputs, in the order in which they are tried.
    """

    devices: tuple[Device, ...] = (CPU,)
    python: str = sys.executable
    jobs: int = 0
    probe_timeout: float = 10.0
    module_timeout: float = 60.0
    compile_timeout: float = 30.0
    memory_mb: int = 4096
    run: bool = False
    dump: Path | None = None
    cache: Path | None = None
    sandbox: str = "auto"
    variables: tuple[str, ...] = ()
    full_import: bool = False
    drivers: tuple[Driver, ...] = ()
    inputs: tuple[Known, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        """The folders that code may look at, whatever it is verified for: where jitlint runs, and those of drivers."""
        return (str(Path.cwd()), *(driver.folder for driver in self.drivers))

    @property
    def confinement(self) -> Confinement:
        """How the code is confined; real TPUs need the network, which says what they are."""
        present = {device.platform for device in self.devices if not device.described}
        nodes = tuple(pattern for platform in sorted(present) for pattern in NODES.get(platform, ()))
        return Confinement(self.sandbox, self.variables, nodes, network="tpu" in present)

    @property
    def module_seconds(self) -> float:
        """Seconds for all findings of one module, with a share for each described device."""
        return self.module_timeout * (1 + self._described)

    @property
    def resident_mb(self) -> int:
        """Resident memory that a module's process may use, in MiB, with the compilers of described devices."""
        return self.memory_mb + 512 * self._described

    @property
    def _described(self) -> int:
        return sum(device.described for device in self.devices)
