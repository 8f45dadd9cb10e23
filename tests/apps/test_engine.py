"""Proposals of the shipped model: well-formed, each once, ranked by what provers say; and sketches made of them."""

import gc
import math
import threading
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from tests import needs

from isarstep import propose
from isarstep.apps.batching import Batcher
from isarstep.apps.engine import Engine, one_thread
from isarstep.benchmark.extraction.graph_problem import problem_of_step
from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.model.decode.ranking import learned_ranking
from isarstep.prover.check.prover_session import Limits, Proving, with_all_facts
from isarstep.prover.check.step_checker import NearStep
from isarstep.prover.isar.sketch import exact_text
from isarstep.prover.outcomes.novelty import schematics_in_order
from isarstep.prover.outcomes.step import Step, in_turn, ranked, with_rules
from isarstep.prover.outcomes.verdict import Gap, Proved, TimedOut, Unknown
from isarstep.prover.search.proof_search import Plan, sketches

ROOT = Path(__file__).parent.parent.parent
PROVED = Proved("cvc5", 0.1, (), 0)

UNHURRIED = 3600.0  # seconds for a sketch: a search ends because nothing is left to try, not because of a clock


def test_three_lines_of_python() -> None:
    steps = propose(["x ≤ y", "y ≤ z"], "x < z + 1", beam=4, check=False)
    assert len(steps) == 4
    assert all(step.first is None for step in steps)
    assert all(step.text == str(step) and "<X" not in step.text for step in steps)


@pytest.mark.parametrize(("check", "wanted"), [(None, 6.0), (True, math.inf)])
def test_python_lets_provers_try_steps_as_the_command_does(
    check: bool | None, wanted: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def proposed(_: Engine, __: Task, ___: int, proving: object, seconds: float) -> list[Step]:
        assert proving is not None
        asked.append(seconds)
        return []

    monkeypatch.setattr(Engine, "propose", proposed)
    assert propose(["x ≤ y"], "x < y + 1", check=check) == []
    assert asked == [wanted]


def test_seconds_of_checks_begin_when_all_steps_are_there(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]

    def slow(_: Proving, __: Task, ___: float) -> list[NearStep]:
        now[0] = 500.0
        return []

    ends: list[float] = []

    def verdicts(_: Proving, __: Task, ___: list[Step], until: float) -> Iterator[None]:
        ends.append(until)
        return iter(())

    monkeypatch.setattr("isarstep.apps.engine.time.monotonic", lambda: now[0])
    monkeypatch.setattr(Proving, "one_rule_away", slow)
    monkeypatch.setattr(Proving, "verdicts", verdicts)
    with engine.proving() as proving:
        engine.propose(engine.read(Problem("x < z + 1", ("x ≤ y", "y ≤ z"))), 2, proving=proving, seconds=6.0)
    assert ends[0] == 506.0


def test_steps_are_well_formed_in_the_users_names_and_different(engine: Engine, example: Example) -> None:
    task = engine.example(example.id)
    steps = engine.propose(task, 6)
    assert steps
    assert len({step.tokens for step in steps}) == len(steps)
    for step in steps:
        assert step.well_formed
        assert well_formed(step.tokens, engine.signature, task.context)
        assert step.reference == (step.tokens == schematics_in_order(example.f1))


def test_the_order_of_a_batch_does_not_matter(engine: Engine, example: Example) -> None:
    tasks = [engine.read(Problem("x < z + 1", ("x ≤ y", "y ≤ z"))), engine.example(example.id)]
    alone = [[step.tokens for step in engine.search([task], 4)[0]] for task in tasks]
    together = [[step.tokens for step in steps] for steps in engine.search(tasks[::-1], 4)[::-1]]
    assert alone == together


def test_equal_up_to_names_of_schematic_variables(engine: Engine) -> None:
    task = engine.read(Problem("x = x"))
    line = "CONST HOL.Trueprop $ ( CONST HOL.eq $ VAR <V{}> $ VAR <V{}> )"
    steps = engine.steps(task, [(line.format(0, 1), -1.0), (line.format(3, 2), -2.0), (line.format(1, 1), -3.0)])
    assert [step.score for step in steps] == [-1.0, -3.0]


def test_what_is_no_proposition_says_why(engine: Engine) -> None:
    task = engine.read(Problem("Suc x = 3"))
    lines = ["CONST HOL.Trueprop $ ( CONST Finite_Set.finite $ FREE <X0> )", "FREE <X0>", "FREE", task.example.f3 or ""]
    steps = engine.steps(task, [(line, None) for line in lines])
    assert [step.well_formed for step in steps] == [False, False, True]
    assert steps[0].reason
    assert steps[2].copy


NEEDED = Proved("E", 0.1, ("P", "F.2(1)"), 0)


def test_ranking() -> None:
    plain = Step(0, "a", None, "a", -1.0)  # type: ignore[arg-type]
    steps = [
        replace(plain, against=PROVED, first=TimedOut(1), second=NEEDED),  # false, and so the goal follows from it
        replace(plain, id=1, first=Unknown("?"), second=NEEDED),
        replace(plain, id=2, first=PROVED, second=PROVED),  # the goal's proof does not need it
        replace(plain, id=3, first=PROVED, second=NEEDED, copy=True),
        replace(plain, id=4, reason="no"),
        replace(plain, id=5, first=PROVED, second=TimedOut(1)),
        replace(plain, id=6, first=PROVED, second=NEEDED),  # true whatever the facts say
        replace(plain, id=7, first=NEEDED, second=NEEDED),
    ]
    assert [step.id for step in ranked(steps)] == [7, 1, 2, 6, 5, 3, 0, 4]
    labels = {step.id: step.label for step in steps if step.label}
    assert labels == {
        2: "not needed: the goal was proved without it",
        3: "says nothing new",
        5: "true whatever the facts say",
        6: "true whatever the facts say",
    }
    # A fact or the goal in another form helps nobody, however it was proved.
    again = [replace(step, variant=step.id == 7) for step in steps]
    assert [step.id for step in ranked(again)] == [1, 2, 6, 7, 5, 3, 0, 4]
    # Without facts, no proof can use any.
    alone = [replace(step, facts_given=False) for step in steps]
    assert [step.id for step in ranked(alone)] == [6, 7, 5, 1, 2, 3, 0, 4]
    assert [step.id for step in ranked([replace(steps[6], facts_given=False, trivial=True), steps[1]])] == [1, 6]


def test_steps_of_rules_and_of_the_model_come_in_turn(engine: Engine) -> None:
    """First what both propose; a rule's step is shown where it is proved."""
    task = engine.read(Problem("x < 3", ("x < 2",), types={"x": "nat"}))
    texts = ("x < 1", "x < 4", "x < 5", "x < 6", "x < 7", "x < 8")
    lines = [engine.answer(task, text) for text in texts]
    model = [replace(step, score=-1.0) for step in engine.steps(task, [(line, None) for line in lines[:3]])]
    near = engine.by_rules(
        task, [NearStep(line, "forwards" if place == 1 else "backwards") for place, line in enumerate(lines[2:])]
    )
    assert [step.by_rule for step in near] == ["backwards", "forwards", "backwards", "backwards"]
    steps = with_rules(model, near)
    assert [step.id for step in steps] == [0, 1, 2, 3, 4, 5]
    assert [step.of_rule_alone for step in steps] == [False, False, False, True, True, True]
    assert [step.id for step in in_turn(steps)] == [2, 3, 0, 4, 1, 5]
    assert [step.id for step in ranked(steps)] == [2, 0, 1]
    tried = [replace(step, first=NEEDED, second=NEEDED) for step in steps]
    assert [step.id for step in ranked(tried)] == [2, 3, 0, 4, 1, 5]
    # What is true whatever the facts say, or is not needed for the goal, comes later, whoever proposes it.
    simple = [replace(step, first=Proved("simp", 0.1, (), 1)) if step.id in (2, 3) else step for step in tried]
    assert [step.id for step in ranked(simple)] == [0, 4, 1, 5, 2, 3]
    idle = [replace(step, second=PROVED) if step.id in (2, 4) else step for step in tried]
    assert [step.id for step in ranked(idle)] == [3, 0, 1, 5, 2, 4]


def test_of_what_a_rule_alone_proposes_nothing_more_is_asked_where_it_does_not_follow(engine: Engine) -> None:
    task = engine.read(Problem("P x", ("Q x", "R y", "x ≠ y")))
    line = engine.answer(task, "R x")
    (step,) = engine.steps(task, [(line, None)])
    with engine.proving(seconds=1, library=0) as proving:
        (of_rule,) = proving.tried(task, [replace(step, by_rule="backwards")])
        (of_model,) = proving.tried(task, [replace(step, score=-1.0)])
    assert (of_rule.first is None, of_rule.second, of_rule.against) == (False, None, None)
    assert of_model.second is not None


def test_what_contradicts_the_facts_is_said(engine: Engine) -> None:
    task = engine.read(Problem("x < z + 1", ("x ≤ y", "y ≤ z"), types={"x": "nat"}))
    texts = ("z < x", "x ≤ z", "x < 3", "x ≤ y")
    steps = engine.steps(task, [(engine.answer(task, text, "notation"), None) for text in texts])
    with engine.proving(seconds=3, library=0) as proving:
        false, true, open_one, given = proving.tried(task, steps)
        assert proving.limits == Limits(3, 0)
    assert false.contradictory
    assert not open_one.contradictory
    assert open_one.against is not None
    assert true.against is None  # it follows: nobody has to ask
    assert given.copy
    assert given.against is None


def test_a_contradiction_may_take_a_lemma(engine: Engine) -> None:
    task = engine.read(Problem("odd (n ^ 2 + 2)", ("odd n",), types={"n": "nat"}))
    steps = engine.steps(task, [(engine.answer(task, "even (n ^ 2)", "notation"), None)])
    with engine.proving(seconds=3, library=32) as proving:
        assert isinstance(proving.against(task, steps[0].tokens), Proved)
        assert proving.tried(task, steps)[0].false  # n = 1: provers need not be asked


def test_proposals_come_in_the_learned_order(engine: Engine) -> None:
    task = engine.read(Problem("x < z + 1", ("x ≤ y", "y ≤ z"), types={"x": "nat"}))
    steps = engine.search([task], 10)[0]
    given = {*task.example.f2, task.example.f3 or ""}
    worths = [learned_ranking().worth(step.tokens, step.score or 0.0, given) for step in steps]
    assert worths == sorted(worths, reverse=True)
    assert [step.score for step in steps] != sorted((step.score for step in steps), key=lambda score: -(score or 0.0))


def test_an_engine_that_nobody_has_any_more_is_gone_with_its_benchmark() -> None:
    engine = Engine()
    task = engine.read(Problem("x < z + 1", ("x ≤ y", "y ≤ z"), types={"x": "nat"}))
    with engine.proving(seconds=1) as proving:
        gaps = [gap for _, gap in proving.gaps(task, engine.answer(task, "x ≤ z", "notation"))]
    assert gaps
    there = weakref.ref(engine), weakref.ref(engine.benchmark)
    del engine, task, proving
    gc.collect()
    assert [each() for each in there] == [None, None]


@pytest.mark.parametrize("typ", ["nat", pytest.param("int", marks=[needs.E, pytest.mark.slow])])
def test_the_papers_first_example(engine: Engine, typ: str) -> None:
    """Proofs that count take 0.02 s, and most steps have none: the usual 0.3 s would pass on each of these."""
    task = engine.read(Problem("∃c. a = 2 * c", ("2 * b ^ 2 = a ^ 2",), types={"a": typ, "b": typ}))
    with engine.proving(seconds=0.1) as proving:
        steps = engine.propose(task, proving=proving)
    assert len(steps) == 10
    assert {step.text for step in steps[:3]} & {"even a", "2 dvd a"}
    assert steps[0].helps


def test_where_the_model_has_nothing_a_rule_of_the_library_leads_on(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = ("a dvd b", "a dvd c")
    task = engine.read(Problem("a dvd b * x + c * y", facts, types={"a": "nat"}))
    monkeypatch.setattr(engine, "search", lambda tasks, *_: [[] for _ in tasks])
    with engine.proving() as proving:
        steps = engine.propose(task, proving=proving)
    assert {"a dvd b * x", "a dvd c * y"} & {step.text for step in steps[:3] if step.helps}
    assert all(step.score is None for step in steps)  # nobody gave them a probability
    with engine.proving(library=32) as proving:
        assert proving.one_rule_away(task)
        proving.limit(0.3, 0)
        assert engine.propose(task, proving=proving) == []


def test_provers_judge_both_sides(engine: Engine) -> None:
    task = engine.read(Problem("x < z + 1", ("x ≤ y", "y ≤ z"), types={"x": "nat"}))
    lines = [engine.answer(task, text, "notation") for text in ("x ≤ z", "z ≤ x")]
    steps = engine.steps(task, [(line, None) for line in lines])
    found: dict[int, list[str]] = {}
    with engine.proving(seconds=2, library=0) as proving:
        for number, side, gap in proving.verdicts(task, steps):
            if isinstance(gap, Proved):
                found.setdefault(number, []).append(side)
    assert found[0] == ["first", "second"]
    assert "first" not in found.get(1, [])


def test_all_facts_are_at_hand_for_the_goal_of_ones_own_problem(engine: Engine, example: Example) -> None:
    task = engine.read(Problem("x < y", ("x < 3", "y = 7"), types={"x": "nat"}))
    tokens = engine.answer(task, "x < 7", "notation")
    with engine.proving(seconds=2, library=0) as proving:
        gaps = dict(proving.gaps(task, tokens))
    assert isinstance(gaps["first"], Proved)
    assert isinstance(gaps["second"], Proved)
    assert with_all_facts(engine.example(example.id)) == example


def test_ones_own_problem_may_use_the_whole_library(engine: Engine) -> None:
    task = engine.read(Problem("finite B ∨ x = y", ("finite A", "B ⊆ A")))
    tokens = engine.answer(task, "finite B", "notation")
    with engine.proving(seconds=2, library=64) as proving:
        side, gap = next(proving.gaps(task, tokens))
    assert side == "first"
    assert isinstance(gap, Proved)
    assert gap.library > 0


def test_unknown_constants_are_said(engine: Engine) -> None:
    known = frozenset(engine.predictor.vocabulary)
    constants = [name for name in engine.signature.constants if name not in known and not name.startswith("Pure.")]
    assert constants
    line = f"CONST HOL.Trueprop $ ( CONST HOL.eq $ CONST {constants[0]} $ CONST {constants[0]} )"
    assert engine.unknown(engine.read(Problem(line, form="tokens"))) == [constants[0]]


def test_a_step_of_a_graph_is_a_problem() -> None:
    path = ROOT / "tests" / "isabelle" / "process" / "graphs" / "Sqrt_Two.jsonl.zst"
    from isarstep.isabelle.process.proof_graph import read_graph

    graph = read_graph(path)
    found = earlier = 0
    for proof in graph.proofs:
        for step in proof.steps:
            try:
                problem = problem_of_step(path, f"{graph.theory}:{proof.ordinal}:{step.ordinal}")
            except UserError:
                continue
            assert problem.goal
            assert problem.form == "tokens"
            assert problem.statement
            earlier += len(problem.earlier)
            stated = {encode_line(fact.prop) for fact in proof.facts if fact.step == proof.steps.index(step)}
            assert stated.isdisjoint(problem.earlier)  # what is asked for does not stand above the gap
            found += 1
    assert found > 3
    assert earlier > 3
    for wrong in ("nonsense", "Other.Theory:0:1", f"{graph.theory}:99999:0", f"{graph.theory}:0:99999"):
        with pytest.raises(UserError):
            problem_of_step(path, wrong)


class Scripted:
    """Proposals that a test makes up instead of a model's."""

    def __init__(self, engine: Engine, task: Task, texts: list[str]) -> None:
        self.engine = engine
        self.lines = [(engine.answer(task, text, "notation"), -1.0) for text in texts]

    def __call__(self, task: Task, beam: int) -> Future[list[Step]]:
        answer: Future[list[Step]] = Future()
        answer.set_result(self.engine.steps(task, self.lines[:beam]))
        return answer


def test_a_sketch_chains_steps_until_nothing_is_open(engine: Engine) -> None:
    task = engine.read(Problem("x < 8", ("f 0 = x", "f 0 = f 1", "f 1 = f 2", "f 2 < 7"), types={"x": "nat"}))
    script = Scripted(engine, task, ["x < 0", "x < 7"])
    with engine.proving(seconds=2, library=0) as proving:
        found = list(sketches(task, Plan(seconds=UNHURRIED, prover_seconds=2, library=0), script, proving))
    best = found[-1]
    assert best.closed
    assert best.steps[-1].text == "x < 8"
    assert 'shows "x < 8"' in best.isar()
    assert "sorry" not in best.isar()
    assert best.isar().count("by ") >= len(best.steps)
    assert "open" not in best.isar()


def test_a_sketch_says_what_is_left(engine: Engine) -> None:
    task = engine.read(Problem("P z", ("Q x", "R y ⟶ P z"), types=dict.fromkeys("xyz", "nat")))
    script = Scripted(engine, task, ["R x", "R y", "R z", "Q x"])
    with engine.proving(seconds=1, library=0) as proving:
        best = list(sketches(task, Plan(depth=1, seconds=UNHURRIED, prover_seconds=2, library=0), script, proving))[-1]
    assert not best.closed
    assert [step.text for step in best.steps] == ["R y", "P z"]
    assert [step.proved for step in best.steps] == [False, True]
    assert best.open == [0]
    assert 'have s1: "R y"' in best.isar()


@pytest.mark.slow
def test_a_sketch_with_the_shipped_model(engine: Engine) -> None:
    task = engine.read(Problem("x < z + 1", ("x ≤ y", "y ≤ z"), types={"x": "nat"}))
    with engine.proving(seconds=1, library=0) as proving:
        best = list(
            sketches(task, Plan(seconds=UNHURRIED, prover_seconds=2, library=0), Batcher(engine, 1).search_all, proving)
        )[-1]
    assert best.closed


@needs.E
def test_proposals_help_each_other_and_only_those_needed_are_shown(engine: Engine) -> None:
    facts = ("Q x", "Q x ⟶ R y", "Q x ⟶ S z", "Q x ⟶ T x", "∀u v. R u ∧ S v ⟶ P u v", "P y z ⟶ W x")
    task = engine.read(Problem("W x", facts))
    script = Scripted(engine, task, ["T x", "S z", "R y"])
    proving = Unhelpful(engine, {"W x", "P y z"})
    with proving:
        best = list(sketches(task, Plan(seconds=UNHURRIED, prover_seconds=2, library=0), script, proving))[-1]
    assert best.closed
    assert sorted(step.text for step in best.steps[:-1]) == ["R y", "S z"]


def test_what_contradicts_the_facts_is_no_goal(engine: Engine) -> None:
    task = engine.read(Problem("P z", ("¬Q x", "R y")))
    script = Scripted(engine, task, ["Q x"])
    with engine.proving(seconds=1, library=0) as proving:
        best = list(sketches(task, Plan(depth=2, seconds=UNHURRIED, prover_seconds=2, library=0), script, proving))[-1]
    assert [step.text for step in best.steps] == ["P z"]


class Unhelpful(Proving):
    """Provers that prove some statements only from something that was proposed."""

    def __init__(self, engine: Engine, hard: set[str]) -> None:
        super().__init__(engine.benchmark, lambda: None, 2, 0)
        self.hard = hard

    def follows(self, task: Task, goal: str, known: Sequence[str], limits: Limits) -> tuple[Gap, frozenset[str]]:
        if task.text(goal) in self.hard and len(known) < 2:
            return TimedOut(limits.seconds), frozenset()
        return super().follows(task, goal, known, limits)


def test_provers_begin_nothing_when_the_time_is_over(engine: Engine) -> None:
    task = engine.read(Problem("x < y + 8", ("x < y + 7",), types={"x": "nat"}))
    assert task.example.f3 is not None
    with engine.proving(seconds=2, library=0) as proving:
        late, _ = proving.follows(task, task.example.f3, (), Limits(2, 0, until=-math.inf))
        assert isinstance(late, TimedOut)
        proving.work_while(lambda: False)  # whoever asked has gone away
        assert isinstance(proving.follows(task, task.example.f3, (), Limits(2, 0))[0], TimedOut)
        proving.work_while(lambda: True)
        gap, used = proving.follows(task, task.example.f3, (), Limits(2, 0))
        assert isinstance(gap, Proved)
        assert used == set(task.example.f2)


def test_facts_that_contradict_each_other_are_said(engine: Engine) -> None:
    types = {"x": "nat"}
    task = engine.read(Problem("P x", ("x < 1", "1 < x"), types=types))
    script = Scripted(engine, task, [])
    with engine.proving(seconds=1, library=0) as proving:
        best = list(sketches(task, Plan(depth=1, seconds=60, library=0), script, proving))[-1]
        assert best.contradiction is not None
        assert best.state.startswith("the facts contradict each other")
        # A proof of False is just that.
        task = engine.read(Problem("False", ("x < 1", "1 < x"), types=types))
        best = list(sketches(task, Plan(depth=1, seconds=60, library=0), Scripted(engine, task, []), proving))[-1]
        assert best.closed
        assert best.contradiction is None
        fine = engine.read(Problem("x < 2", ("x < 1",), types=types))
        assert not isinstance(proving.contradiction(fine, Limits(1, 0)), Proved)


def test_provers_know_the_types_that_are_said_inside_a_statement(engine: Engine) -> None:
    with engine.proving(2.0, 0) as proving:
        for goal, wanted in (("∀x::nat. 0 ≤ x", True), ("∀x. 0 ≤ x", False)):
            task = engine.read(Problem(goal))
            gap, _ = proving.follows(task, task.example.f3 or "", (), Limits(2.0, 0))
            assert isinstance(gap, Proved) is wanted, goal
            (step,) = engine.steps(task, [(engine.answer(task, goal), None)])
            assert ("(x::nat)" in step.text) is wanted


def test_a_schematic_variable_is_written_with_its_quantifier(engine: Engine) -> None:
    task = engine.read(Problem("foldl (+) (a + b) xs = a + foldl (+) b xs", types={"xs": "nat list"}))
    step = "foldl (+) (a + b) ?ys = a + foldl (+) b ?ys"
    tokens = engine.answer(task, step)
    assert "VAR" in tokens
    assert exact_text(task, tokens) == "⋀v0. foldl (+) (a + b) v0 = a + foldl (+) b v0"


def test_a_counterexample_over_a_field_is_written_with_fractions(engine: Engine) -> None:
    task = engine.read(Problem("x + y = y - x ∨ y ≠ 1 / 2", types={"x": "real", "y": "real"}))
    with engine.proving() as proving:
        assert "y = 1 / 2" in str(proving.false_goal(task))


def test_a_model_is_given_what_it_reads(engine: Engine, tmp_path: Path) -> None:
    from isarstep.model.nets import ModelConfig, build_model
    from isarstep.model.nets.checkpoint import About, write_model

    vocabulary = (*SPECIALS, "CONST", "HOL.True")
    models = {}
    for name in ("base", "+context", "+premises"):
        (tmp_path / name).mkdir()
        model = build_model(ModelConfig("hat", len(vocabulary), "tiny", input=name))  # type: ignore[arg-type]
        write_model(model, About("hash", vocabulary, {}), tmp_path / name)
        models[name] = Engine(tmp_path / name)
        models[name].benchmark = engine.benchmark
    task = engine.read(Problem(goal="even (n * n)", facts=("even n",), types={"n": "nat"}))
    assert models["base"].with_premises(task) == models["+context"].with_premises(task) == task.example
    read = models["+premises"].with_premises(task)
    assert any("Rings.dvd_class.dvd" in line or "even" in line for line in read.premises)
    assert not {*read.f2, read.f3} & {*read.premises}
    assert read.statement == read.earlier == ()
    example = next(each for each in engine.benchmark.split("test") if each.proof_row is not None and each.f2)
    asked = models["+context"].with_premises(engine.example(example.id))
    assert asked.statement
    assert asked.premises == ()
    assert models["+premises"].with_premises(engine.example(example.id)).statement == asked.statement


def test_others_keep_their_threads(engine: Engine) -> None:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        engine.search([engine.read(Problem(goal="x = x"))], 2)
        assert torch.get_num_threads() == 3
        with one_thread():
            assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_what_fails_while_the_model_is_loaded_ahead_is_logged_and_raised_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from isarstep.model.decode import predict

    def fail(_: object) -> None:
        raise ArithmeticError("a mistake of ours")

    monkeypatch.setattr(predict, "Predictor", fail)
    engine = Engine()
    with caplog.at_level("INFO", "isarstep"):
        engine.load_ahead()
        for thread in threading.enumerate():
            if thread.name == "load the model":
                thread.join()
    assert "a mistake of ours" in caplog.text
    with pytest.raises(ArithmeticError):
        engine.predictor  # noqa: B018
