"""What a problem stands in, on the page: types, theories, pasted lemmas, facts that are found, addresses by strangers."""

import base64
import json
from typing import Any

import pytest
from tests.apps.process import Running
from tests.apps.test_page import Person, person  # noqa: F401

LEMMA = """theory Scratch imports Complex_Main begin
lemma small: fixes x :: nat
  assumes "x < 1" and "1 < x"
  shows "x = 5" using assms by simp"""


@pytest.mark.slow
def test_a_pasted_lemma_whose_premises_contradict_each_other(server: Running, person: Person) -> None:  # noqa: F811
    page = person.open(server.url)
    page.keyboard.press("v")
    page.keyboard.insert_text(LEMMA)
    page.get_by_role("button", name="Use it").first.click()
    page.wait_for_function("document.querySelector('#proof .goal .formula')?.title === 'x = 5'")
    assert [each.get_attribute("title") for each in page.locator("#proof .facts .formula").all()] == ["x < 1", "1 < x"]
    page.wait_for_function("document.querySelector('.type input')?.value === 'nat'")
    assert page.locator(".world input").input_value() == "Complex_Main"
    page.evaluate("document.activeElement.blur()")
    for _ in range(4):  # a busy machine may have no time
        page.keyboard.press("p")
        page.wait_for_function("document.querySelector('#stop').hidden")
        if page.locator("#banner.warning").is_visible():
            break
    assert "contradict each other" in page.locator("#banner").inner_text()
    # What is no lemma is said, and the problem stays.
    page.keyboard.press("v")
    page.keyboard.insert_text("nothing of the kind")
    page.get_by_role("button", name="Use it").first.click()
    page.wait_for_selector("#trouble:not([hidden])")
    assert page.locator("#proof .goal .formula").get_attribute("title") == "x = 5"


def test_types_and_theories_that_cannot_be_are_said_where_they_stand(server: Running, person: Person) -> None:  # noqa: F811
    page = person.open(server.url)
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.type("x < x + 1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".offer")
    assert page.locator(".offer button").all_inner_texts() == ["nat", "int", "real"]
    page.locator(".type input").first.fill("nonsense")
    page.keyboard.press("Enter")
    page.wait_for_selector("#context .message")
    assert "nonsense" in page.locator("#context .message").inner_text()
    page.locator(".type input").first.fill("int")
    page.keyboard.press("Enter")
    page.wait_for_function("!document.querySelector('.offer') && !document.querySelector('#context .message')")
    page.locator(".world input").fill("No_Such_Theory")
    page.keyboard.press("Enter")
    page.wait_for_selector("#context .message")
    page.locator(".world input").fill("")
    page.keyboard.press("Enter")
    page.wait_for_selector("#isar-text:not(.stale)")
    assert 'fixes x :: "int"' in page.locator("#isar-text").inner_text()
    assert person.troubles == [] or all("422" in text for text in person.troubles)


def test_a_fact_of_the_library_is_found_and_used(server: Running, person: Person) -> None:  # noqa: F811
    page = person.open(server.url)
    page.keyboard.press("/")
    page.keyboard.type("Rings.comm_monoid_mult_class.dvd_mult")
    page.wait_for_selector("#found small:text-is('Rings.comm_monoid_mult_class.dvd_mult')")
    page.locator("#found li:has(small:text-is('Rings.comm_monoid_mult_class.dvd_mult'))").click()
    titles = "[...document.querySelectorAll('#proof .others .formula')].map(each => each.title)"
    page.wait_for_function(f"{titles}.some(title => title.includes('dvd'))")
    page.wait_for_selector("#isar-text:not(.stale)")
    assert "dvd" in page.locator("#isar-text").inner_text()
    assert person.troubles == []


def test_addresses_by_strangers_do_no_harm(server: Running, browser: Any) -> None:
    harm = {
        "facts": ["<img src=x onerror=alert(1)>"],
        "goal": "x = x",
        "types": {"x": 1},
        "imports": "all",
        "steps": [7],
    }
    for text in ("p=%%%", "p=AAAA", "p=" + base64.urlsafe_b64encode(json.dumps(harm).encode()).decode().rstrip("=")):
        other = Person(browser)
        page = other.open(f"{server.url}/#{text}")
        assert page.locator("#proof img").count() == 0
        assert page.locator("#proof .step").count() == 0
        assert (harm["facts"][0] in page.locator("#proof .facts").inner_text()) == (len(text) > 10)  # as text
        assert other.troubles == []
        other.context.close()
