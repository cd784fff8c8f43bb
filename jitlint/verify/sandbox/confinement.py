"""How the linter starts programs that are not its own: confined, with few environment variables, in an empty folder."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from jitlint.project.temporary import make_folder
from jitlint.verify.sandbox.wish import NO_PROGRAM, NO_SANDBOX, Wish

_LAUNCH = "import sys; sys.path.append(sys.argv[1]); from jitlint.verify.sandbox import enter; enter.main(sys.argv[2:])"
_PACKAGE = Path(__file__).parents[2]
_SECONDS = 60.0
_MOST_PRINTED = 1 << 20
_MOST_LINKS = 20

_PASSED = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|TZ|LANG|LANGUAGE|LC_\w+|LD_LIBRARY_PATH|LD_PRELOAD|VIRTUAL_ENV|CONDA_PREFIX|"
    r"PYTHON(PATH|HOME|UTF8|IOENCODING|NOUSERSITE|USERBASE|PLATLIBDIR|MALLOC|OPTIMIZE|WARNINGS|SAFEPATH)|"
    r"(CUDA|CUDNN|CUBLAS|NVIDIA|NCCL|ROCM|ROCR|HIP|HSA|MIOPEN|TPU|LIBTPU|PJRT)_\w+|"
    r"(OMP|MKL|OPENBLAS|KMP|GOMP|NPY|NUMBA|BLIS|VECLIB)_\w+|TF_(CPP|XLA|GPU|ENABLE|FORCE|NUM|USE|CUDNN)_\w+|"
    r"(EQX|FLAX|CHEX|OPTAX|ORBAX|JAXTYPING|TYPEGUARD|KERAS|TFDS|BRAINPY|BRAINSTATE|NUMPYRO|DISTRAX|MPL)_?\w+"
)
"""The environment variables that code gets: where programs and libraries are, the language, and how libraries of the
field are set up. JAX's and XLA's own are set for what is verified."""

_SECRET = re.compile(r"TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE|AUTH")


class AskError(Exception):
    """A program did not answer; the message says why."""


class NoSandboxError(Exception):
    """A sandbox is required, and there is none; the message says why."""


@dataclass(frozen=True)
class Confinement:
    """How programs of one run are confined.

    Attributes:
        form: one of `wish.FORMS`.
        variables: the names of environment variables that programs get besides those of `_PASSED`.
        nodes: patterns of the devices below /dev that they may use.
        network: whether they may use the machine's network.
    """

    form: str = "auto"
    variables: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    network: bool = False

    def environment(self, scratch: str, given: Mapping[str, str] = os.environ) -> dict[str, str]:
        """The environment variables of a program, with temporary files in `scratch`."""
        passed = {
            name: value
            for name, value in given.items()
            if name in self.variables or (_PASSED.fullmatch(name) and not _SECRET.search(name))
        }
        return {**passed, "TMPDIR": scratch}

    def command(self, program: Sequence[str], scratch: str, shown: Iterable[str] = ()) -> list[str]:
        """The command that runs a program so confined. It gets one more argument: why there is no sandbox, or "".

        Args:
            program: its file and its arguments.
            scratch: the folder that it has to itself, and that is removed after it.
            shown: folders of the project, which it must see.
        """
        wish = Wish(
            self.form,
            scratch,
            shown=(*_of_interpreter(program[0]), *_of_interpreter(sys.executable), str(_PACKAGE), *shown),
            temporary=tempfile.gettempdir(),
            nodes=self.nodes,
            network=self.network,
        )
        return [sys.executable, "-I", "-S", "-c", _LAUNCH, str(_PACKAGE.parent), wish.text(), *program]

    def ask(self, python: str, program: str, more: Mapping[str, str] | None = None) -> str:
        """What a short program prints, in an interpreter that may come from the project.

        Args:
            python: the interpreter.
            program: its text.
            more: further environment variables.

        Raises:
            AskError: it does not end well, or not in time.
            NoSandboxError: a sandbox is required, and there is none.
        """
        scratch = make_folder()
        with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as complaints:
            with contextlib.ExitStack() as stack:
                stack.callback(_remove, scratch)
                process = subprocess.Popen(
                    self.command([python, "-c", program], scratch),
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=complaints,
                    cwd=scratch,
                    env={**self.environment(scratch), **(more or {})},
                    start_new_session=True,
                )
                stack.callback(_end, process)
                try:
                    status = process.wait(_SECONDS)
                except subprocess.TimeoutExpired as error:
                    raise AskError(f"it took more than {_SECONDS:.0f} s") from error
            said, complained = _read(printed), _read(complaints)
        if status == NO_SANDBOX:
            raise NoSandboxError(complained.strip())
        if status == NO_PROGRAM:
            raise AskError(complained.strip())
        return said


def _of_interpreter(python: str) -> Iterable[str]:
    """What an interpreter is made of: its file, the environment around it, and those that these were made of."""
    for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "LD_LIBRARY_PATH"):
        yield from filter(os.path.isabs, os.environ.get(name, "").split(os.pathsep))
    at = Path(os.path.abspath(python))
    for _ in range(_MOST_LINKS):
        yield str(at)
        if at.parent.name in ("bin", "Scripts"):
            yield str(at.parents[1])
        if not at.is_symlink():
            return
        at = Path(os.path.abspath(at.parent / at.readlink()))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a program with all that it started, as far as these stayed in its session."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _remove(scratch: str) -> None:
    shutil.rmtree(scratch, ignore_errors=True)


def _read(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read(_MOST_PRINTED).decode(errors="replace")
