"""What users call devices, and what the names stand for."""

from __future__ import annotations

import pytest

from jitlint.verify import devices
from jitlint.verify.devices import Device, device, environment, mesh, names, size
from jitlint.verify.verdicts import Reason
from jitlint.verify.worker.inside_jax import faults
from jitlint.verify.worker.inside_jax.failures import Failure


def test_each_name_stands_for_a_device() -> None:
    for name in names():
        found = device(name)
        assert (found.name, found.platform) == (name, name.partition(":")[0])
        assert found.described == (":" in name)
        assert not found.described or found.memory
        assert bool(found.target) == name.startswith("cuda:")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("tpu:v5", "tpu:v5"), ("h100", "cuda:h100"), ("cuda:h1OO", "cuda:h100"), ("gpu", "cuda"), ("tpu:", "tpu")],
)
def test_another_name_is_refused_with_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(ValueError, match=f"no device `{name}`; did you mean `{hint}"):
        device(name)


def test_a_name_like_no_other_is_refused_with_all_of_them() -> None:
    with pytest.raises(ValueError, match="the devices are cpu, cuda, rocm, tpu, cuda:v100"):
        device("abacus")


def test_sizes() -> None:
    assert [size(text) for text in ("16GiB", "1.5 KiB", "2GB", "7B")] == [16 * 2**30, 1536, 2 * 10**9, 7]
    for text in ("16", "GiB", "16 gigs", "-1GiB"):
        with pytest.raises(ValueError, match="is no size"):
            size(text)


def test_meshes() -> None:
    assert mesh("2x4") == (("x", 2), ("y", 4))
    assert mesh("8") == (("x", 8),)
    assert mesh("data=2, model=4") == (("data", 2), ("model", 4))
    for text in ("0x2", "2x", "data", "data=0", "a=2,a=2", "2,4"):
        with pytest.raises(ValueError, match="is no mesh"):
            mesh(text)


def test_a_mesh_takes_the_smallest_slice_that_has_enough_devices() -> None:
    assert device("tpu:v5e", mesh("2x4")).topology == "v5e:2x4"
    assert device("tpu:v5e", mesh("3")).topology == "v5e:2x2"
    assert device("tpu:v3", mesh("8")).topology == "v3:2x2"
    assert device("cuda:h100", mesh("8")).topology == "1x1x8"
    with pytest.raises(ValueError, match="larger than the largest slice of tpu:v5e, 256"):
        device("tpu:v5e", mesh("257"))


def test_memory_is_the_devices_own_unless_said_otherwise() -> None:
    assert device("tpu:v5e").memory == 16 * 2**30
    assert device("tpu:v5e", memory=5).memory == 5


def platforms(*chosen: Device) -> str:
    return environment(chosen)["JAX_PLATFORMS"]


def test_jax_starts_with_the_platforms_that_are_to_be_present() -> None:
    assert platforms(device("cpu")) == platforms(device("tpu:v5e"), device("cuda:h100")) == "cpu"
    assert platforms(device("cuda")) == platforms(device("cpu"), device("cuda")) == "cuda,cpu"
    assert platforms(device("tpu"), device("rocm")) == "tpu,rocm,cpu"


def test_libtpu_is_kept_from_looking_for_tpus_unless_it_shall() -> None:
    described, here = device("tpu:v5e"), device("tpu")
    assert environment([described])["TPU_SKIP_MDS_QUERY"] == "1"
    assert not any(name.startswith("TPU_") for name in environment([described, here]))
    assert not any(name.startswith("TPU_") for name in environment([device("cuda:h100")]))
    assert "JAX_SKIP_CUDA_CONSTRAINTS_CHECK" in environment([device("cuda:h100")])


def test_workers_share_the_memory_of_a_gpu() -> None:
    assert environment([device("cuda")])["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false"
    assert "XLA_PYTHON_CLIENT_PREALLOCATE" not in environment([device("cuda:h100")])


def test_the_cpu_makes_as_many_devices_as_the_mesh_has() -> None:
    assert "device_count=8" in environment([device("cpu", mesh("2x4"))])["XLA_FLAGS"]
    assert "device_count" not in environment([device("cpu")])["XLA_FLAGS"]


class Place:
    """Stands for a placement whose compiler works, or does not."""

    def __init__(self, works: bool) -> None:
        self.works = works

    def broken(self) -> bool:
        return not self.works


OF_THE_PROGRAM = (
    "MLIR translation rule for primitive 'eig' not found for platform tpu",
    "(KeyError(<class 'numpy.float16'>), 'Unsupported dtype float16.')",
    "Only interpret mode is supported on CPU backend.",
    "INVALID_ARGUMENT: during context [pre-optimization]: Unexpected operand type for FFT: c128[8]{0}",
    "RESOURCE_EXHAUSTED: Ran out of memory on HBM, the total memory required for HLO temporaries (16.00G) exceeds "
    "available HBM (15.75G).",
    "INTERNAL: Mosaic failed to compile TPU kernel: unsupported shape cast",
    "Mosaic GPU kernel exceeds available shared memory: smem_bytes=524296 > max_smem_bytes=232448",
)
OF_SOMETHING_ELSE = {
    "INTERNAL: No PTX compilation provider is available.": Reason.NO_COMPILER,
    "INTERNAL: ptxas exited with non-zero error code 65280, output: ptxas too old": Reason.NO_COMPILER,
    "FAILED_PRECONDITION: DNN library initialization failed. cuDNN not found.": Reason.NO_COMPILER,
    "jaxlib/cuda/versions_helpers.cc:66: operation cusolverGetVersion(&version) failed: "
    "cuSolver internal error": Reason.NO_COMPILER,
    "Unable to initialize backend 'tpu': ABORTED: The TPU is already in use by process with pid 7.": Reason.NO_COMPILER,
    "The platform for the specified backend cpu is different from the lowering platform tpu": Reason.NEEDS_DEVICE,
    "Unknown backend: 'gpu' requested, but no platforms that are instances of gpu are present.": Reason.NEEDS_DEVICE,
    "compile(): incompatible function arguments. The following argument types are supported:": Reason.NEEDS_DEVICE,
    "Received incompatible devices for jitted computation. Got argument x of f": Reason.NEEDS_DEVICE,
    "No module named 'absl'": Reason.NEEDS_DEVICE,
    "Cannot abstractly evaluate a checkify.check which was not functionalized.": Reason.INCOMPLETE,
    "INTERNAL: RET_CHECK failure (xla/service/hlo_verifier.cc:1)": Reason.COMPILER_FAILED,
}


def failure(message: str) -> Failure:
    return Failure("JaxRuntimeError", ("JaxRuntimeError", "RuntimeError"), message, ())


@pytest.mark.parametrize("message", OF_THE_PROGRAM)
def test_what_a_compiler_says_of_a_program_is_the_programs(message: str) -> None:
    assert faults.reason(failure(message), Place(works=True)) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize("message", OF_THE_PROGRAM)
def test_nothing_is_the_programs_where_not_even_an_addition_compiles(message: str) -> None:
    assert faults.reason(failure(message), Place(works=False)) == Reason.NO_COMPILER  # type: ignore[arg-type]


@pytest.mark.parametrize(("message", "reason"), OF_SOMETHING_ELSE.items())
def test_what_is_missing_is_never_the_programs(message: str, reason: Reason) -> None:
    assert faults.reason(failure(message), Place(works=True)) == reason  # type: ignore[arg-type]


def test_too_large_is_told_from_what_kernels_do_not_hold() -> None:
    assert faults.is_too_large(failure(OF_THE_PROGRAM[4]))
    vector_memory = "RESOURCE_EXHAUSTED: Allocation (size=268435456) would exceed memory (size=134217728) :: space=vmem"
    assert not faults.is_too_large(failure(vector_memory))
    assert faults.is_of_kernel(RuntimeError(vector_memory))
    assert not faults.is_of_kernel(RuntimeError(OF_THE_PROGRAM[4]))


def test_devices_of_the_data_have_what_their_kind_needs() -> None:
    data = devices._data()
    assert {figures["capability"] for figures in data["cuda"].values()} <= data["capability"].keys()


def test_the_place_that_a_compiler_suspects_is_taken_if_it_is_the_users() -> None:
    said = "INVALID_ARGUMENT: no.\n\nSuspected Python Code Location:\n  {file}:12:5 [step]"
    site = faults.suspected_site(failure(said.format(file="/p/train.py")), {"/p/train.py"})
    assert site is not None and (site.file, site.line, site.column) == ("/p/train.py", 12, 4)
    assert faults.suspected_site(failure(said.format(file="/lib/jax.py")), {"/p/train.py"}) is None
    assert faults.suspected_site(failure(OF_THE_PROGRAM[3]), {"/p/train.py"}) is None
