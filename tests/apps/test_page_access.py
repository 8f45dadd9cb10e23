"""The page for everybody: the proof as a file for Isabelle, and nothing serious that axe-core finds.

axe-core is no part of this repository: `npm install axe-core` beside it, or AXE_CORE with the path of its axe.min.js.
"""

import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.apps.people import type_problem
from tests.apps.process import Running
from tests.apps.test_page import Person, proposals

ROOT = Path(__file__).parent.parent.parent
AXE = Path(os.environ.get("AXE_CORE") or ROOT / "node_modules" / "axe-core" / "axe.min.js")
SERIOUS = """async () => (await axe.run()).violations.filter(each => ["serious", "critical"].includes(each.impact))
    .map(each => each.id + ": " + each.nodes.map(node => node.target.join(" ") + " " + node.failureSummary).join("; "))"""


def test_a_newcomers_problem_becomes_a_theory_file(server: Running, browser: Any) -> None:
    """The README's first command, typed on the page; its answer accepted, the proof downloaded."""
    command = shlex.split(re.findall(r"^\$ isarstep (propose .*)$", (ROOT / "README.md").read_text("utf-8"), re.M)[0])
    fact, goal = (command[command.index(option) + 1] for option in ("--fact", "--goal"))
    person = Person(browser)
    person.answer("**/propose", proposals("2 dvd a"))
    page = person.open(server.url)
    type_problem(page, {"facts": [fact.replace("a^2", "(a::nat)^2")], "goal": goal})
    page.locator("#ask").click()
    page.wait_for_selector("#steps .card .use")
    page.locator("#steps .use").first.click()
    page.wait_for_function("document.querySelectorAll('#proof .step').length === 1")
    page.wait_for_function(r"/have s1/.test(document.querySelector('#isar-text:not(.stale)')?.textContent)")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download .thy").click()
    assert waiting.value.suggested_filename == "Scratch.thy"
    text = Path(waiting.value.path()).read_text("utf-8")
    assert text.isascii()
    assert text.startswith("theory Scratch\n  imports Complex_Main\nbegin\n\nlemma\n  fixes ")
    assert 'a :: "nat"' in text
    assert 'have s1: "even a"' in text  # an abbreviation, as in mined statements and in what Isabelle prints
    assert r'shows "\<exists>c. a = 2 * c"' in text
    assert text.endswith("qed\n\nend\n")
    assert person.troubles == []
    person.context.close()


def test_what_is_the_askers_own_is_in_no_file_alone(server: Running) -> None:
    body = {"facts": ["x ≤ y"], "goal": "x < y + (1::nat)"}
    answer = server.post("/isar", body).json()
    assert answer["theory"].startswith("theory Scratch\n  imports Complex_Main\nbegin\n")
    assert r"x \<le> y" in answer["theory"]
    own = {"facts": [], "goal": "dbl x = x", "constants": {"dbl": "nat ⇒ nat"}}
    assert server.post("/isar", own).json()["theory"] is None


@pytest.mark.skipif(not AXE.is_file(), reason="skipped: axe-core is not installed (npm install axe-core)")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_serious(server: Running, browser: Any, width: int, scheme: str) -> None:
    person = Person(browser, width, scheme)
    page = person.open(server.url)
    page.add_script_tag(path=str(AXE))
    assert page.evaluate(SERIOUS) == []
    page.locator("#ask").click()
    page.wait_for_selector("#steps .card math")
    page.wait_for_function("document.querySelector('#stop').hidden")
    assert page.evaluate(SERIOUS) == []
    page.goto(f"{server.url}/docs")
    page.add_script_tag(path=str(AXE))
    assert page.evaluate(SERIOUS) == []
    person.context.close()
