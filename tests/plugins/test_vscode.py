"""The extension for VS Code: its types, its logic, its package, and the server as it starts it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import IO, Any

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("npm") is None, reason="the extension is built with npm, which is not installed"),
]

BRANCH = "import jax\n\n\n@jax.jit\ndef step(x):\n    return 1 if x > 0 else 2\n"


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the extension, with what it needs."""
    root = Path(__file__).resolve().parents[2]
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copy(root / "LICENSE", folder)
    made = shutil.ignore_patterns("node_modules", "dist", "out", "*.vsix")
    copied = Path(shutil.copytree(root / "plugins" / "vscode", folder / "plugins" / "vscode", ignore=made))
    run(copied, "npm", "ci", "--no-audit", "--no-fund")
    return copied


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_logic_holds(extension: Path) -> None:
    said = run(extension, "npm", "test")
    assert "# fail 0" in said or "fail 0" in said
    assert "pass 0" not in said


def test_it_is_packed_with_what_it_needs_and_nothing_else(extension: Path) -> None:
    run(extension, "npm", "run", "package")
    (packed,) = extension.glob("*.vsix")
    with zipfile.ZipFile(packed) as archive:
        names = {
            name.removeprefix("extension/").lower() for name in archive.namelist() if name.startswith("extension/")
        }
        manifest = json.loads(archive.read("extension/package.json"))
        bundle = archive.read("extension/dist/extension.js").decode()
    assert names == {"license.txt", "changelog.md", "readme.md", "package.json", "dist/extension.js"}
    assert manifest["main"] == "./dist/extension.js"
    for command in manifest["contributes"]["commands"]:
        assert f'"{command["command"]}"' in bundle


def test_its_settings_are_those_of_the_server(extension: Path) -> None:
    from jitlint.lsp.options import Options

    manifest = json.loads((extension / "package.json").read_text())
    settings = {name.removeprefix("jitlint.") for name in manifest["contributes"]["configuration"]["properties"]}
    assert settings == {"interpreter", *Options.__slots__}


def test_the_server_that_it_starts_finds_a_bug(extension: Path, tmp_path: Path) -> None:
    run(extension, "npx", "tsc", "-p", "tsconfig.logic.json")
    ask = "const p = require('./out/src/logic/programs.js'); console.log(JSON.stringify(p[process.argv[1]](%s, %s)))"
    ask %= json.dumps(sys.executable), json.dumps(str(extension))
    question = json.loads(run(extension, "node", "-e", ask, "question"))
    answer = json.loads(run(Path(question["cwd"]), question["command"], *question["args"]))
    assert answer["jitlint"] and answer["lsp"] and answer["python"] == list(sys.version_info[:2])
    program = json.loads(run(extension, "node", "-e", ask, "server"))
    (tmp_path / "model.py").write_text(BRANCH)
    (tmp_path / "psutil.py").write_text("raise SystemExit('what is opened must not run')\n")
    uri = (tmp_path / "model.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": BRANCH}
    with subprocess.Popen(
        [program["command"], *program["args"]], cwd=program["cwd"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        try:
            capabilities = {"textDocument": {"publishDiagnostics": {}}}
            send(server.stdin, "initialize", {"processId": None, "rootUri": None, "capabilities": capabilities}, 1)
            send(server.stdin, "initialized", {})
            send(server.stdin, "textDocument/didOpen", {"textDocument": document})
            while (message := read(server.stdout)).get("method") != "textDocument/publishDiagnostics":
                pass
        finally:
            server.kill()
    assert [each["code"] for each in message["params"]["diagnostics"]] == ["JIT104"]


def send(stream: IO[bytes], method: str, params: object, number: int | None = None) -> None:
    message = {"jsonrpc": "2.0", "method": method, "params": params} | ({"id": number} if number is not None else {})
    content = json.dumps(message).encode()
    stream.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
    stream.flush()


def read(stream: IO[bytes]) -> dict[str, Any]:
    length = 0
    while (line := stream.readline().strip()) or not length:
        assert line or length, "the server has ended"
        if line.lower().startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
    found: dict[str, Any] = json.loads(stream.read(length))
    return found
