"""The screenshots of docs/web.md: `python -m tests.apps.pictures docs/pictures` from the root of the repository."""

import io
import shutil
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from tests.apps.process import running
from tests.apps.test_page import NO_WAITING, Person


def keep(page: Any, path: Path) -> None:
    picture = Image.open(io.BytesIO(page.screenshot()))
    temporary = path.with_suffix(".tmp")
    picture.save(temporary, "WEBP", quality=82, method=6)
    temporary.replace(path)


def ask(page: Any) -> None:
    """Ask until most verdicts are there: provers remember what they have done, so a slow machine gets there as well."""
    for _ in range(6):
        page.locator("#ask").click()
        page.wait_for_selector("#steps > ol:not(.stale) .card")
        page.wait_for_function(NO_WAITING)
        if "time was up" not in page.locator("#status").inner_text():
            return


def take(folder: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with running() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        page = Person(browser).open(server.url)
        ask(page)
        keep(page, folder / "web-proposals.webp")
        page.locator("#steps .attend").first.click()
        page.wait_for_selector("#attention .shares li")
        keep(page, folder / "web-attention.webp")
        page.keyboard.press("Escape")
        page.locator("#steps .card.sides1 .use").first.click()
        page.wait_for_selector("#proof .step")
        ask(page)
        page.locator("#isar-text").scroll_into_view_if_needed()
        keep(page, folder / "web-proof.webp")

        page = Person(browser, scheme="dark").open(server.url)
        page.keyboard.press("n")
        for fact in ("A ⊆ B", "x ∈ A"):
            page.keyboard.type(fact)
            page.keyboard.press("Enter")
            page.keyboard.press("f")
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.type("x + (A ∪ B) = y")
        page.wait_for_selector("#proof .goal mark")
        page.wait_for_function("/type/.test(document.querySelector('#proof .goal .message').textContent)")
        keep(page, folder / "web-mistake.webp")

        page = Person(browser, 390, "dark").open(server.url)
        ask(page)
        keep(page, folder / "web-phone.webp")
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]))
