"""Compiles clean traces for a job's devices."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ..inside_jax import device_build
from ..inside_jax.device_build import DeviceBuild
from ..messages import DeviceRequest
from ..search.exploring import CleanTrace
from ..watching.cases import Case
from ..watching.watch import Watcher


class Builds:
    """Builds of traced functions; the same function with the same inputs is built once.

    Args:
        devices: the devices to compile for.
        user_files: the files in which a failure's place is looked for.
        watcher: runs the stages.
        seconds: how long each device may take.
    """

    def __init__(
        self, devices: Sequence[DeviceRequest], user_files: Collection[str], watcher: Watcher, seconds: float
    ) -> None:
        self._devices, self._files, self._watcher, self._seconds = devices, user_files, watcher, seconds
        self._built: dict[tuple[str, ...], dict[str, Any]] = {}

    def compile(self, case: Case, trace: CleanTrace) -> Iterator[DeviceBuild]:
        """Builds a case's trace for one device after the other, and adds the results to the case's evidence."""
        by_device = case.evidence["devices"] = self._built.setdefault((trace.label, *trace.inputs), {})
        if by_device:
            return
        steps = device_build.build_each(trace.trace, self._devices, self._files, trace.execute, guessed=trace.guessed)
        device_build.optimise(True)
        try:
            while (done := self._watcher.run("compile", lambda: next(steps, None), self._seconds).value) is not None:
                by_device[done.device] = done.evidence()
                yield done
        finally:
            device_build.optimise(False)

    def lasting(self, case: Case) -> bool:
        """Whether another run would see the same builds for a case, whatever is installed by then."""
        by_device = case.evidence.get("devices")
        if by_device is None:
            return True
        return len(by_device) == len(self._devices) and all(is_lasting(each) for each in by_device.values())


def is_lasting(by_device: dict[str, Any]) -> bool:
    """Whether a device's result does not depend on the machine."""
    return by_device.get("reason") in _LASTING


_LASTING = (None, "", "not-staged", "only-lowered", "needs-device")
"""Reasons for a missing build that do not depend on the machine."""
