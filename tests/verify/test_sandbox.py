"""What programs can do in the sandbox, in each of its forms."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from confined import needs_filter, needs_namespaces, tell, without_namespaces

from jitlint.verify.sandbox import limits, namespaces, system_calls
from jitlint.verify.sandbox.confinement import AskError, Confinement, NoSandboxError
from jitlint.verify.sandbox.wish import Wish

READ_ONLY = "Read-only file system"
REFUSED = "Operation not permitted"


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Sockets of another program on this machine: one with a path, one with an abstract name."""
    names = (str(tmp_path / "socket"), f"jitlint-test-{os.getpid()}")
    with socket.socket(socket.AF_UNIX) as by_path, socket.socket(socket.AF_UNIX) as by_name:
        by_path.bind(names[0])
        by_name.bind("\0" + names[1])
        by_path.listen()
        by_name.listen()
        yield names


@needs_namespaces
def test_only_the_scratch_directory_can_be_written(tmp_path: Path) -> None:
    told = tell(
        """
paths = {"scratch": "file", "outside": sys.argv[1], "process": "/proc/self/comm", "null": os.devnull, "root": "/x"}
return {name: outcome(write, path) for name, path in paths.items()}
""",
        tmp_path / "outside",
        shown=[str(tmp_path)],
    )
    writable = {"scratch": "done", "null": "done"}
    assert told.said == {**dict.fromkeys(("outside", "process", "root"), READ_ONLY), **writable}
    assert not list(tmp_path.iterdir())


@needs_namespaces
def test_with_a_gpu_threads_can_be_named_and_the_system_stays_as_it_is() -> None:
    """CUDA writes names of threads to /proc, and does not start where it cannot."""
    body = """
paths = (f"/proc/self/task/{os.getpid()}/comm", "/proc/sys/kernel/core_pattern", "/proc/version")
return [outcome(write, path) for path in paths]
"""
    told = tell(body, confinement=Confinement(nodes=("nvidia*",)))
    assert told.said == ["done", READ_ONLY, READ_ONLY]


@needs_filter
def test_without_namespaces_devices_can_be_written_to_and_nothing_else(tmp_path: Path) -> None:
    paths = (tmp_path / "outside", "/dev/random")
    body = "return [outcome(write, path) for path in sys.argv[1:3]]"
    told = tell(body, *paths, before=without_namespaces())
    with_device = tell(body, *paths, confinement=Confinement(nodes=("rando[m]",)), before=without_namespaces())
    if "the system keeps code from writing files" in told.note:
        assert (told.said, with_device.said) == (["Permission denied"] * 2, ["Permission denied", "done"])


@needs_namespaces
def test_there_is_no_network_but_ones_own() -> None:
    told = tell("""
def connect():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
def leave():
    socket.create_connection(("192.0.2.1", 80), timeout=10)
return outcome(connect), outcome(leave), [name for _, name in socket.if_nameindex()]
""")
    assert told.said == ["done", "Network is unreachable", ["lo"]]


@needs_namespaces
def test_the_network_may_be_left_to_it(tmp_path: Path) -> None:
    interfaces = [name for _, name in socket.if_nameindex()]
    body = "return [name for _, name in socket.if_nameindex()], outcome(write, sys.argv[1])"
    told = tell(body, tmp_path / "outside", confinement=Confinement(network=True), shown=[str(tmp_path)])
    assert told.said == [interfaces, READ_ONLY]


@needs_namespaces
def test_sockets_and_pipes_of_the_machine_are_not_there(tmp_path: Path, listening: tuple[str, str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    told = tell(
        """
def connect(address):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(address)
pipe, path, name = sys.argv[1:4]
return (outcome(connect, path), outcome(connect, chr(0) + name), os.path.exists(pipe),
        [os.listdir(folder) for folder in ("/run", "/var")])
""",
        tmp_path / "pipe",
        *listening,
    )
    assert told.said == ["No such file or directory", "Connection refused", False, [[], []]]


@needs_namespaces
def test_processes_may_talk_among_themselves() -> None:
    told = tell("""
import multiprocessing
with multiprocessing.get_context("forkserver").Pool(1) as pool, socket.socket(socket.AF_UNIX) as server:
    server.bind("socket")
    server.listen()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("socket")
    return pool.apply(len, ([1, 2],)), [one.close() for one in socket.socketpair()]
""")
    assert told.said == [2, [None, None]]


@needs_filter
@pytest.mark.parametrize("before", ["", "without"])
def test_sockets_beyond_namespaces_cannot_be_made(before: str) -> None:
    told = tell(
        """
families = ("AF_VSOCK", "AF_ALG", "AF_PACKET", "AF_BLUETOOTH")
return [outcome(socket.socket, getattr(socket, name)) for name in families if hasattr(socket, name)]
""",
        before=without_namespaces() if before else (),
    )
    assert set(told.said) == {"Address family not supported by protocol"}


@needs_filter
@pytest.mark.parametrize("before", ["", "without"])
def test_system_calls_that_reach_beyond_are_refused(before: str) -> None:
    """Whatever their arguments: each of these would be wrong or useless."""
    column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]
    numbers = {name: both[column] for name, both in system_calls._CALLS.items()}
    told = tell(
        "return {name: outcome(call, int(number), *[-1] * 6) for name, number in json.loads(sys.argv[1]).items()}",
        str(numbers).replace("'", '"'),
        before=without_namespaces() if before else (),
    )
    assert told.said == dict.fromkeys(numbers, REFUSED)


@needs_filter
def test_calls_are_refused_for_what_they_are_asked() -> None:
    column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]
    clone, limit = system_calls._CLONE[column], system_calls._LIMIT[column]
    told = tell(
        """
import fcntl, subprocess, termios
clone, limit = map(int, sys.argv[1:3])
def inject():
    fcntl.ioctl(os.openpty()[0], termios.TIOCSTI, b"x")
return (outcome(call, clone, 0x10000000 | 17, 0, 0, 0, 0), outcome(call, limit, os.getppid() or 1, 7, 0, 0),
        outcome(inject), outcome(subprocess.run, ["true"]))
""",
        clone,
        limit,
    )
    assert told.said == [REFUSED, REFUSED, REFUSED, "done"]


@needs_namespaces
def test_only_devices_that_any_program_needs_are_there() -> None:
    told = tell("return sorted(os.listdir('/dev')), sorted(os.listdir('/dev/shm')), os.access('/dev/kvm', os.F_OK)")
    nodes = ["full", "null", "random", "urandom", "zero"]
    assert told.said == [sorted([*nodes, "fd", "ptmx", "pts", "shm", "stderr", "stdin", "stdout"]), [], False]


@needs_namespaces
def test_devices_that_are_verified_for_are_there() -> None:
    told = tell("return os.path.exists('/dev/tty')", confinement=Confinement(nodes=("tt[y]", "none*")))
    assert told.said is True


@needs_namespaces
def test_of_a_home_directory_there_is_what_does_not_begin_with_a_dot(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for folder in (".ssh", ".config", "data", ".local/lib/python", ".local/share/keyrings"):
        (home / folder).mkdir(parents=True)
    (home / ".netrc").write_text("secret")
    (home / "data" / "file").write_text("kept")
    (home / "link").symlink_to(home / "data" / "file")
    told = tell(
        """
there = []
for folder, names, files in os.walk(os.environ["HOME"]):
    there += [os.path.relpath(os.path.join(folder, name), os.environ["HOME"]) for name in (*names, *files)]
return sorted(there), open(os.path.join(os.environ["HOME"], "link")).read()
""",
        variables={"HOME": str(home)},
    )
    assert told.said == [[".local", ".local/lib", ".local/lib/python", "data", "data/file", "link"], "kept"]


@needs_namespaces
def test_what_is_shown_is_there_also_in_hidden_folders(tmp_path: Path) -> None:
    for name in ("project", "other", "real"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    (tmp_path / "linked").symlink_to("real")
    told = tell(
        "return sorted(os.listdir(sys.argv[1])), open(os.path.join(sys.argv[1], 'linked', 'file')).read()",
        tmp_path,
        shown=[str(tmp_path / "project"), str(tmp_path / "linked")],
    )
    assert told.said == [["linked", "project", "real"], "real"]


@needs_namespaces
def test_what_can_be_written_and_started_is_limited() -> None:
    told = tell("""
import resource
sizes = [os.statvfs(folder) for folder in (".", "/dev/shm")]
return [[each.f_blocks * each.f_frsize, each.f_files] for each in sizes], [
    resource.getrlimit(name)[1] for name in (resource.RLIMIT_NPROC, resource.RLIMIT_CORE)]
""")
    assert told.said == [[[limits.SCRATCH_BYTES, limits.SCRATCH_FILES]] * 2, [limits.TASKS, 1]]


@needs_namespaces
def test_other_processes_are_not_seen_and_rights_are_dropped() -> None:
    told = tell("""
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
processes = [name for name in os.listdir("/proc") if name.isdigit()]
return processes, [int(status[name], 16) for name in ("CapEff", "CapBnd")]
""")
    assert told.said == [["1"], [0, 0]]


def test_secrets_in_the_environment_stay_outside() -> None:
    given = {"PATH": "/bin", "LC_ALL": "C", "CUDA_VISIBLE_DEVICES": "0", "AWS_SECRET_ACCESS_KEY": "s", "MINE": "m"}
    given |= {"GITHUB_TOKEN": "s", "TPU_API_TOKEN": "s", "SSH_AUTH_SOCK": "s", "JAX_PLATFORMS": "tpu", "OTHER": "o"}
    passed = Confinement(variables=("MINE",)).environment("/scratch", given)
    assert passed.keys() == {"PATH", "LC_ALL", "CUDA_VISIBLE_DEVICES", "MINE", "TMPDIR"}
    assert passed["TMPDIR"] == "/scratch"


@needs_filter
def test_without_namespaces_the_system_still_keeps_what_it_can(tmp_path: Path, listening: tuple[str, str]) -> None:
    (tmp_path / "theirs").write_text("kept")
    body = """
import ctypes, sqlite3
def connect(address):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(address)
library = ctypes.CDLL(None, use_errno=True)
outside = sys.argv[1]
there = os.open(outside, os.O_RDONLY)
return {
    "scratch": outcome(write, "file"), "null": outcome(write, os.devnull),
    "outside": outcome(write, os.path.join(outside, "new")),
    "theirs": outcome(write, os.path.join(outside, "theirs")),
    "replace": outcome(os.replace, "file", os.path.join(outside, "new")),
    "at": outcome(lambda: os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=there)),
    "pipe": outcome(os.mkfifo, os.path.join(outside, "new")),
    "remove": outcome(os.remove, os.path.join(outside, "theirs")),
    "internet": outcome(socket.socket, socket.AF_INET), "abstract": outcome(connect, chr(0) + sys.argv[3]),
}
"""
    told = tell(body, tmp_path, *listening, before=without_namespaces())
    if not told.note:
        return  # namespaces cannot be switched off here
    assert told.note.startswith("verified without a sandbox (")
    assert told.said["internet"] == "Network is unreachable"
    assert (told.said["scratch"], told.said["null"]) == ("done", "done")
    if "the system keeps code from writing files" in told.note:
        refused = {name: said for name, said in told.said.items() if name not in ("scratch", "null", "internet")}
        abstract = refused.pop("abstract")
        assert set(refused.values()) <= {"Permission denied", "Invalid cross-device link"}
        assert abstract in (REFUSED, "done")  # `done` before Landlock knew sockets
        assert (tmp_path / "theirs").read_text() == "kept" and not (tmp_path / "new").exists()


@needs_filter
def test_no_program_runs_where_a_sandbox_is_required_and_missing() -> None:
    confinement = Confinement("required")
    command = [
        sys.executable,
        "-c",
        "from confined import *; print(Confinement('required').ask(sys.executable, 'print(7)'))",
    ]
    folder = Path(__file__).parent
    done = subprocess.run(
        [*without_namespaces(), *command], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    if without_namespaces():
        assert done.returncode == 1 and "NoSandboxError: No space left on device" in done.stderr
    try:
        assert confinement.ask(sys.executable, "print(7)") == "7\n"
    except NoSandboxError as error:
        assert str(error)


@pytest.mark.slow
@needs_filter
def test_a_sandbox_can_be_required(tmp_path: Path) -> None:
    """Where there is one, code runs; where there is none, nothing does."""
    text = "import jax\n\n@jax.jit\ndef step(x):\n    return 1 if x > 0 else 2\n"
    (tmp_path / "bad.py").write_text(text)
    command = [sys.executable, "-m", "jitlint", "--verify", "--no-cache", "--sandbox", "required", "bad.py"]
    for before in ((), without_namespaces()):
        done = subprocess.run(
            [*before, *command], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )
        if done.returncode == 2:
            assert "--sandbox required: this system has no sandbox for verified code (" in done.stderr
            assert not done.stdout
        else:
            assert not before
            assert "   confirmed: " in done.stdout and "without a sandbox" not in done.stdout


def test_a_program_that_does_not_start_or_end_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text").write_text("no program")
    with pytest.raises(AskError, match="Permission denied"):
        Confinement().ask(str(tmp_path / "text"), "")
    monkeypatch.setattr("jitlint.verify.sandbox.confinement._SECONDS", 1.0)
    before = threading.active_count()
    with pytest.raises(AskError, match="it took more than 1 s"):
        Confinement().ask(sys.executable, "import time; time.sleep(600)")
    assert threading.active_count() == before


def test_other_systems_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert namespaces.enter(Wish("auto", ".")) == "only Linux has one"
    with pytest.raises(OSError, match="only Linux"):
        system_calls.restrict(network=False)
