"""Tells whose fault a failed lowering or compilation is: the program's, or the machine's that compiles it."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..user_code.sites import Site
from .failures import Failure

if TYPE_CHECKING:
    from .placement import Placement

_ENVIRONMENT = re.compile(
    r"No PTX compilation provider|ptxas|nvlink|libdevice|cuda_data_dir|[Uu]nable to (?:load|initialize|open)|"
    r"(?i:cudnn|cusolver|cublas|cufft|cusparse|\bnccl|nvshmem|rocblas|miopen|hipsolver)|Error loading CUDA|"
    r"dlopen|cannot open shared object|libtpu|lockfile|already in use by process|No space left|Permission denied|"
    r"out of host memory|std::bad_alloc"
)
"""Messages of machines that lack a part of a compiler."""

_FROM_AFAR = re.compile(
    r"different from the lowering platform|Unknown backend|incompatible function arguments|"
    r"[Ii]ncompatible devices|[Mm]esh context manager|should match the mesh passed to shard_map|"
    r"has no attribute 'local_devices'|No module named|[Cc]allbacks? (?:is|are) not|host_callbacks"
)
"""Messages about what only a machine with the device can compile; the program may be right."""

_OF_A_PART = re.compile(r"not functionalized|unbound axis name")
"""Messages about what only a transformation around the function would provide."""

_ITSELF = re.compile(
    r"\A(?:INTERNAL|UNKNOWN|UNAVAILABLE|ABORTED|CANCELLED|DEADLINE_EXCEEDED|FAILED_PRECONDITION|NOT_FOUND|DATA_LOSS|"
    r"PERMISSION_DENIED|UNAUTHENTICATED)\b(?!.*(?:Mosaic|Triton))",
    re.DOTALL,
)
"""How compilers begin messages about failures of their own."""

_DEVICE_MEMORY = re.compile(r"RESOURCE_EXHAUSTED.*(?:\bHBM\b|space=hbm|device memory|allocate)", re.DOTALL)
_OF_KERNELS = re.compile(r"Mosaic|Triton|Pallas|[Bb]lock shape|BlockSpec|[Tt]iling|[vs]mem", re.ASCII)
_TOLD = re.compile(r"Suspected Python Code Location:\s*(?:\S* )?(\S+?):(\d+)(?::(\d+))?")


def reason(failure: Failure, place: Placement) -> str:
    """Why a failure says nothing about the program, as a code of the closed list; "" if it is the program's own.

    If a device's compiler cannot even compile an addition, it does not work here, whatever its message says.
    """
    if _OF_A_PART.search(failure.message):
        return "incomplete"
    if not is_of_program(failure):
        return "no-compiler" if _ENVIRONMENT.search(failure.message) else "needs-device"
    if place.broken():
        return "no-compiler"
    return "compiler-failed" if _ITSELF.match(failure.message) else ""


def is_of_program(failure: Failure) -> bool:
    """Whether a failure's message may be about the program, and not about the compiler or the machine."""
    if failure.refused or "SubprocessError" in failure.bases:  # another program failed, such as ptxas
        return False
    return not any(each.search(failure.message) for each in (_ENVIRONMENT, _FROM_AFAR, _OF_A_PART))


def is_of_kernel(error: BaseException) -> bool:
    """Whether an exception came from making a kernel (Pallas) for the given shapes."""
    message, entry = str(error), error.__traceback__
    if "interpret mode" in message:
        return False  # for a CPU no kernel is made, whatever the shapes
    while entry is not None:
        if ".pallas." in entry.tb_frame.f_globals.get("__name__", ""):
            return True
        entry = entry.tb_next
    return _OF_KERNELS.search(message) is not None


def is_too_large(failure: Failure) -> bool:
    """Whether a compiler says that the program needs more than the device's main memory."""
    return _DEVICE_MEMORY.search(failure.message) is not None and "space=vmem" not in failure.message


def suspected_site(failure: Failure, user_files: Collection[str]) -> Site | None:
    """The place in the user's files that the compiler's message suspects."""
    for file, line, column in _TOLD.findall(failure.message):
        if file in user_files:
            at = max(int(column or 1) - 1, 0)
            return Site(file, int(line), at, int(line), 1000, "")
    return None
