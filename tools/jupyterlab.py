"""Takes a picture of a notebook in JupyterLab with the language server and the magics: the real thing, in a browser.

python -m tools.jupyterlab FILE.png

Fails if the diagnostics or the verdict that are expected do not appear. Needs `chromium` on the path, and beside
jitlint with its extras `lsp` and `jupyter` the packages jupyterlab, jupyterlab-lsp and playwright.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

PORT = 8898
PATIENCE = 90.0
"""Seconds until something has to be there."""
SIZE = {"width": 1100, "height": 800}

CELLS = (
    """\
%load_ext jitlint
import jax
import jax.numpy as jnp""",
    """\
def clipped(grads, limit):
    norm = jnp.sqrt(jnp.sum(grads**2))
    if norm > limit:
        grads = grads * (limit / norm)
    return grads""",
    """\
@jax.jit
def step(weights, x, y):
    grads = jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(weights)
    return weights - 0.1 * clipped(grads, limit=1.0)""",
    """\
%%jitlint
@jax.jit
def normalized(x):
    size = jnp.linalg.norm(x)
    return x / size if size else x""",
)


@contextlib.contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """Runs JupyterLab in a folder, with settings of its own; gives its address."""
    options = (
        "--no-browser",
        "--allow-root",
        f"--port={PORT}",
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={folder}",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    )
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(folder / ".jupyter"), "JAX_PLATFORMS": "cpu"}
    log = (folder / ".log").open("w")
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options], env=environment, stdout=log, stderr=subprocess.STDOUT
    )
    try:
        _wait_for(f"http://127.0.0.1:{PORT}/api")
        yield f"http://127.0.0.1:{PORT}"
    finally:
        server.terminate()
        server.wait()


def _wait_for(address: str) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(address).close()
            return
        except urllib.error.URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


def run_all(page: Page) -> None:
    """Opens the notebook, waits for the server's diagnostics, and runs all cells."""
    page.set_default_timeout(PATIENCE * 1000)
    page.wait_for_selector(".cm-lintRange-error")
    page.get_by_role("button", name="No", exact=True).click()  # whether it may show news
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_selector(".jp-OutputArea >> text=TracerBoolConversionError")
    page.get_by_role("menuitem", name="View", exact=True).click()
    page.get_by_text("Appearance", exact=True).hover()
    page.get_by_text("Show Left Sidebar", exact=True).click()
    page.wait_for_timeout(1000)


def main() -> None:
    (target,) = sys.argv[1:]
    made: list[dict[str, object]] = [
        {"cell_type": "code", "id": f"c{at}", "execution_count": None, "metadata": {}, "outputs": [], "source": text}
        for at, text in enumerate(CELLS)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train.ipynb").write_text(json.dumps(notebook))
        with jupyterlab(folder) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE)
            page.goto(f"{address}/lab/tree/train.ipynb")
            run_all(page)
            page.screenshot(path=target)
            browser.close()


if __name__ == "__main__":
    main()
