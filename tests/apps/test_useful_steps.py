"""Steps that both proofs need come before all others, and what is known of the goal is reported first, by every interface.

Answers of provers are recorded: for each step, the facts that its proof used, and what the proof of the goal used.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import isarstep
from isarstep.apps.engine import Engine
from isarstep.apps.service.service import Service
from isarstep.benchmark.problems.task import Task
from isarstep.cli import run
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.prover.check.prover_session import Proving
from isarstep.prover.outcomes.goal_verdict import NOTHING_KNOWN, GoalVerdict
from isarstep.prover.outcomes.step import Side, Step
from isarstep.prover.outcomes.verdict import Gap, Proved, Refuted, TimedOut

OPEN = TimedOut(0.3)
FACT, STEP, NOTHING = "F.2(1)", "P", ""
NEEDED = (FACT, STEP)


class Recorded(NamedTuple):
    """A problem, and in the model's order its steps with what the proofs of both sides used (None: no proof)."""

    facts: tuple[str, ...]
    goal: str
    types: dict[str, str]
    steps: dict[str, tuple[str | None, str | None]]
    useful: tuple[str, ...]  # the steps that have to come first, in this order


PROBLEMS = [
    Recorded(
        ("even n",),
        "even (n ^ 2)",
        {"n": "nat"},
        {
            "even (int (n ^ 2))": (FACT, STEP),
            "even (n ^ 3)": (FACT, FACT),
            "n mod 2 = 0": NEEDED,
            "odd n": (None, STEP),
        },
        ("n mod 2 = 0",),
    ),
    Recorded(
        ("inj f",),
        "f ` (A ∩ B) = f ` A ∩ f ` B",
        {"f": "nat ⇒ nat"},
        {"A ⊆ UNIV": (FACT, STEP), "B ⊆ UNIV": (FACT, STEP), "inj_on f A": (FACT, FACT), "inj_on f (A ∪ B)": NEEDED},
        ("inj_on f (A ∪ B)",),
    ),
    Recorded(
        ("odd n",),
        "odd (n * n)",
        {"n": "int"},
        {"odd (n + 2)": NEEDED, "n mod 2 = 1": NEEDED, "∃k. n = 2 * k + 1": NEEDED, "n = n + 0": NEEDED},
        ("n mod 2 = 1", "∃k. n = 2 * k + 1"),
    ),
    Recorded(
        ("4 dvd n",),
        "2 dvd n * m",
        {"n": "nat"},
        {"2 dvd 2 * n": (NOTHING, STEP), "2 dvd n": NEEDED, "4 dvd n * m": NEEDED, "m dvd n * m": (NOTHING, STEP)},
        ("2 dvd n", "4 dvd n * m"),
    ),
    Recorded(
        ("a dvd b", "b dvd c"),
        "a dvd c + b",
        {"a": "nat"},
        {"b dvd b": NEEDED, "a dvd c": NEEDED, "a dvd b * c": (FACT, FACT)},
        ("a dvd c",),
    ),
    Recorded(
        ("A ⊆ B", "B ⊆ C"),
        "A ∩ D ⊆ C",
        {"A": "nat set"},
        {"{} ⊆ C": NEEDED, "A ∩ D ⊆ A": (NOTHING, STEP), "A ⊆ C": NEEDED, "A ∩ D ⊆ B": (FACT, STEP)},
        ("A ⊆ C", "A ∩ D ⊆ B"),
    ),
    Recorded(
        ("finite B", "A ⊆ B"),
        "card A ≤ card B + 1",
        {"A": "nat set"},
        {"card A ≤ Suc (card B)": NEEDED, "finite A": (FACT, FACT), "card A ≤ card B": NEEDED},
        ("card A ≤ card B",),
    ),
    Recorded(
        ("inj f", "inj g"),
        "inj (f ∘ g)",
        {"f": "nat ⇒ nat", "g": "nat ⇒ nat"},
        {"range g ⊆ UNIV": NEEDED, "inj_on f (range g)": NEEDED, "inj f ∧ inj g": NEEDED},
        ("inj_on f (range g)",),
    ),
    Recorded(
        ("surj f",),
        "∃x. f x = y",
        {"f": "nat ⇒ nat"},
        {"y = y": (NOTHING, STEP), "∃z. z = f y": (NOTHING, FACT), "y ∈ range f": NEEDED},
        ("y ∈ range f",),
    ),
    Recorded(
        ("∀i < n. f i ≤ g i",),
        "(∑i<n. f i) ≤ (∑i<n. g i) + 1",
        {"f": "nat ⇒ nat", "g": "nat ⇒ nat"},
        {"0 ≤ (∑i<n. f i)": (FACT, STEP), "(∑i<n. f i) ≤ (∑i<n. g i)": NEEDED, "0 ≤ f 0": (FACT, FACT)},
        ("(∑i<n. f i) ≤ (∑i<n. g i)",),
    ),
    Recorded(
        ("(∑i<n. f i) = n",),
        "(∑i<Suc n. f i) = n + f n",
        {"f": "nat ⇒ nat"},
        {"(∑i<0. f i) = 0": (FACT, STEP), "n = (∑i<n. f i)": NEEDED, "(∑i<n. f i) + f n = n + f n": NEEDED},
        (),
    ),
    Recorded(
        ("xs ≠ []",),
        "length (tl xs) < length xs",
        {"xs": "nat list"},
        {"length [] = 0": (FACT, STEP), "rev (rev xs) ≠ []": NEEDED, "0 < card (set xs)": NEEDED},
        ("0 < card (set xs)",),
    ),
    Recorded(
        ("sorted xs", "x ∈ set xs"),
        "hd xs ≤ x",
        {"xs": "nat list"},
        {"set xs ⊆ set xs": NEEDED, "x ∈ set xs ∧ sorted xs": NEEDED, "∀y ∈ set xs. hd xs ≤ y": NEEDED},
        ("∀y ∈ set xs. hd xs ≤ y",),
    ),
]


def proof(used: str | None) -> Gap:
    return OPEN if used is None else Proved("E", 0.1, (used,) if used else (), 0)


@pytest.fixture
def recorded(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Callable[[Recorded], None]:
    """Let the model propose the steps of a problem and provers answer as recorded; simplification works as always."""

    def record(problem: Recorded, goal: GoalVerdict = NOTHING_KNOWN) -> None:
        def search(tasks: Sequence[Task], *_: object) -> list[list[Step]]:
            return [engine.steps(task, [(engine.answer(task, text), -1.0) for text in problem.steps]) for task in tasks]

        def verdicts(_: Proving, task: Task, steps: Sequence[Step], __: float = 0) -> Iterator[tuple[int, Side, Gap]]:
            answers = {engine.answer(task, text): answer for text, answer in problem.steps.items()}
            for place, step in enumerate(steps):
                first, second = answers[step.tokens]
                yield place, "first", proof(first)
                yield place, "second", proof(second)

        monkeypatch.setattr(engine, "search", search)
        monkeypatch.setattr(Proving, "goal_verdict", lambda *_: goal)
        monkeypatch.setattr(Proving, "one_rule_away", lambda *_: [])
        monkeypatch.setattr(Proving, "contradiction", lambda *_: OPEN)
        monkeypatch.setattr(Proving, "verdicts", verdicts)

    return record


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.goal)
def test_no_idle_step_comes_before_one_that_both_proofs_need(
    problem: Recorded, engine: Engine, recorded: Callable[[Recorded], None]
) -> None:
    recorded(problem)
    task = engine.read(Problem(problem.goal, problem.facts, types=problem.types))
    with engine.proving() as proving:
        steps = engine.propose(task, proving=proving)
    wanted = [task.text(engine.answer(task, text)) for text in problem.useful]
    assert [step.text for step in steps if step.helps] == wanted
    assert [step.text for step in steps[: len(wanted)]] == wanted
    labelled = [step.label is not None for step in steps]
    assert labelled == sorted(labelled)
    assert all(step.label or step.sides != 2 or step.helps for step in steps)


# Every interface

ORDER = Recorded(
    ("x < y",), "x < y + 2", {"x": "nat"}, {"x < y + 1": NEEDED, "0 ≤ x": (FACT, STEP), "x ≤ y": (FACT, FACT)}, ()
)
VALUES = GoalVerdict(refuted=Refuted("evaluation", "x = 0, y = 1"))
CONTRADICTION = GoalVerdict(contradiction=Proved("E", 0.1, ("F.2(1)",), 0))
DIRECT = GoalVerdict(direct=Proved("E", 0.1, ("F.2(1)",), 0))
LABELS = ["true whatever the facts say", "not needed: the goal was proved without it"]

Shown = tuple[list[str], list[str], list[str | None]]  # what is said first, the steps, their labels


def in_python(engine: Engine) -> Shown:
    steps = isarstep.propose(ORDER.facts, ORDER.goal, types=ORDER.types)
    assert str(steps).splitlines()[: len(steps.goal.lines())] == steps.goal.lines()
    return steps.goal.lines(), [step.text for step in steps], [step.label for step in steps]


def of_command(capsys: pytest.CaptureFixture[str], *more: str) -> str:
    assert run(["propose", "--goal", ORDER.goal, "--fact", *ORDER.facts, "--type", "x :: nat", *more]) == 0
    return capsys.readouterr().out


def of_json(answer: dict[str, Any]) -> Shown:
    said = [line for line in answer["notes"] if line in {*VALUES.lines(), *CONTRADICTION.lines(), *DIRECT.lines()}]
    assert answer["notes"][: len(said)] == said
    assert len(said) == sum(answer[name] is not None for name in ("refuted", "contradiction", "direct"))
    return said, [step["text"] for step in answer["steps"]], [step["label"] for step in answer["steps"]]


def over_http(service: Service) -> Shown:
    httpx = pytest.importorskip("httpx")
    from isarstep.apps.admission import Load
    from isarstep.apps.http.app import create_app
    from isarstep.apps.http.gate import ServerLimits

    body = {"facts": ORDER.facts, "goal": ORDER.goal, "types": ORDER.types, "check": True, "seconds": 60}

    async def ask(stream: bool) -> Any:
        transport = httpx.ASGITransport(app=create_app(service, ServerLimits(), Load()))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.post("/propose", json={**body, "stream": stream}, timeout=60)

    answer = of_json(asyncio.run(ask(False)).json())
    events = [block.split("\n") for block in asyncio.run(ask(True)).text.split("\n\n") if block.startswith("event")]
    names = [lines[0].removeprefix("event: ") for lines in events]
    assert names[:2] == ["steps", "goal"]
    assert json.loads(events[1][1].removeprefix("data: "))["notes"] == answer[0]
    labels = json.loads(events[-1][1].removeprefix("data: "))["labels"]
    assert [*labels.values()] == answer[2]
    return answer


def over_mcp(service: Service) -> Shown:
    pytest.importorskip("mcp")
    from isarstep.apps.mcp.tools.propose_step import propose_step

    class Ready:
        async def with_provers(self) -> Service:
            return service

    async def told(*_: object) -> None:
        return

    around: Any = {"facts": list(ORDER.facts), "types": ORDER.types}
    found = asyncio.run(propose_step(Ready(), told, ORDER.goal, seconds=60, **around))  # type: ignore[arg-type]
    said = [line for line in found.notes if line in found.message]
    assert found.notes[: len(said)] == said
    assert found.message.startswith("".join(said))
    return said, [step.text for step in found.steps], [step.label for step in found.steps]


def in_an_editor(engine: Engine, service: Service, folder: Path) -> str:
    pytest.importorskip("lsprotocol")
    from isarstep.apps.lsp.answers import proposed_steps
    from isarstep.apps.lsp.places import asked_place
    from isarstep.apps.service.service import Clock
    from isarstep.isabelle.theory.document import TheoryDocument

    path = folder / "Own.thy"
    lemma = f'lemma fixes x :: nat assumes "{ORDER.facts[0]}" shows "{ORDER.goal}"\n  sorry'
    path.write_text(f"theory Own imports Complex_Main begin\n{lemma}\nend\n", encoding="utf-8")
    place = asked_place(TheoryDocument(path, engine.theory_contexts), 3)
    assert place is not None
    answer = asyncio.run(proposed_steps(service, place, Clock(60), lambda _: None))
    return f"{answer.gist}\n{answer.text}"


@pytest.mark.usefixtures("one_engine")
@pytest.mark.parametrize(
    "goal", [VALUES, CONTRADICTION, DIRECT, NOTHING_KNOWN], ids=lambda goal: str(goal.lines())[:20]
)
def test_every_interface_reports_the_goal_first_and_labels_idle_steps(
    goal: GoalVerdict,
    engine: Engine,
    recorded: Any,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    recorded(ORDER, goal)
    service = Service(engine, 1)
    try:
        answers = [in_python(engine), of_json(json.loads(of_command(capsys, "--json"))), over_http(service)]
        answers.append(over_mcp(service))
        edited = in_an_editor(engine, service, tmp_path)
    finally:
        service.close()
    first = answers[0]
    assert first[0] == goal.lines()
    assert first[1] == ["x < y + 1", "0 ≤ x", "x ≤ y"]
    assert first[2] == [None, *LABELS]
    assert answers == [first] * len(answers)
    for text in (of_command(capsys), edited):
        places = [text.index(part) for part in (*goal.lines(), "  x < y + 1\n", *LABELS)]
        assert places == sorted(places)
        assert "step, facts ⊢ goal" in text


def test_a_false_goal_is_not_tried_further(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values decide before any prover is asked."""
    monkeypatch.setattr(Proving, "follows", lambda *_: pytest.fail("a prover was asked"))
    with engine.proving() as proving:
        verdict = proving.goal_verdict(engine.read(Problem("y < x", ("x < y",), types={"x": "nat"})))
    assert verdict.lines() == ["Your goal is false: x = 0, y = 1."]


@pytest.mark.parametrize(
    ("follows", "said"), [({"goal"}, "needs no step"), ({"goal", "False"}, "contradict"), ({}, None)]
)
def test_what_is_known_of_a_goal_is_one_thing(
    follows: set[str], said: str | None, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(_: Proving, task: Task, goal: str, *__: object) -> tuple[Gap, frozenset[str]]:
        name = "goal" if goal == task.example.f3 else "False"
        return (Proved("E", 0.1, ("F.2(1)", "F.2(2)"), 0) if name in follows else OPEN), frozenset()

    monkeypatch.setattr(Proving, "false_goal", lambda *_: None)
    monkeypatch.setattr(Proving, "follows", answer)
    with engine.proving() as proving:
        lines = proving.goal_verdict(engine.read(Problem("p x", ("q x", "r x")))).lines()
    assert len(lines) == (said is not None)
    assert said is None or said in lines[0]


# Goals with premises


def test_premises_of_a_goal_become_facts(engine: Engine) -> None:
    task = engine.read(Problem("inj f ⟹ x ∈ A ⟹ f x ∈ f ` A", ("finite A",), types={"f": "nat ⇒ nat"}))
    assert [task.text(line) for line in task.example.f2] == ["finite A", "inj f", "x ∈ A"]
    assert task.text(task.example.f3 or "") == "f x ∈ f ` A"


def test_a_premise_that_holds_for_one_value_does_not_become_a_fact_about_all(engine: Engine) -> None:
    task = engine.read(Problem("?x < y ⟹ ?x < y + 1", types={"y": "nat"}))
    assert task.example.f2 == ()


def test_a_goal_with_premises_is_proved_from_them(engine: Engine) -> None:
    from isarstep.apps.service import schema

    service = Service(engine, 1)
    try:
        body = schema.IsarBody(goal="even n ⟹ even (n ^ 2)", extra=["n mod 2 = 0"], types={"n": "nat"})
        text = service.isar(body)["isar"]
    finally:
        service.close()
    assert 'assumes "even n"' in text
    assert 'shows "even (n⇧2)"' in text
    assert "⟹" not in text
