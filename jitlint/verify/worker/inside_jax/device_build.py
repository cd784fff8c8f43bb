"""Takes a function to a device's program: trace, lower, compile; notes how far it got and at what cost."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import jax

from ..messages import DeviceRequest
from ..user_code.sites import Site
from . import equations, failures, faults, placement
from .failures import Failure
from .placement import Placement, UnavailableError


@dataclass
class DeviceBuild:
    """How far a function got on one device.

    A failed stage without a `reason` is the program's own fault: anyone with the device sees the same. With a `reason`
    the compiler could not judge the program beyond the stages in `seconds`; the reason names what is missing.

    Attributes:
        device: the device's name, as the user writes it.
        failed: the stage that failed: "trace", "lower", "compile", "fit" (the device's memory) or "execute"; "" if
            none did.
        failure: the exception of that stage; None for "fit" where the memory was added up.
        site: the user's place that the failure is about, None if it is not known.
        reason: why the device's compiler could not judge, as a code of the linter's closed list; "" if it did.
        note: the compiler's message about that reason.
        of_kernel: whether making a kernel (Pallas) for the given shapes failed.
        seconds: how long each finished stage took.
        memory: bytes by use on one device (argument, output, temporary, alias, generated_code, and their total);
            empty if the compiler doesn't tell.
        capacity: bytes that the device has, None where nothing limits them.
        flops: floating-point operations of one run, None where the compiler doesn't tell.
        equations: how many equations the jaxpr has, those of inner jaxprs included.
        constants: bytes of the arrays that the program holds as constants.
        texts: "jaxpr" and "hlo" (the optimized one), where they were asked for.
    """

    device: str
    failed: str = ""
    failure: Failure | None = None
    site: Site | None = None
    reason: str = ""
    note: str = ""
    of_kernel: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    capacity: int | None = None
    flops: float | None = None
    equations: int = 0
    constants: int = 0
    texts: dict[str, str] = field(default_factory=dict)

    def evidence(self) -> dict[str, Any]:
        """The build as evidence, without the texts."""
        known: dict[str, Any] = {"seconds": self.seconds}
        if self.failed:
            known["failed"] = self.failed
        if self.failure is not None:
            known["message"] = f"{self.failure.type}: {self.failure.first_line}"
        if self.site is not None:
            known["place"] = self.site.first_line
        if self.reason:
            known |= {"reason": self.reason, "note": self.note}
        if self.memory:
            known["memory"] = self.memory
        for name in ("capacity", "flops", "equations", "constants"):
            if (value := getattr(self, name)) is not None:
                known[name] = value
        return known

    def text_messages(self, name: str) -> Iterator[dict[str, str]]:
        """The texts as messages, under the name of the function; very long ones are cut."""
        for kind, text in self.texts.items():
            yield {"type": "text", "name": name, "device": self.device, "kind": kind, "text": text[:_LONGEST]}


_FAILED = object()
_LONGEST = 4_000_000


def build_each(
    trace: Callable[[], Any],
    devices: Sequence[DeviceRequest],
    user_files: Collection[str],
    execute: Callable[[], Any] | None = None,
    *,
    guessed: bool,
) -> Iterator[DeviceBuild]:
    """Traces a function once, then lowers and compiles it for one device after the other.

    Args:
        trace: returns the same as `jax.jit(f).trace(…)`.
        devices: the devices to compile for.
        user_files: the files in which a failure's place is looked for.
        execute: runs the function once, for devices that execute it.
        guessed: whether the inputs are made up. A kernel, which is written for certain shapes, may rightly refuse them.
    """
    traced_on = DeviceBuild("")
    traced = _stage(traced_on, "trace", lambda: placement.in_mesh(trace), user_files)
    if traced is not _FAILED and (inner := of_jax(traced)) is None:
        traced_on.reason, traced_on.note = "not-staged", f"a {type(traced).__name__} came back"
    elif traced is not _FAILED:
        traced = inner
        traced_on.equations, traced_on.constants = equations.size(traced.jaxpr)
    for device in devices:
        build = replace(traced_on, device=device.name, capacity=device.capacity, memory={}, texts={})
        build.seconds = dict(traced_on.seconds)
        if not build.failed and not build.reason:
            _on_device(build, traced, device, user_files, execute)
            if guessed and build.of_kernel and build.failure is not None:
                build.reason = "kernel-inputs"
                _settle(build, traced, user_files)
        yield build


def optimise(wanted: bool) -> None:
    """Says whether programs that are compiled from now on are optimised: what only runs once is faster without.

    Only those that are not are kept in the folder of `keep_compiled`: of a kept one, JAX does not tell its memory.
    """
    if hasattr(jax.config, "jax_disable_most_optimizations"):
        jax.config.update("jax_disable_most_optimizations", not wanted)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", sys.float_info.max if wanted else 0.0)


def keep_compiled(folder: str) -> None:
    """Lets JAX keep what it compiles in a folder, for processes that run the same programs later."""
    jax.config.update("jax_compilation_cache_dir", folder)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def of_jax(traced: Any) -> Any:
    """JAX's own trace: `traced` itself or, for a framework's trace, one of its attributes; None if there is none."""
    names = [*getattr(type(traced), "__slots__", ()), *getattr(traced, "__dict__", {})]
    contents = (getattr(traced, name, None) for name in names)
    return next((each for each in (traced, *contents) if isinstance(each, jax.stages.Traced)), None)


def _on_device(
    build: DeviceBuild,
    traced: Any,
    device: DeviceRequest,
    user_files: Collection[str],
    execute: Callable[[], Any] | None,
) -> None:
    if device.dump:
        build.texts["jaxpr"] = str(traced.jaxpr)
    try:
        place = placement.of(device)
        placed = place.among(traced)
    except UnavailableError as error:
        _lower_only(build, traced, device, user_files, error.code, str(error))
        return
    if build.capacity is None:
        build.capacity = place.memory()
    compiled = _compiled(build, placed, place, user_files)
    if build.reason and "lower" not in build.seconds:
        _lower_only(build, traced, device, user_files, build.reason, build.note)
    if compiled is _FAILED:
        return
    build.memory, build.flops = _memory(compiled), _flops(compiled)
    if device.dump:
        build.texts["hlo"] = str(compiled.as_text())
    if build.capacity is not None and build.memory.get("total", 0) > build.capacity:
        build.failed = "fit"
    elif device.run and execute is not None and place.present:
        _stage(build, "execute", lambda: place.execute(execute), user_files)


def _compiled(build: DeviceBuild, traced: Any, place: Placement, user_files: Collection[str]) -> Any:
    """The device's compiled program, or `_FAILED`; a failure for lack of a compiler or device becomes a reason."""
    lowered = _stage(build, "lower", lambda: place.lower(traced), user_files)
    compiled = lowered
    if lowered is not _FAILED:
        compiled = _stage(build, "compile", lambda: place.compile(lowered), user_files)
    if build.failure is not None:
        build.reason = faults.reason(build.failure, place)
        _settle(build, traced, user_files)
    return compiled


def _settle(build: DeviceBuild, traced: Any, user_files: Collection[str]) -> None:
    """Lays a failure to the program, and finds its place, or turns it into the reason why nobody could judge."""
    failure = build.failure
    if failure is None:
        return
    if build.reason:
        build.note, build.failed, build.failure, build.site = failure.first_line, "", None, None
        return
    if build.failed == "compile" and faults.is_too_large(failure):
        build.failed = "fit"
    if build.site is None:
        build.site = faults.suspected_site(failure, user_files) or equations.site(traced.jaxpr, failure, user_files)


def _lower_only(
    build: DeviceBuild, traced: Any, device: DeviceRequest, user_files: Collection[str], reason: str, note: str
) -> None:
    """Lowers for a platform without its compiler, which finds operations that the platform has no rule for."""
    build.reason, build.note = "", ""
    _stage(build, "lower", lambda: traced.lower(lowering_platforms=(device.platform,)), user_files)
    if build.failure is not None and not faults.is_of_program(build.failure):
        build.failed, build.failure, build.site = "", None, None
    if build.failed:
        _settle(build, traced, user_files)
    else:
        build.reason, build.note = reason, note


def _stage(build: DeviceBuild, name: str, act: Callable[[], Any], user_files: Collection[str]) -> Any:
    """Does a stage and notes how it went. Returns its result or `_FAILED`."""
    began = time.monotonic()
    try:
        result = act()
    except Exception as error:  # noqa: BLE001  a compiler may raise anything
        build.failed, build.failure = name, failures.read(error, user_files)
        build.of_kernel = faults.is_of_kernel(error)
        build.site = equations.site_of_failing(error, user_files) or build.failure.site
        return _FAILED
    build.seconds[name] = round(time.monotonic() - began, 3)
    return result


def _memory(compiled: Any) -> dict[str, int]:
    analysis = compiled.memory_analysis()
    names = {
        "argument": "argument",
        "output": "output",
        "temporary": "temp",
        "alias": "alias",
        "generated_code": "generated_code",
    }
    found = {name: getattr(analysis, f"{theirs}_size_in_bytes", None) for name, theirs in names.items()}
    memory = {name: int(size) for name, size in found.items() if size is not None}
    if memory:
        used = (memory.get(name, 0) for name in ("argument", "output", "temporary", "generated_code"))
        memory["total"] = sum(used) - memory.get("alias", 0)
    return memory


def _flops(compiled: Any) -> float | None:
    analysis = compiled.cost_analysis()
    analysis = analysis[0] if isinstance(analysis, list) and analysis else analysis
    flops = analysis.get("flops") if isinstance(analysis, dict) else None
    return float(flops) if flops is not None and flops >= 0 else None
