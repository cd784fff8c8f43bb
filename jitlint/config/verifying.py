"""From settings to what verifying takes: devices, an interpreter, limits, and the inputs that are known beforehand."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from jitlint.config.settings import Settings, VerifySettings
from jitlint.findings.finding import FileError
from jitlint.project.cache import cache_folder
from jitlint.project.files import project_folder
from jitlint.source.text import SourceFile
from jitlint.verify import devices, environment
from jitlint.verify.devices import Device
from jitlint.verify.known import KnownInputs, declared, recorded
from jitlint.verify.options import BUDGETS, Driver, VerifyOptions
from jitlint.verify.recorder import store
from jitlint.verify.sandbox.confinement import Confinement, NoSandboxError


class VerifySetupError(Exception):
    """What was asked for cannot be had here; the message says what, why, and what to do."""


class VerifySetup(NamedTuple):
    """How to verify, the declared or recorded inputs that cannot be used, and a line for each interpreter that comes
    before the chosen one and cannot verify."""

    options: VerifyOptions
    errors: tuple[FileError, ...]
    passed_over: tuple[str, ...]


def chosen_devices(settings: VerifySettings, mesh: str | None = None) -> tuple[Device, ...]:
    """The devices to verify for: the CPU, unless the settings name others.

    Args:
        settings: as they hold where verifying starts.
        mesh: over how many devices programs are compiled, such as `2x4`.

    Raises:
        VerifySetupError: there is no such device, memory or mesh.
    """
    try:
        axes = devices.mesh(mesh) if mesh else ()
        memory = devices.size(settings.memory) if settings.memory else None
        return tuple(devices.device(name, axes, memory) for name in dict.fromkeys(settings.device or ("cpu",)))
    except ValueError as error:
        raise VerifySetupError(f"--device, --memory or --mesh: {error}.") from error


def verify_setup(
    settings: Settings,
    start: Path,
    sources: tuple[SourceFile, ...],
    devices: tuple[Device, ...],
    *,
    run: bool = False,
    dump: str | None = None,
    cached: bool = True,
    jobs: int = 0,
) -> VerifySetup:
    """How the settings say to verify.

    Args:
        settings: as they hold for `start`.
        start: the file or folder from which the project's environment is looked for, upward.
        sources: the project's files; comments in them declare inputs.
        devices: what to compile for.
        run: whether to execute once what compiles for a device of this machine.
        dump: the folder to write jaxprs and optimized HLO to; it is made if it is not there.
        cached: whether verdicts of earlier runs count, and those of this one are stored.
        jobs: how many worker processes, 0 for as many as fit the machine.

    Raises:
        VerifySetupError: no interpreter can verify, or the folder cannot be made.
    """
    wanted, times = settings.verify, BUDGETS[settings.verify.budget]
    needed = VerifyOptions(devices=devices, sandbox=wanted.sandbox, variables=wanted.environment)
    interpreter = _interpreter(settings, start, needed.confinement)
    known = _known_inputs(settings, sources, start)
    options = VerifyOptions(
        devices=devices,
        python=interpreter.python,
        jobs=jobs,
        run=run,
        dump=_made_folder(dump) if dump else None,
        cache=cache_folder(start) if cached else None,
        sandbox=wanted.sandbox,
        variables=wanted.environment,
        full_import=wanted.import_ == "full",
        drivers=tuple(Driver(driver.text, str(driver.folder)) for driver in wanted.drivers),
        inputs=known.inputs,
        probe_timeout=times * wanted.probe_timeout,
        module_timeout=times * wanted.module_timeout,
        compile_timeout=times * wanted.compile_timeout,
        memory_mb=_mebibytes(wanted.process_memory),
    )
    notices = tuple(f"{problem}; verifying with {interpreter.python}" for problem in interpreter.passed_over)
    return VerifySetup(options, known.errors, notices)


def _interpreter(settings: Settings, start: Path, confinement: Confinement) -> environment.Interpreter:
    try:
        return environment.choose(settings.verify.python, start, confinement=confinement)
    except NoSandboxError as error:
        raise VerifySetupError(
            f"--sandbox required: this system has no sandbox for verified code ({error}); "
            "allow its namespaces, or choose `auto`, which verifies with less."
        ) from error
    except environment.UnusableInterpreterError as error:
        origin = settings.sources.get("verify.python")
        if origin is None:
            raise VerifySetupError(f"Nothing to verify with: {error}.") from error
        named_by = origin if origin.startswith("--") else f"`python` in {origin}"
        raise VerifySetupError(f"{named_by}: {error}.") from error


def _known_inputs(settings: Settings, sources: tuple[SourceFile, ...], start: Path) -> KnownInputs:
    """Recorded inputs, then declared ones."""
    root = project_folder(start)
    first = recorded(sources, settings.verify.recorded or root / store.FILE, root)
    second = declared(sources, settings.verify.inputs, settings.sources.get("verify.inputs", ""))
    return KnownInputs((*first.inputs, *second.inputs), (*first.errors, *second.errors))


def _made_folder(name: str) -> Path:
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise VerifySetupError(f"Cannot make {name}: {error.strerror}.") from error
    return Path(name)


def _mebibytes(size: str) -> int:
    return devices.size(size) >> 20
