"""Moves a traced program's shardings from this machine's devices to those that it is compiled for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, SingleDeviceSharding


class Move:
    """Replaces this machine's devices in a program, each by the other device with the same number.

    Attributes:
        mesh: the program's own mesh, moved: the first that was met; None if it has none.
    """

    def __init__(self, devices: Sequence[Any]) -> None:
        self._devices = devices
        self.mesh: Mesh | None = None

    def __call__(self, value: Any) -> Any:
        """Moves a jaxpr, an equation's parameter, a sharding or a device; returns other values as they are."""
        if isinstance(value, Mesh):
            # Inner jaxprs, such as a shard's body, name the mesh's axes only; their devices come from around them.
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
    """The shardings that `jax.jit` was given for a trace's arguments ("in") or results ("out"), None where it was not.

    There is one for each array. The record is private; without it the program compiles as if it had none.
    """
    given = getattr(traced, "_params", {}).get(f"{side}_shardings", ())
    return tuple(each if isinstance(each, (NamedSharding, SingleDeviceSharding)) else None for each in given)
