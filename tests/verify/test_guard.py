"""What Python's own functions refuse to verified code, also where there is no sandbox: changes are judged by where they
are made, whatever names lead there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jitlint.verify.worker.process import guard

SCRIPT = """
import json, os, shutil, socket, sqlite3, sys
from jitlint.verify.worker.process import guard

scratch, outside = sys.argv[1:]
os.chdir(scratch)
open("mine", "w").close()
os.symlink(outside, "link")
beyond, here = os.open(outside, os.O_RDONLY), os.open(".", os.O_RDONLY)
theirs = os.path.join(outside, "theirs")
read = os.open(theirs, os.O_RDONLY)
guard.install(scratch, refusing=True)

def connect(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(path)

def listen(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path)

TRIED = {
    "open": lambda to: open(to("new"), "w"),
    "open by link": lambda to: open("link/new", "w"),
    "os.open": lambda to: os.open(to("new"), os.O_CREAT | os.O_WRONLY),
    "os.open at": lambda to: os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=beyond),
    "replace from": lambda to: os.replace(to("theirs"), "taken"),
    "replace to": lambda to: os.replace("mine", to("new")),
    "replace at": lambda to: os.replace("mine", "new", src_dir_fd=here, dst_dir_fd=beyond),
    "rename to": lambda to: os.rename("mine", to("new")),
    "link from": lambda to: os.link(to("theirs"), "same"),
    "link to": lambda to: os.link("mine", to("new")),
    "link at": lambda to: os.link("mine", "new", dst_dir_fd=beyond),
    "symlink": lambda to: os.symlink("x", to("new")),
    "symlink at": lambda to: os.symlink("x", "new", dir_fd=beyond),
    "remove": lambda to: os.remove(to("theirs")),
    "remove at": lambda to: os.remove("theirs", dir_fd=beyond),
    "mkdir": lambda to: os.mkdir(to("new")),
    "mkdir at": lambda to: os.mkdir("new", dir_fd=beyond),
    "rmdir": lambda to: os.rmdir(to("folder")),
    "rmtree": lambda to: shutil.rmtree(to("folder")),
    "move": lambda to: shutil.move("mine", to("new")),
    "truncate": lambda to: os.truncate(to("theirs"), 0),
    "chmod": lambda to: os.chmod(to("theirs"), 0o777),
    "chmod at": lambda to: os.chmod("theirs", 0o777, dir_fd=beyond),
    "chmod open": lambda to: os.chmod(read, 0o777),
    "chown": lambda to: os.chown(to("theirs"), os.getuid(), os.getgid()),
    "utime": lambda to: os.utime(to("theirs")),
    "xattr": lambda to: os.setxattr(to("theirs"), "user.mine", b""),
    "mkfifo": lambda to: os.mkfifo(to("new")),
    "mkfifo at": lambda to: os.mkfifo("new", dir_fd=beyond),
    "mknod": lambda to: os.mknod(to("new")),
    "sqlite": lambda to: sqlite3.connect(to("new")),
    "sqlite by name": lambda to: sqlite3.connect("file:" + to("new") + "?mode=rwc", uri=True),
    "shared memory": lambda to: open("/dev/shm/jitlint-test", "w"),
    "connect": lambda to: connect(to("socket")),
    "listen": lambda to: listen(to("new")),
}
refused = {}
for name, act in TRIED.items():
    try:
        act(lambda part: os.path.join(outside, part))
    except guard.WriteRefusedError:
        continue
    except Exception as error:
        refused[name] = repr(error)
    else:
        refused[name] = "done"

os.replace("mine", "moved")
os.link("moved", "same")
os.utime("moved")
os.chmod("same", 0o600)
os.remove("link")
os.mkfifo("pipe")
os.mkdir("folder")
os.close(os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=here))
shutil.rmtree("folder")
sqlite3.connect("file").close()
sqlite3.connect(":memory:").close()
sqlite3.connect("file:" + theirs + "?mode=ro", uri=True).close()
open(os.devnull, "w").close()
print(json.dumps(refused))
"""


def test_what_leads_out_of_the_scratch_directory_is_refused(tmp_path: Path) -> None:
    scratch, outside = tmp_path / "scratch", tmp_path / "outside"
    scratch.mkdir()
    (outside / "folder").mkdir(parents=True)
    (outside / "theirs").write_text("kept")
    before = (outside / "theirs").stat()
    command = [sys.executable, "-c", SCRIPT, str(scratch), str(outside)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}
    assert sorted(path.name for path in outside.iterdir()) == ["folder", "theirs"]
    after = (outside / "theirs").stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_nlink) == (before.st_mode, before.st_mtime_ns, 1)
    assert not Path("/dev/shm/jitlint-test").exists()


@pytest.mark.parametrize(
    ("name", "place"),
    [
        (":memory:", None),
        ("", None),
        ("file::memory:", None),
        ("file:/a/b?mode=ro", None),
        ("file:/a/b?cache=shared&mode=memory", None),
        ("file:/a/b?mode=rwc", "/a/b"),
        ("file:///a/b", "/a/b"),
        ("/a/b", "/a/b"),
    ],
)
def test_a_databases_file_is_known_by_its_name(name: str, place: str | None) -> None:
    assert guard._database(name) == place
    assert guard._database(os.fsencode(name)) == place
