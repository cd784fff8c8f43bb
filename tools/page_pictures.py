"""Takes pictures of the report as a page, in a browser: on a desktop, in the dark, and on a phone.

python -m tools.page_pictures PAGE.html FOLDER

Fails if the page reports an error, is not shown within two seconds, or if its keys do not lead from finding to finding.
Needs `chromium` on the path and the package playwright.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

LOOKS = {"report": (1200, 800, "light"), "report-dark": (1200, 800, "dark"), "report-phone": (390, 780, "light")}
PATIENCE = 2.0
"""Seconds until the page is shown."""


def picture(browser: Browser, page_file: Path, target: Path, width: int, height: int, scheme: str) -> None:
    """Opens the page, walks over its findings by the keyboard, and takes a picture at the first.

    Raises:
        AssertionError: the page is not as it should be.
    """
    problems: list[object] = []
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.on("pageerror", lambda error: problems.append(error))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    began = time.monotonic()
    page.goto(page_file.resolve().as_uri())
    page.wait_for_selector("main > *")
    assert time.monotonic() - began < PATIENCE, "it takes too long to show"
    count = int(page.locator("#summary").inner_text().split()[0])
    focused = []
    for _ in range(min(count, 3)):
        page.keyboard.press("j")
        focused.append(page.evaluate("document.activeElement.id"))
    assert focused == [f"finding-{number}" for number in range(len(focused))], focused
    for _ in focused[1:]:
        page.keyboard.press("k")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "filter"
    page.keyboard.press("Escape")
    page.wait_for_timeout(300)
    page.screenshot(path=target)
    page.close()
    assert not problems, problems


def main() -> None:
    page_file, folder = map(Path, sys.argv[1:])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, look in LOOKS.items():
            picture(browser, page_file, folder / f"{name}.png", *look)
        browser.close()


if __name__ == "__main__":
    main()
