"""From a function to a device's program: trace, lower and compile it, and say how far it got and at what cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from . import failures
from .failures import Failure


@dataclass
class Stages:
    """How far a function got on one device.

    Attributes:
        device: the device's name, as the user writes it.
        failed: the stage that failed, "trace", "lower" or "compile"; "" if none did.
        failure: the exception of that stage.
        seconds: what each stage took.
        memory: bytes by use (argument, output, temporary, alias, generated_code); empty if the compiler doesn't tell.
        flops: floating-point operations of one run, None where the compiler doesn't tell.
    """

    device: str
    failed: str = ""
    failure: Failure | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    flops: float | None = None


def build(trace: Callable[[], Any], device: dict[str, Any], user_files: Collection[str]) -> Stages:
    """Takes a function through the stages.

    Args:
        trace: gives what `jax.jit(f).trace(…)` gives.
        device: the device, as it comes over the wire.
        user_files: the files in which a failure's place is looked for.
    """
    done = Stages(device["name"])
    step: Any = None
    for stage in ("trace", "lower", "compile"):
        began = time.monotonic()
        try:
            step = trace() if stage == "trace" else getattr(step, stage)()
        except Exception as error:  # noqa: BLE001  a compiler may raise anything
            done.failed, done.failure = stage, failures.read(error, user_files)
            return done
        finally:
            done.seconds[stage] = round(time.monotonic() - began, 3)
    done.memory, done.flops = _memory(step), _flops(step)
    return done


def _memory(compiled: Any) -> dict[str, int]:
    told = compiled.memory_analysis()
    names = {"argument": "argument", "output": "output", "temporary": "temp", "alias": "alias",
             "generated_code": "generated_code"}  # fmt: skip
    found = {name: getattr(told, f"{theirs}_size_in_bytes", None) for name, theirs in names.items()}
    return {name: int(size) for name, size in found.items() if size is not None}


def _flops(compiled: Any) -> float | None:
    told = compiled.cost_analysis()
    told = told[0] if isinstance(told, list) and told else told
    flops = told.get("flops") if isinstance(told, dict) else None
    return float(flops) if flops is not None and flops >= 0 else None
