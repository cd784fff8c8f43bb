"""What code can do in a sandbox, or why there is none."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jitlint.verify.worker.process import sandbox

SCRIPT = """
import json, os, resource, socket, sys
from jitlint.verify.worker.process import sandbox

scratch, outside, network = sys.argv[1], sys.argv[2], sys.argv[3] == "network"

def outcome(act, *arguments):
    try:
        act(*arguments)
    except OSError as error:
        return error.strerror
    return "done"

def write(path):
    with open(path, "w") as file:
        file.write("x")

def connect():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()

problem = sandbox.enter(scratch, network=network)
if problem is None:
    sys.exit()
print(json.dumps({
    "problem": problem,
    "scratch": outcome(write, os.path.join(scratch, "file")),
    "outside": outcome(write, outside),
    "settings": outcome(write, "/proc/self/comm"),
    "null": outcome(write, os.devnull),
    "mount": outcome(sandbox._mount, "tmpfs", scratch, "tmpfs", 0),
    "loopback": outcome(connect),
    "interfaces": [name for _, name in socket.if_nameindex()],
    "processes": sum(name.isdigit() for name in os.listdir("/proc")),
    "user": os.getuid(),
    "tasks": resource.getrlimit(resource.RLIMIT_NPROC)[1],
}))
"""


def told(folder: Path, network: str = "") -> Any:
    """What a process in a sandbox tells of itself; without one the test has nothing to look at but why."""
    (folder / "scratch").mkdir()
    command = [sys.executable, "-c", SCRIPT, str(folder / "scratch"), str(folder / "outside"), network]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has namespaces")
def test_nothing_but_the_scratch_directory_is_within_reach(tmp_path: Path) -> None:
    said = told(tmp_path)
    if said["problem"]:
        assert said["outside"] == "done"
        return
    refused = "Read-only file system"
    assert (said["scratch"], said["outside"], said["settings"], said["null"]) == ("done", refused, refused, "done")
    assert (said["mount"], said["processes"]) == ("Operation not permitted", 1)
    assert said["tasks"] == sandbox._MOST_TASKS
    assert (said["loopback"], said["interfaces"]) == ("done", ["lo"])
    assert [path.name for path in tmp_path.rglob("*")] == ["scratch", "file"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has namespaces")
def test_the_network_may_be_left_to_it(tmp_path: Path) -> None:
    interfaces = [name for _, name in socket.if_nameindex()]
    said = told(tmp_path, "network")
    assert said["interfaces"] == interfaces
    assert said["problem"] or said["outside"] == "Read-only file system"


def test_other_systems_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert sandbox.enter(".") == "only Linux has one"
