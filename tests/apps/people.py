"""People's problems on the page, in a real browser, by keyboard: `python -m tests.apps.people [NAME ...]`, all of people.json.

Of each: facts and goal are typed, a type is given, a step is proposed, a step of one's own is written and checked, the
proof is copied, the page is loaded again, and its address is opened by somebody else. The table says what provers closed.
"""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.apps.process import running
from tests.apps.test_page import NO_WAITING, Person

PROBLEMS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("people.json").read_text("utf-8"))
READ = "#isar-text:not(.stale)"
AT_REST = f"{NO_WAITING} && !document.querySelector('#proof .gap.wait')"


@dataclass
class Seen:
    """What happened to one problem."""

    proposals: int
    closed: bool  # every gap, after one's own step
    status: str
    copied: str


def type_problem(page: Any, problem: dict[str, Any]) -> None:
    page.keyboard.press("n")
    for place, fact in enumerate(problem["facts"]):
        if place:
            page.keyboard.press("f")
        page.keyboard.type(fact)
        page.keyboard.press("Enter")
    if not problem["facts"]:
        page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.type(problem["goal"])
    page.keyboard.press("Enter")
    page.wait_for_selector("#proof .goal math")
    if "theory" in problem:
        page.keyboard.press("i")
        page.keyboard.type(problem["theory"])
        page.keyboard.press("Enter")
        page.wait_for_function("name => document.querySelector('.world input').value === name", arg=problem["theory"])
    page.wait_for_selector(READ)
    if "offered" in problem:  # a type is open, and one of the offered readings is chosen
        page.keyboard.press("t")
        for _ in range(page.locator(".offer button").all_inner_texts().index(problem["offered"])):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_function("!document.querySelector('.offer')")
    if "typed" in problem:  # a type is written
        page.keyboard.press("t")
        if page.locator(".offer").count():  # past what is offered
            page.keyboard.press("t")
        page.keyboard.type(problem["typed"])
        page.keyboard.press("Enter")
    page.evaluate("document.activeElement.blur()")
    page.wait_for_selector(READ)


def go_through(person: Person, address: str, problem: dict[str, Any]) -> Seen:
    person.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = person.open(address)
    type_problem(page, problem)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#steps > ol:not(.stale) .card math")
    page.wait_for_function(NO_WAITING)
    proposals = page.locator("#steps .card").count()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("o")
    page.keyboard.type(problem["own"])
    page.wait_for_selector("#proof .step .preview math")
    page.keyboard.press("Enter")
    page.wait_for_selector("#proof .step .show math")
    page.wait_for_function("/proved|closed/.test(document.querySelector('#status').textContent)")
    page.wait_for_function(AT_REST)
    for _ in range(4):  # a busy machine may have had no time
        if page.locator("#finished").is_visible():
            break
        page.evaluate("document.querySelector('#status').textContent = ''")
        page.keyboard.press("p")
        page.wait_for_function("/No prover|closed/.test(document.querySelector('#status').textContent)")
        page.wait_for_function(AT_REST)
    page.wait_for_selector(READ)
    closed = page.locator("#finished").is_visible()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("c")
    page.wait_for_function("document.querySelector('#copy').textContent === 'Copied'")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#isar-text").inner_text()
    assert "have s1:" in copied
    status = page.locator("#status").inner_text()

    before, gaps = texts_of(page), page.locator("#proof .gap.proved").count()
    page.reload()
    page.wait_for_selector("#proof .goal math")
    assert texts_of(page) == before
    assert page.locator("#proof .gap.proved").count() == gaps  # what provers said is kept here
    return Seen(proposals, closed, status, copied)


def opened_elsewhere(browser: Any, address: str, texts: list[str]) -> None:
    """The address alone carries the problem and its step; whoever opens it has provers look at it anew."""
    other = Person(browser)
    page = other.open(address)
    page.wait_for_selector("#proof .step math")
    assert texts_of(page) == texts
    page.wait_for_function(AT_REST)
    assert other.troubles == []
    other.context.close()


def main(names: list[str]) -> int:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    failed = 0
    with running() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        for problem in (each for each in PROBLEMS if not names or each["name"] in names):
            person = Person(browser)
            try:
                seen = go_through(person, server.url, problem)
                opened_elsewhere(browser, person.page.url, texts_of(person.page))
                assert person.troubles == []
                print(
                    f"{problem['name']:24} {seen.proposals:3} proposals, {'closed' if seen.closed else 'open'}",
                    flush=True,
                )
            except Exception as error:
                failed += 1
                print(f"{problem['name']:24} FAILED {str(error).splitlines()[0][:160]} {person.troubles}", flush=True)
            person.context.close()
        browser.close()
    return failed


def texts_of(page: Any) -> list[str]:
    texts: list[str] = page.evaluate("() => [...document.querySelectorAll('#proof .formula')].map(each => each.title)")
    return texts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
