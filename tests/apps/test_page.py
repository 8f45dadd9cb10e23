"""The web page in a real browser, with the real server and the model inside the package: what a person does with it."""

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.apps.process import Running, running
from tests.stand_in import StandIn
from tests.waiting import gone, number_in

import isarstep.apps.http
from isarstep.score.report.figures import palette

PAGE = Path(isarstep.apps.http.__file__).parent / "page"
# Keeps what the page says, however short.
LISTEN = """window.said = []; addEventListener("DOMContentLoaded", () => {
    const status = document.querySelector("#status");
    new MutationObserver(() => said.push(status.textContent)).observe(status, {childList: true, characterData: true, subtree: true}); });"""
TRIED = ":is(.yes, .open, .no)"
OPEN = f"#steps .card:not(.sides2):has(.first{TRIED}):has(.second{TRIED}) .use .formula"
NO_WAITING = "!document.querySelector('#steps .badge.wait') && document.querySelector('#stop').hidden"


def test_the_page_looks_like_the_report() -> None:
    css = (PAGE / "page.css").read_text("utf-8")
    light, dark = css.split("@media (prefers-color-scheme: dark)")[:2]
    report_light, report_dark = palette().split("@media")
    for ours, theirs in ((light, report_light), (dark, report_dark)):
        named = dict(re.findall(r"(--\w+):\s*(#\w+);", ours))
        colours = dict(re.findall(r"(--\w+):(#\w+);", theirs))
        shared = named.keys() & colours.keys()
        assert {"--paper", "--ink", "--soft", "--line", "--s0", "--s1"} <= shared
        assert {name: named[name] for name in shared} == {name: colours[name] for name in shared}


def test_the_page_needs_nothing_from_elsewhere() -> None:
    for path in PAGE.iterdir():
        if path.suffix in (".js", ".css", ".html", ".svg"):
            text = path.read_text("utf-8").replace("http://www.w3.org/", "").replace('url("/page/', "")
            assert not re.findall(r"https?://|@import|url\(", text), path.name


def hurried(route: Any) -> None:
    """Provers have a sixth of the usual seconds for each proposal, of which most are not proved in any time."""
    route.continue_(post_data=json.dumps(json.loads(route.request.post_data) | {"prover_seconds": 0.05}))


class Person:
    """A page, and what went wrong on it."""

    def __init__(self, browser: Any, width: int = 1280, scheme: str = "light", guided: bool = True) -> None:
        """`guided`: the browser may be told to wait for conditions, which the page's own policy forbids."""
        self.context = browser.new_context(
            viewport={"width": width, "height": 844}, color_scheme=scheme, reduced_motion="reduce", bypass_csp=guided
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(300_000)  # as long as a busy machine needs
        self.troubles: list[str] = []
        self.page.on("console", lambda m: self.troubles.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.troubles.append(dialog.message), dialog.dismiss()))
        if guided:
            self.page.route("**/propose", hurried)

    def answer(self, path: str, answer: Callable[[Any], None]) -> None:
        """Answers requests in the server's place. Said to a page that is open already, a browser may still send the
        next request to the server."""
        assert self.page.url == "about:blank"
        self.page.route(path, answer)

    def open(self, address: str) -> Any:
        self.page.goto(address)
        self.page.wait_for_selector("#proof .goal math")
        return self.page

    def fits(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.fixture
def person(browser: Any) -> Iterator[Person]:
    one = Person(browser)
    yield one
    one.context.close()


def ask_and_wait_for_provers(page: Any) -> None:
    """Until one side is proved of some step, and two are open."""
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#steps .card math")
    cards = page.locator("#steps .card")
    assert cards.count() >= 5
    assert page.locator("#steps .typed.yes").count() >= 1
    proved = page.locator("#steps .badge.yes:is(.first, .second)")
    for _ in range(3):
        page.wait_for_function(NO_WAITING)
        if proved.count() and page.locator(OPEN).count() > 1:
            break
        page.keyboard.press("Control+Enter")  # a busy machine may need all its time to load the provers' library
        page.wait_for_selector("#steps > ol:not(.stale) .card")
    assert page.locator("#steps .badge.first").count() == cards.count()
    assert proved.count() >= 1
    assert "proved on both sides" in page.locator("#status").inner_text()
    # The best ranked is proved on at least as many sides as any other.
    assert "sides0" not in (cards.first.get_attribute("class") or "")


def test_search_ask_accept_undo_and_copy_by_keyboard(server: Running, person: Person) -> None:
    person.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = person.open(f"{server.url}/#0ae2df4f9173")
    page.keyboard.press("/")
    page.keyboard.type("24753799f8ff")
    page.wait_for_selector("#found [role=option][aria-selected=true]")
    assert "HOL.Int" in page.locator("#found [role=option]").first.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_function("/24753799f8ff/.test(document.querySelector('#origin').textContent)")
    page.wait_for_selector("#proof .goal math")

    ask_and_wait_for_provers(page)
    page.keyboard.press("r")
    assert page.locator("#compare math").count() >= 1

    # Two steps, neither of which closes everything: those that provers have tried, and not proved on both sides.
    accepted = []
    for _ in range(2):
        page.wait_for_selector("#steps > ol:not(.stale) .card")
        page.wait_for_function(NO_WAITING)
        open_ones = page.locator(OPEN)
        accepted.append(open_ones.first.get_attribute("title"))
        before = page.locator("#proof .step").count()
        open_ones.first.click()
        page.wait_for_function("n => document.querySelectorAll('#proof .step').length === n", arg=before + 1)
    shown = [each.get_attribute("title") for each in page.locator("#proof .step .formula").all()]
    assert sorted(shown) == sorted(accepted)

    page.wait_for_selector("#isar-text:not(.stale)")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("c")
    page.wait_for_function("document.querySelector('#copy').textContent === 'Copied'")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("lemma")
    subscripts = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    text = re.sub(r"⇩(\d)", lambda digit: digit[1].translate(subscripts), copied)  # as Isabelle wants it: below
    assert re.findall(r'have s\d: "(.*)"', text) == shown

    page.keyboard.press("u")
    page.wait_for_function("document.querySelectorAll('#proof .step').length === 1")
    assert page.locator("#proof .step .formula").first.get_attribute("title") == accepted[0]
    page.keyboard.press("u")
    page.wait_for_function("document.querySelectorAll('#proof .step').length === 0")
    page.keyboard.press("Shift+U")
    page.wait_for_function("document.querySelectorAll('#proof .step').length === 1")
    assert person.troubles == []


MATHS = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>'


def proposals(*texts: str, mathml: str | None = None) -> Callable[[Any], None]:
    """What a server answers that proposes these texts and has proved nothing."""
    gap = {"result": "unknown", "by": None, "text": "not proved", "facts": [], "library": False}
    steps = [
        {"id": i, "text": text, "mathml": mathml, "well_formed": True, "first": gap, "second": gap, "sides": 0}
        for i, text in enumerate(texts)
    ]
    done = {"order": list(range(len(texts))), "seconds": {"search": 1, "check": 1}, "finished": True}
    events = [("steps", {"steps": steps, "unknown": []}), ("done", {**done, "contradiction": None})]
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    return lambda route: route.fulfill(content_type="text/event-stream", body=body)


Proposing = Callable[[Person], None]


@pytest.fixture(params=["recorded", pytest.param("live", marks=pytest.mark.slow)])
def proposing(request: pytest.FixtureRequest) -> Proposing:
    """Prepares a page on which a step is asked for: by recorded proposals, or by the server's model and provers."""

    def prepare(person: Person) -> None:
        if request.param == "recorded":
            person.answer("**/propose", proposals("True", "x = x", "y = y", mathml=MATHS))

    return prepare


def test_a_card_that_moves_under_the_pressed_button_is_accepted_all_the_same(server: Running, person: Person) -> None:
    person.answer("**/propose", proposals("True", "x = x", "y = y"))
    page = person.open(server.url)
    page.keyboard.press("Control+Enter")
    for move in (
        "document.querySelector('#trouble').hidden = false",
        "list.append(list.firstElementChild)",
        "list.remove()",
    ):
        # The answer to this question, all of it: not the list that was there before, nor one that still changes places.
        page.wait_for_selector("#steps > ol:not(.stale):not(.seen) .card")
        page.wait_for_function(NO_WAITING)
        assert page.locator("#steps .formula").all_inner_texts() == ["True", "x = x", "y = y"]
        page.evaluate("document.querySelector('#steps > ol').classList.add('seen')")
        page.evaluate("document.querySelector('#trouble').style.height = '200px'")
        before = page.locator("#proof .step").count()
        page.locator("#steps .use").first.hover()
        page.mouse.down()
        page.evaluate("() => { const list = document.querySelector('#steps > ol'); " + move + " }")
        page.mouse.up()
        page.wait_for_function("n => document.querySelectorAll('#proof .step').length === n", arg=before + 1)
    assert person.troubles == []


def test_attention_of_a_layer_and_head(server: Running, person: Person, proposing: Proposing) -> None:
    proposing(person)
    page = person.open(f"{server.url}/#24753799f8ff")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#steps > ol:not(.stale) .card math")
    page.wait_for_function(NO_WAITING)
    page.keyboard.press("j")
    page.keyboard.press("a")
    page.wait_for_selector("#attention .shares li")
    page.locator("#attention .layer").select_option("0")
    page.locator("#attention .head-choice").select_option("1")
    page.wait_for_function("!document.querySelector('#attention .note').textContent.startsWith('reading')")
    painted = """() => { const c = document.querySelector('.heat'); return c.getContext('2d')
        .getImageData(0, 0, c.width, c.height).data.some(x => x > 0); }"""
    assert page.evaluate(painted)
    page.keyboard.press("Escape")
    assert not page.locator("#attention[open]").count()
    assert person.troubles == []


def test_mistakes_are_underlined_where_they_are(server: Running, person: Person, proposing: Proposing) -> None:
    proposing(person)
    page = person.open(server.url)
    page.get_by_role("button", name="Write your own").click()
    page.keyboard.type("x \\in A")  # \name and a blank become a symbol
    assert page.locator("#proof .facts textarea").input_value() == "x ∈ A"
    page.wait_for_selector("#proof .facts .preview math")
    page.keyboard.press("Enter")
    page.keyboard.press("g")
    page.keyboard.type("x + (A ∪ ")
    message, mark = page.locator("#proof .goal .message"), page.locator("#proof .goal mark")
    mark.wait_for(state="attached")
    assert message.is_visible()
    page.keyboard.type("B) = y")
    page.wait_for_function("/type/.test(document.querySelector('#proof .goal .message').textContent)")
    mark.wait_for(state="attached")
    assert mark.inner_text() != ""
    assert "∪" in mark.inner_text() + message.inner_text()
    assert page.locator("#proof .goal textarea").get_attribute("aria-invalid") == "true"
    assert page.locator("#ask").is_disabled()
    page.locator("#proof .goal textarea").fill("x ∈ A ∪ B")
    page.wait_for_selector("#proof .goal .preview math")
    assert message.is_hidden()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#steps .card math")
    titles = [each.get_attribute("title") for each in page.locator("#steps .formula").all()]
    assert any("x" in title for title in titles)
    assert person.troubles == []


def test_on_a_phone_by_touch(server: Running, browser: Any, proposing: Proposing) -> None:
    person = Person(browser, 390, "dark")
    proposing(person)
    page = person.open(server.url)
    assert person.fits()
    page.locator("#ask").click()
    page.wait_for_selector("#steps .card math")
    assert person.fits()
    page.locator("#steps .attend").first.click()
    page.wait_for_selector("#attention .shares li")
    assert person.fits()
    page.locator("#attention .close").click()
    page.locator("#steps .use").nth(1).click()
    page.wait_for_selector("#proof .step")
    page.locator("#proof .goal .show").click()
    page.locator("#proof .goal .symbols button").first.click()
    assert page.locator("#proof .goal textarea").input_value().endswith("∀")
    assert person.fits()
    page.locator("#random").click()
    page.wait_for_function("!document.querySelector('#proof textarea') && !document.querySelector('#proof .step')")
    assert person.fits()
    assert person.troubles == []
    person.context.close()


def test_the_policy_of_the_page_lets_the_page_work(server: Running, browser: Any, proposing: Proposing) -> None:
    person = Person(browser, guided=False)
    proposing(person)
    page = person.open(server.url)
    page.locator("#ask").click()
    page.wait_for_selector("#steps .card math")
    page.locator("#steps .attend").first.click()
    page.wait_for_selector("#attention .shares li .bar-of")
    assert page.evaluate("document.fonts.check('16px \\'isarstep maths\\'')")
    assert "--share" in (page.locator("#attention .bar-of").first.get_attribute("style") or "")
    page.goto(server.url + "/docs")
    assert page.locator("h2").count() > 10
    assert person.troubles == []
    # Code that somebody brings along does not run.
    page.evaluate("""() => { const s = document.createElement('script'); s.textContent = 'window.harm = 1';
        document.head.append(s); }""")
    assert page.evaluate("window.harm") is None
    person.context.close()


def test_a_busy_server_is_asked_again_and_a_refusal_is_explained(server: Running, person: Person) -> None:
    answers = [
        (429, {"Retry-After": "1"}, '{"error":{"code":"busy","message":"64 requests are under way","field":null}}'),
        (503, {}, '{"error":{"code":"stopping","message":"the server is stopping","field":null}}'),
    ]

    def refuse_twice(route: Any) -> None:
        if answers:
            status, headers, body = answers.pop(0)
            route.fulfill(status=status, headers=headers, content_type="application/json", body=body)
        else:
            proposals("True", "x = x", "y = y", mathml=MATHS)(route)

    person.answer("**/propose", refuse_twice)
    person.page.add_init_script(LISTEN)
    page = person.open(server.url)
    page.locator("#ask").click()
    page.wait_for_function("said.some(text => /busy. Trying again in 1 s/.test(text))")
    trouble = page.locator("#trouble")
    trouble.wait_for()
    assert "stopping" in trouble.inner_text()
    assert "Your proof is kept" in trouble.inner_text()
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector("#steps .card math")
    assert trouble.is_hidden()


@pytest.mark.slow
def test_a_server_that_stops_in_the_middle(person: Person, tmp_path: Path) -> None:
    stand_in = StandIn(tmp_path)
    with running(prover=stand_in) as server:
        page = person.open(server.url)
        goal = page.locator("#proof .goal .formula").get_attribute("title")
        stand_in.hang.touch()
        page.locator("#ask").click()
        page.wait_for_selector("#steps .card .wait")
        prover = number_in(stand_in.started)
        os.killpg(server.process.pid, signal.SIGKILL)
        server.process.wait()
    assert gone(prover)
    trouble = page.locator("#trouble")
    trouble.wait_for()
    assert "stopped in the middle of its answer" in trouble.inner_text()
    assert "isarstep serve" in trouble.inner_text()
    assert page.locator("#steps .card").count() > 0
    assert page.locator("#steps .wait").count() == 0
    page.get_by_role("button", name="Try again").click()
    page.wait_for_function("/does not answer/.test(document.querySelector('#trouble').textContent)")
    assert page.locator("#proof .goal .formula").get_attribute("title") == goal
    # The browser itself notes refused connections; nothing else may be in the console.
    assert all("Failed to load resource" in text or "ERR_" in text for text in person.troubles)
