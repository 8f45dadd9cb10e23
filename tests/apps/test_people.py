"""Two of people's problems on the page, from the first letter to an address that somebody else opens (all: people.py)."""

from typing import Any

import pytest
from tests.apps.people import PROBLEMS, go_through, opened_elsewhere, texts_of
from tests.apps.process import Running
from tests.apps.test_page import Person


@pytest.mark.parametrize("problem", PROBLEMS[:2], ids=lambda problem: problem["name"])
def test_a_problem_from_the_first_letter_to_its_address(server: Running, browser: Any, problem: dict[str, Any]) -> None:
    person = Person(browser)
    seen = go_through(person, server.url, problem)
    assert seen.proposals > 0
    assert seen.closed, seen.status
    assert "by provers, not by Isabelle's kernel" in person.page.locator("#banner").inner_text()
    assert person.page.locator("#finished #copy").is_visible()
    opened_elsewhere(browser, person.page.url, texts_of(person.page))
    assert person.troubles == []
    person.context.close()


def test_there_are_twenty_problems_of_all_kinds() -> None:
    assert len(PROBLEMS) == 20
    assert {"offered", "typed", "theory"} <= {key for problem in PROBLEMS for key in problem}
