"""The devices that code is verified for, by the names that users give them."""

from __future__ import annotations

import difflib
import functools
import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

from jitlint.verify.worker.messages import DeviceRequest

PRESENT = ("cpu", "cuda", "rocm", "tpu")
"""Platforms whose real devices can be verified for, if the machine has one."""

NODES: Mapping[str, tuple[str, ...]] = {
    "cuda": ("nvidia*", "nvidia-caps/*", "dxg"),
    "rocm": ("kfd", "dri/*"),
    "tpu": ("accel*", "vfio/*"),
}
"""Patterns of the files below /dev through which a platform's real devices are used."""

Mesh = tuple[tuple[str, int], ...]
"""The axes of a mesh of devices, each with its name and its length."""

_UNITS = {
    "": 1,
    "K": 1000,
    "M": 1000**2,
    "G": 1000**3,
    "T": 1000**4,
    "Ki": 1024,
    "Mi": 1024**2,
    "Gi": 1024**3,
    "Ti": 1024**4,
}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]i?)?B")
_LARGEST_SIZE = 1 << 60
_AXIS_NAMES = "xyzuvw"


@dataclass(frozen=True, slots=True)
class Device:
    """A device to compile for.

    Attributes:
        name: what the user calls it.
        platform: what JAX calls its kind.
        memory: bytes that one device has, None where it is not known or nothing limits it.
        topology: the description from which a compiler makes it; "" for a device of this machine.
        configuration: how a TPU's chips are set up, "" for the compiler's own choice.
        target: what XLA must know of a GPU (GpuTargetConfigProto, text form), "" for others.
        mesh: the axes of the mesh that programs are compiled over; () for one device.
    """

    name: str
    platform: str
    memory: int | None = None
    topology: str = ""
    configuration: str = ""
    target: str = ""
    mesh: Mesh = ()

    @property
    def described(self) -> bool:
        """Whether it is only described, and not in this machine."""
        return bool(self.topology)

    def request(self, *, run: bool, dump: bool) -> DeviceRequest:
        """The device as a worker is asked to compile for it."""
        return DeviceRequest(
            self.name, self.platform, self.memory, self.topology, self.configuration, self.target, self.mesh, run, dump
        )


CPU = Device("cpu", "cpu")


def device(name: str, mesh: Mesh = (), memory: int | None = None) -> Device:
    """Returns the device with a name.

    Args:
        name: a platform of PRESENT, or platform and model, such as "tpu:v5e".
        mesh: the mesh of such devices that programs are compiled over; () for one device.
        memory: bytes of each device, to override what is known.

    Raises:
        ValueError: no device has this name, or there are too few; the message says what there is.
    """
    platform, _, model = name.partition(":")
    if name in PRESENT:
        found = Device(name, platform, memory=_own_memory() if name == CPU.name else None)
    elif model and model in _data().get(platform, {}) and platform in PRESENT:
        figures = _data()[platform][model]
        found = _tpu(name, figures, mesh) if platform == "tpu" else _gpu(name, figures, mesh)
    else:
        raise ValueError(f"there is no device `{name}`; {_hint(name)}")
    return replace(found, mesh=mesh, memory=found.memory if memory is None else memory)


def names() -> tuple[str, ...]:
    """The names of all devices."""
    described = (f"{platform}:{model}" for platform in PRESENT for model in _data().get(platform, {}))
    return (*PRESENT, *described)


def size(text: str) -> int:
    """The bytes of a size such as "16GiB".

    Raises:
        ValueError: it is no size.
    """
    matched = _SIZE.fullmatch(text)
    number = float(matched[1]) * _UNITS[matched[2] or ""] if matched is not None else math.inf
    if number > _LARGEST_SIZE:
        raise ValueError(f"`{text:.40}` is no size; write it as in 16GiB")
    return int(number)


def mesh(text: str) -> Mesh:
    """The mesh of a text: "2x4", whose axes are called x, y, z …, or "data=2,model=4".

    Raises:
        ValueError: it is no mesh.
    """
    if re.fullmatch(r"[1-9]\d*(x[1-9]\d*){0,5}", text):
        return tuple(zip(_AXIS_NAMES, map(int, text.split("x")), strict=False))
    axes = [re.fullmatch(r"\s*([^\W\d]\w*)\s*=\s*([1-9]\d*)\s*", part) for part in text.split(",")]
    named = tuple((axis[1], int(axis[2])) for axis in axes if axis is not None)
    if len(named) < len(axes) or len({name for name, _ in named}) < len(named):
        raise ValueError(f"`{text}` is no mesh; write it as in 2x4 or data=2,model=4")
    return named


def environment(devices: Iterable[Device]) -> dict[str, str]:
    """The environment variables that workers need so that JAX can use, or compile for, these devices."""
    chosen = tuple(devices)
    present = [each.platform for each in chosen if not each.described and each.platform != "cpu"]
    flags = ["--xla_backend_optimization_level=0"]
    if (on_cpu := max(_count(each.mesh) for each in chosen)) > 1:
        flags.append(f"--xla_force_host_platform_device_count={on_cpu}")
    cuda_from_afar = any(each.described and each.platform == "cuda" for each in chosen)
    if cuda_from_afar:
        flags.append("--xla_gpu_autotune_level=0")  # tuning runs kernels
    variables = {"JAX_PLATFORMS": ",".join(dict.fromkeys((*present, "cpu"))), "XLA_FLAGS": " ".join(flags)}
    if "tpu" not in present and any(each.described and each.platform == "tpu" for each in chosen):
        variables |= _TPU_FROM_AFAR
    if cuda_from_afar:
        variables["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
    if "cuda" in present or "rocm" in present:
        variables["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # the first worker would take most of the memory
    return variables


_TPU_FROM_AFAR = {
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
    "TPU_ACCELERATOR_TYPE": "v5litepod-4",
    "TPU_LOG_DIR": "disabled",
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "TPU_WORKER_ID": "0",
}
"""Keeps libtpu from looking for real TPUs, their network, and other processes that use them."""


def _own_memory() -> int | None:
    """The bytes of this machine's memory, None where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


@functools.cache
def _data() -> Mapping[str, Any]:
    text = resources.files(__package__).joinpath("data/devices.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _hint(name: str) -> str:
    near = ["cuda"] if name == "gpu" else difflib.get_close_matches(name, names(), n=1)  # what JAX calls both kinds
    return f"did you mean `{near[0]}`?" if near else f"the devices are {', '.join(names())}"


def _count(mesh: Mesh) -> int:
    return math.prod(length for _, length in mesh)


def _tpu(name: str, figures: Mapping[str, Any], mesh: Mesh) -> Device:
    """A TPU in the smallest slice with enough chips for the mesh."""
    wanted, per_chip = _count(mesh), figures.get("devices_per_chip", 1)
    slices = figures["topologies"]
    sizes = [per_chip * math.prod(map(int, chips.split("x"))) for chips in slices]
    enough = [chips for chips, count in zip(slices, sizes, strict=True) if count >= wanted]
    if not enough:
        raise ValueError(f"a mesh of {wanted} devices is larger than the largest slice of {name}, {max(sizes)}")
    return Device(
        name,
        "tpu",
        memory=size(figures["memory"]),
        topology=f"{figures['generation']}:{enough[0]}",
        configuration=figures.get("configuration", ""),
    )


def _gpu(name: str, figures: Mapping[str, Any], mesh: Mesh) -> Device:
    """A GPU in one machine with enough GPUs for the mesh."""
    limits = _data()["capability"][figures["capability"]]
    memory = size(figures["memory"])
    return Device(
        name,
        "cuda",
        memory=memory,
        topology=f"1x1x{_count(mesh)}",
        target=_target_config(figures, limits, memory),
    )


def _target_config(figures: Mapping[str, Any], limits: Mapping[str, Any], memory: int) -> str:
    """The text that tells XLA's compiler about a GPU."""
    major, minor = figures["capability"].split(".")
    return f"""
gpu_device_info {{
  threads_per_block_limit: 1024
  threads_per_warp: 32
  shared_memory_per_block: 49152
  shared_memory_per_core: {limits["shared"]}
  threads_per_core_limit: {limits["threads"]}
  core_count: {figures["multiprocessors"]}
  fpus_per_core: {limits["units"]}
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  memory_bandwidth: {int(figures["bandwidth"])}
  l2_cache_size: {figures["cache"]}
  clock_rate_ghz: {figures["clock"]}
  device_memory_size: {memory}
  shared_memory_per_block_optin: {limits["shared_per_block"]}
  cuda_compute_capability {{ major: {major} minor: {minor} }}
  registers_per_core_limit: 65536
  registers_per_block_limit: 65536
}}
platform_name: "CUDA"
dnn_version_info {{ major: 9 minor: 7 }}
runtime_version {{ major: 12 minor: 8 }}
device_description_str: "{figures["name"]}"
"""
