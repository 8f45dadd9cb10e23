"""Nothing found, out of time, could not ask, refused: four different things, and each tool says which one it is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("mcp", reason="pip install 'isarstep[mcp]'")

from tests.apps.agents.scripted_agent import patiently
from tests.apps.agents.test_mcp import Asking

from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service import service
from isarstep.benchmark.store.fact_search import FactSearch
from isarstep.common.errors import UserError
from isarstep.prover.atp import provers
from isarstep.prover.check import prover_session as step_prover

# Not true; nobody finds that out quickly, because no value of `undefined` is known.
OPEN: dict[str, Any] = {"facts": ["p undefined"], "goal": "p (f (f undefined))", "seconds": 60}
CHECK = OPEN | {"candidates": ["p (f undefined)"], "prover_seconds": 0.05}
WRONG = {"goal": "x ="}


@pytest.fixture
def ask(workshop: Workshop, loop: asyncio.Runner) -> Asking:
    return Asking(workshop, loop)


def test_nothing_found(ask: Asking, loop: asyncio.Runner) -> None:
    async def again(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return await ask.of(tool, arguments)

    checked = loop.run(patiently(again, "check_step", CHECK))
    assert checked["status"] == "nothing_found"
    assert "no gap was proved" in checked["message"]
    gaps = {step[side]["result"] for step in checked["steps"] for side in ("follows_from_facts", "closes_goal")}
    assert gaps <= {"nothing_found", "out_of_time"}
    assert ask("find_facts", words="zzzzzz")["status"] == "nothing_found"
    assert ask("example", words="zzzzzz")["status"] == "nothing_found"


def test_out_of_time(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.Clock, "left", 0.0)
    monkeypatch.setattr(service, "LEAST", 600.0)  # a busy machine reads slowly
    checked = ask("check_step", **CHECK)
    assert (checked["status"], checked["left_out"]) == ("out_of_time", {"gaps": 2})
    assert {step["follows_from_facts"]["result"] for step in checked["steps"]} == {"not_tried"}
    assert ask("propose_step", **OPEN)["status"] == "out_of_time"
    assert ask("sketch", **OPEN)["status"] == "out_of_time"


def test_could_not_ask(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provers, "prover_version", lambda prover: None)
    monkeypatch.setattr(step_prover, "installed", list)
    monkeypatch.setattr("isarstep.apps.mcp.tools.sketch.installed", list)
    other = OPEN | {"goal": "p (f (f (f undefined)))"}  # what was asked before is remembered
    checked = ask("check_step", **other, candidates=["p (f undefined)"])
    assert checked["status"] == "could_not_ask"
    assert {step["follows_from_facts"]["result"] for step in checked["steps"]} == {"could_not_ask"}
    assert "no prover is installed" in checked["steps"][0]["follows_from_facts"]["text"]
    sketch = ask("sketch", facts=["p undefined"], goal="p (f (f (f undefined)))", seconds=1)
    assert (sketch["status"], sketch["message"]) == ("could_not_ask", "no prover is installed")


def test_could_not_ask_for_facts(workshop: Workshop, loop: asyncio.Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_facts(self: FactSearch, benchmark: object) -> None:
        raise UserError("this benchmark has no fact base")

    engine = loop.run(workshop.service()).engine
    monkeypatch.setattr(FactSearch, "__init__", no_facts)
    other = Workshop(lambda: service.Service(engine, 4))
    found = Asking(other, loop)("find_facts", words="card")
    loop.run(other.service()).close()
    assert found["status"] == "could_not_ask"
    assert "no fact base" in found["message"]


def test_a_pattern_that_was_not_compared_with_all_facts_is_not_said_to_be_absent(
    ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = {"pattern": "card (?A :: nat set) = card ?A + ?n"}
    whole = ask("find_facts", **question)
    assert whole["status"] == "nothing_found"
    monkeypatch.setattr("isarstep.benchmark.store.fact_search.MOST_COMPARED", 1)
    part = ask("find_facts", **question)
    assert part["status"] == "out_of_time"
    assert part["left_out"]["not_compared"] > 0


def test_refused(ask: Asking) -> None:
    for tool, more in (("propose_step", {}), ("sketch", {}), ("check_step", {"candidates": ["x"]})):
        assert ask(tool, **WRONG, **more)["status"] == "refused"
    assert ask("find_facts")["status"] == "refused"


def test_facts_that_contradict_each_other_are_noticed(ask: Asking, loop: asyncio.Runner) -> None:
    async def again(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return await ask.of(tool, arguments)

    question = {"facts": ["P", "¬ P"], "goal": "Q", "candidates": ["Q"], "seconds": 60}
    checked = loop.run(patiently(again, "check_step", question))
    assert checked["steps"][0]["follows_from_facts"]["result"] == "proved"
    assert checked["notes"][0].startswith("The facts contradict each other")
    assert checked["message"].startswith("The facts contradict each other")
