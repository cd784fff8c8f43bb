"""The report as a page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.test_documents import write

HOSTILE = '''\
import jax


@jax.jit
def step(x, rate):
    """</script><script>alert(1)</script><img src=x onerror=alert(2)>"""
    y = x * rate
    return y if y > 0 else x  # <b>&amp;
'''


def page(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "jitlint", "--format=html", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    return done.stdout


def data(text: str) -> dict[str, Any]:
    """What the page's script reads."""
    (held,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    found: dict[str, Any] = json.loads(held)
    return found


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(HOSTILE)
    return tmp_path


def test_the_page_holds_source_stages_and_findings(hostile: Path) -> None:
    told = data(page(hostile, "."))
    (file,) = told["files"]
    (cell,) = file["cells"]
    assert (file["path"], cell["cell"], "\n".join(cell["lines"])) == ("model.py", None, HOSTILE)
    stages = {
        (line, cell["lines"][line - 1][start - 1 : end - 1]): told["stages"][stage]
        for line, start, end, stage in cell["names"]
    }
    assert (stages[5, "x"], stages[7, "y"], stages[8, "y"]) == ("traced", "traced", "traced")
    (finding,) = told["findings"]
    assert (finding["code"], finding["line"], [step["line"] for step in finding["flow"]]) == ("JIT104", 8, [5, 7])


def test_nothing_of_the_source_is_markup_or_a_script(hostile: Path) -> None:
    text = page(hostile, ".")
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    styles = re.findall(r"<style>(.*?)</style>", text, re.S)
    assert len(scripts) == len(styles) == 1
    assert "alert(1)</script>" not in text and "<img" not in text
    for kind, part in (("script", scripts[0]), ("style", styles[0])):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in text
    assert "innerHTML" not in scripts[0] and "http" not in scripts[0].replace("http://www.w3.org/2000/svg", "")


def test_cells_of_notebooks_are_apart(tmp_path: Path) -> None:
    write(tmp_path / "book.ipynb", ("code", "import jax"), ("code", "@jax.jit\ndef f(x):\n    return 1 if x else 2"))
    told = data(page(tmp_path, "."))
    (file,) = told["files"]
    assert [(cell["cell"], cell["lines"][0]) for cell in file["cells"]] == [(1, "import jax"), (2, "@jax.jit")]
    assert [name[:3] for name in file["cells"][1]["names"]] == [[2, 7, 8], [3, 17, 18]]
    assert told["findings"][0]["cell"] == 2


@pytest.mark.slow
def test_entry_points_have_their_cost(hostile: Path) -> None:
    told = data(page(hostile, "--verify=all", "."))
    (entry,) = told["entries"]
    assert (entry["name"], entry["status"]) == ("step", "failed")
    (verdict,) = [finding["verdict"] for finding in told["findings"]]
    assert verdict["status"] == "confirmed"


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("chromium") is None, reason="needs chromium; tools/page_pictures.py looks at pages, too"
)
def test_a_browser_shows_it(hostile: Path) -> None:
    (hostile / "page.html").write_text(page(hostile, "."))
    address = (hostile / "page.html").as_uri()
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={hostile / 'profile'}"]
    done = subprocess.run(
        ["chromium", *options, "--virtual-time-budget=5000", "--dump-dom", address],
        capture_output=True,
        text=True,
        check=True,
    )
    main = done.stdout.partition("<main")[2].partition("</main>")[0]
    assert '<span class="traced marked" title="traced">y</span>' in main
    assert "&lt;img src=x onerror=alert(2)&gt;" in main
    assert 'aria-label="JIT104 at line 8"' in main
    assert "1 finding, 1 error (1 file, jitlint" in done.stdout
