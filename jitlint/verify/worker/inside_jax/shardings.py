"""A traced program's own shardings, which name devices of this machine, laid over those that it is compiled for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, SingleDeviceSharding


class Move:
    """Replaces this machine's devices in a program by others, each by the one of the same number.

    Attributes:
        mesh: the first mesh of devices that was met: the program's own; None if it has none.
    """

    def __init__(self, devices: Sequence[Any]) -> None:
        self._devices = devices
        self.mesh: Mesh | None = None

    def __call__(self, value: Any) -> Any:
        """The value over the other devices: a jaxpr, an equation's parameter, a sharding or a device; others as they
        are."""
        if isinstance(value, Mesh):
            # What stands inside, such as a shard's body, was traced for the mesh's axes; the devices come from around.
            return value if value.empty or not self._mesh(value) else value.abstract_mesh
        if isinstance(value, NamedSharding) and isinstance(value.mesh, Mesh):
            offloaded = value.memory_kind if value.memory_kind == "pinned_host" else None
            return NamedSharding(self._mesh(value.mesh), value.spec, memory_kind=offloaded)
        if isinstance(value, SingleDeviceSharding):
            (device,) = value.device_set
            return SingleDeviceSharding(self(device))
        if isinstance(value, jax.Device):
            return self._devices[value.id]
        if type(value) in (tuple, list):
            moved = [self(each) for each in value]
            return value if all(new is old for new, old in zip(moved, value, strict=True)) else type(value)(moved)
        if hasattr(getattr(value, "jaxpr", None), "eqns"):
            inner = self._jaxpr(value.jaxpr)
            return value if inner is value.jaxpr else value.replace(jaxpr=inner)
        return self._jaxpr(value) if hasattr(value, "eqns") else value

    def _mesh(self, mesh: Mesh) -> Mesh:
        devices = np.array([self._devices[device.id] for device in mesh.devices.flat]).reshape(mesh.devices.shape)
        moved = Mesh(devices, mesh.axis_names, axis_types=mesh.axis_types)
        self.mesh = self.mesh or moved
        return moved

    def _jaxpr(self, jaxpr: Any) -> Any:
        equations = [self._equation(equation) for equation in jaxpr.eqns]
        if all(new is old for new, old in zip(equations, jaxpr.eqns, strict=True)):
            return jaxpr
        return jaxpr.replace(eqns=equations)

    def _equation(self, equation: Any) -> Any:
        moved = {name: self(value) for name, value in equation.params.items()}
        if all(moved[name] is value for name, value in equation.params.items()):
            return equation
        return equation.replace(params=moved)


def own(traced: Any, side: str) -> tuple[Any, ...]:
    """The shardings that `jax.jit` was given for the arguments ("in") or results ("out") of what was traced, one for
    each array, None where it was given none (private: without it the program is compiled as if it were given none)."""
    given = getattr(traced, "_params", {}).get(f"{side}_shardings", ())
    return tuple(each if isinstance(each, (NamedSharding, SingleDeviceSharding)) else None for each in given)
