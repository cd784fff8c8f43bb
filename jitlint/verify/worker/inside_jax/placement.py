"""The devices that programs are compiled for: real ones of this machine, and ones that are only described."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import jit  # as it is before user code replaces it
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ..messages import DeviceRequest
from .shardings import Move, own


class UnavailableError(Exception):
    """Nothing here can compile for a device; `code` is the reason in the closed list."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Placement:
    """The devices of one program.

    Attributes:
        platform: their kind, as JAX's lowering calls it.
        mesh: the mesh of them; None for one device of the default kind.
        present: whether they are in this machine.
    """

    platform: str
    mesh: Mesh | None
    present: bool

    def lower(self, traced: Any) -> Any:
        """Lowers a trace that `among` made."""
        with self._entered():
            return traced.lower()

    def among(self, traced: Any) -> Any:
        """Traces again, for these devices, what was traced for the devices of this machine.

        The program stays the same and its equations keep their places; the inputs become shapes with a sharding. A
        program with a mesh of its own keeps it.

        Raises:
            UnavailableError: that cannot be done; the program may be right all the same.
        """
        if self.mesh is None:
            return traced
        try:
            return self._again(traced, self.mesh)
        except Exception as error:
            raise UnavailableError("needs-device", _first_line(error)) from error

    def _again(self, traced: Any, mesh: Mesh) -> Any:
        move = Move(tuple(mesh.devices.flat))
        program, inside, outside = move(traced.jaxpr), move(own(traced, "in")), move(own(traced, "out"))
        avals = traced.jaxpr.in_avals
        if move.mesh is None:
            inputs = [_input(aval, _split(aval, mesh)) for aval in avals]
        else:
            inputs = [_input(aval, given) for aval, given in zip(avals, inside or [None] * len(avals), strict=True)]
        donated = tuple(at for at, info in enumerate(jax.tree.leaves(traced.args_info)) if info.donated)
        results = {"out_shardings": list(outside)} if any(outside) else {}
        with _mesh_context(move.mesh or mesh):
            return jit(_function(program), donate_argnums=donated, **results).trace(*inputs)

    def compile(self, lowered: Any) -> Any:
        """Compiles a program that was lowered for these devices."""
        with self._entered():
            return lowered.compile()

    def execute(self, call: Callable[[], Any]) -> Any:
        """Makes a call on the first of these devices, and waits for its results."""
        with jax.default_device(jax.devices(self.platform)[0]):
            return jax.block_until_ready(call())

    def memory(self) -> int | None:
        """The bytes that a program may use on one of these devices; None if it is not here, or does not say."""
        statistics = jax.devices(self.platform)[0].memory_stats() if self.present else None
        return int(statistics["bytes_limit"]) if statistics and "bytes_limit" in statistics else None

    def broken(self) -> bool:
        """Whether not even an addition can be compiled for these devices."""
        return _is_broken(self)

    @contextlib.contextmanager
    def _entered(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            if not self.present and self.platform in ("cuda", "rocm"):
                stack.enter_context(_callbacks_from_afar(self.platform))
            yield


@functools.cache
def of(device: DeviceRequest) -> Placement:
    """The devices for a request.

    The result is cached: a mesh of described devices takes time to make.

    Raises:
        UnavailableError: neither the device nor a compiler for it is here.
    """
    shape = tuple(size for _, size in device.mesh) or (1,)
    names = tuple(name for name, _ in device.mesh) or ("x",)
    if device.topology:
        found, present = _described(device), False
    else:
        found, present = _present(device.platform), True
        if not device.mesh and device.platform == _platform_of(jax.devices()[0]):
            return Placement(device.platform, None, True)
    count = math.prod(shape)
    if len(found) < count:
        raise UnavailableError("no-device", f"a mesh of {count} devices, but there are {len(found)} of them")
    return Placement(device.platform, Mesh(np.array(found[:count]).reshape(shape), names), present)


def start(mesh: Sequence[tuple[str, int]]) -> None:
    """Starts JAX with those of the requested platforms that have devices in this machine.

    Args:
        mesh: the axes of the mesh that programs are compiled over, which `in_mesh` provides; none for one device.
    """
    _drop_absent_platforms()
    if mesh:
        shape = tuple(length for _, length in mesh)
        devices = jax.devices("cpu")[: math.prod(shape)]
        _ambient.append(Mesh(np.array(devices).reshape(shape), [name for name, _ in mesh]))


_ambient: list[Mesh] = []
"""The requested mesh, of devices of this machine; empty if none was requested."""

_WANTS_MESH = re.compile(r"set_mesh|use_mesh|mesh context|non-empty mesh")


def in_mesh(call: Callable[[], Any]) -> Any:
    """Makes a call; if it fails because it needs a mesh around it, makes it again within the requested mesh."""
    try:
        return call()
    except Exception as error:
        if not _ambient or not _WANTS_MESH.search(str(error)):
            raise
    with _mesh_context(_ambient[0]):
        return call()


def _drop_absent_platforms() -> None:
    while jax.config.jax_platforms != "cpu":
        try:
            jax.devices()
            return
        except RuntimeError as error:
            wanted = str(jax.config.jax_platforms).split(",")
            named = re.search(r"backend '(\w+)'", str(error))
            absent = named[1] if named and named[1] in wanted else wanted[0]
            if wanted == [absent]:
                raise
            _absent[absent] = _first_line(error).partition(" (set JAX_PLATFORMS")[0]
            jax.config.update("jax_platforms", ",".join(platform for platform in wanted if platform != absent))


_absent: dict[str, str] = {}
"""JAX's message for each platform that has no device here."""


def absent(devices: Iterable[DeviceRequest]) -> list[str]:
    """The platforms of these devices that JAX cannot use here, each with its message."""
    found = []
    for platform in dict.fromkeys(device.platform for device in devices if not device.topology):
        try:
            _present(platform)
        except UnavailableError as error:
            found.append(f"{platform} ({error})")
    return found


def _described(device: DeviceRequest) -> list[Any]:
    """Devices that a compiler plugin makes from a description."""
    from jax.experimental import topologies  # takes time, and only described devices need it

    if device.platform == "tpu":
        needs, options = "libtpu", {"topology_name": device.topology}
        if device.configuration:
            options["chip_config_name"] = device.configuration
    else:
        needs, options = "jax_plugins.xla_cuda12", {"topology": device.topology, "target_config": device.target}
    if not _has(needs):
        raise UnavailableError("only-lowered", f"{sys.executable} has no {needs}")
    try:
        return list(topologies.get_topology_desc(platform=device.platform, **options).devices)
    except Exception as error:  # plugins raise all kinds of exceptions
        raise UnavailableError("no-compiler", _first_line(error)) from error


def _has(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False


def _present(platform: str) -> list[Any]:
    try:
        return list(jax.devices(platform))
    except RuntimeError as error:
        raise UnavailableError("no-device", _absent.get(platform) or _first_line(error)) from error


def _platform_of(device: Any) -> str:
    """The name of a device's kind for lowering: "cuda" or "rocm" where `device.platform` says "gpu"."""
    if device.platform != "gpu":
        return str(device.platform)
    return "rocm" if "rocm" in str(device.client.platform_version).lower() else "cuda"


def _split(aval: Any, mesh: Mesh) -> NamedSharding:
    """Splits an input's leading axis over the mesh's first axis if it divides evenly, else copies it to each device."""
    name = mesh.axis_names[0]
    divides = bool(aval.shape) and aval.shape[0] % mesh.shape[name] == 0
    return NamedSharding(mesh, PartitionSpec(name) if divides else PartitionSpec())


def _input(aval: Any, sharding: Any) -> jax.ShapeDtypeStruct:
    weak = getattr(aval, "weak_type", False)
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=sharding, weak_type=weak)


def _function(closed: Any) -> Callable[..., Any]:
    """A function that runs a jaxpr."""
    from jax.extend import core  # takes time, and only described devices need it

    function: Callable[..., Any] = core.jaxpr_as_fun(closed)
    return function


def _mesh_context(mesh: Mesh) -> contextlib.AbstractContextManager[Any]:
    enter: Callable[[Mesh], Any] = getattr(jax, "set_mesh", None) or jax.sharding.use_mesh
    context: contextlib.AbstractContextManager[Any] = enter(mesh)
    return context


@functools.cache
def _is_broken(place: Placement) -> bool:
    try:
        addition = jit(lambda x: x + x).trace(jax.ShapeDtypeStruct((8,), "float32"))
        place.compile(place.lower(place.among(addition)))
    except Exception:  # noqa: BLE001  that is what is asked
        return True
    return False


@contextlib.contextmanager
def _callbacks_from_afar(platform: str) -> Iterator[None]:
    """Lets programs with host callbacks be compiled without their device.

    jax would look for the device by the name "gpu", and hand the compiler callbacks that only a real device can take.
    Both places are private; in a jax without them such programs stay undecided.
    """
    from jax._src import compiler, xla_bridge  # private, and only described GPUs need it

    canonical = getattr(xla_bridge, "canonicalize_platform", None)
    compile_and_load = getattr(compiler, "backend_compile_and_load", None)
    if canonical is None or compile_and_load is None:
        yield
        return
    signature = inspect.signature(compile_and_load)
    if "host_callbacks" not in signature.parameters:
        yield
        return

    def without_callbacks(*arguments: Any, **named: Any) -> Any:
        bound = signature.bind(*arguments, **named)
        bound.arguments["host_callbacks"] = []
        return compile_and_load(*bound.args, **bound.kwargs)

    xla_bridge.canonicalize_platform = lambda name: platform if name == "gpu" else canonical(name)
    compiler.backend_compile_and_load = without_callbacks
    try:
        yield
    finally:
        xla_bridge.canonicalize_platform, compiler.backend_compile_and_load = canonical, compile_and_load


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:300]
