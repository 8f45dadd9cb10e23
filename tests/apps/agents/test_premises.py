"""Selectors of premises, on a library of a few lemmas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.benchmark.corpus import write_corpus
from tests.prover.small_library import library_of

from isarstep.apps.llm import premise_task
from isarstep.apps.llm.premise_task import PremiseQuestion, by_constants, in_scope, learned, places_of_used
from isarstep.benchmark.building.build import build
from isarstep.benchmark.rules.rules import Sizes
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.cli import run
from isarstep.common.errors import UserError
from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import App, Const, Term
from isarstep.premises.fact_base import Library
from isarstep.premises.learned_selection import LearnedSelection, SelectorQuestion
from isarstep.premises.relevance import Relevance, relevance_of
from isarstep.premises.selector.network import load_selector
from isarstep.premises.selector.premise_questions import STEP, recall_and_mrr

P, Q = "CONST HOL.Trueprop $ ( CONST T.p $ CONST T.a )", "CONST HOL.Trueprop $ ( CONST T.q $ CONST T.b )"


def lemma(*names: str) -> Term:
    term: Term = Const(names[0])
    for name in names[1:]:
        term = App(term, Const(name))
    return term


@pytest.fixture
def library() -> Library:
    stated = [
        ("T.one", ("T.p", "T.a")),
        ("T.two", ("T.q", "T.c")),
        ("T.three", ("T.r", "T.c")),
        ("T.four", ("T.p", "T.c")),
    ]
    return library_of([("T", Named(name, lemma(*constants))) for name, constants in stated], Signature({}, {}, {}, {}))


def question(used: set[int], exclude: frozenset[int] = frozenset(), before: int = 4) -> PremiseQuestion:
    return PremiseQuestion(SelectorQuestion(P), before, exclude, used=(frozenset(used),))


@pytest.mark.parametrize("relevance", [relevance_of, lambda library: Relevance(library, used=0.0)])
def test_the_fact_with_all_constants_comes_first(library: Library, relevance: Callable[[Library], Relevance]) -> None:
    ranking = by_constants(relevance(library))
    ranked = ranking(question({0}), 10)
    assert ranked[0] == 0
    assert 3 in ranked
    assert ranking(question({0}, frozenset({0})), 10)[0] == 3
    assert 3 not in ranking(question({0}, before=3), 10)


def test_recall_and_reciprocal_rank(library: Library) -> None:
    two_lemmas = PremiseQuestion(SelectorQuestion(P), 4, used=(frozenset({0, 3}), frozenset({1})))
    asked = [two_lemmas, question({2})]
    recall, mrr = recall_and_mrr(places_of_used(lambda question, size: [2, 0], each) for each in asked)
    assert recall == {8: 75.0, 32: 75.0, 128: 75.0}
    assert mrr == pytest.approx((0.5 + 1) / 2)


def test_scope(library: Library) -> None:
    asked = PremiseQuestion(SelectorQuestion(P), 1, frozenset({0}), (3,))
    assert in_scope(asked, library).tolist() == [False, False, False, True]


def test_a_benchmark_whose_steps_use_no_facts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(write_corpus(tmp_path, 2), tmp_path / "bench", sizes=Sizes(scored=5, band=0.3), workers=1)
    assert run(["premises", "--benchmark", str(tmp_path / "bench"), "--split", "test"]) == 2
    assert "no step of split test uses a fact" in capsys.readouterr().err


def test_a_limit_takes_the_examples_of_lowest_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(write_corpus(tmp_path, 2), tmp_path / "bench", sizes=Sizes(scored=5, band=0.3), workers=1)
    asked: list[str] = []

    def nothing(_: Benchmark, library: Library, examples: list[Example], *more: object) -> list[object]:
        asked.extend(example.id for example in examples)
        return []

    monkeypatch.setattr(premise_task, "premise_questions", nothing)
    with pytest.raises(UserError, match="among 2 examples"):
        premise_task.premise_table(Benchmark(tmp_path / "bench"), "test", 2)
    ids = [example.id for example in Benchmark(tmp_path / "bench").split("test")]
    assert {*asked} == {*sorted(ids)[:2]} != {*ids[:2]}


def test_the_learned_selector_ranks_what_may_be_offered(library: Library) -> None:
    ranking = learned(LearnedSelection(library, load_selector("embedded"), "small"))
    assert sorted(ranking(question({0}), 10)) == [0, 1, 2, 3]
    assert ranking(question({0}), 10)[0] == 0  # the only one about both constants
    assert sorted(ranking(question({0}, exclude=frozenset({0}), before=3), 10)) == [1, 2]
    assert len(ranking(question({0}), 2)) == 2
    assert ranking(question({0}), 0) == []


def test_facts_are_embedded_once_and_kept_in_a_file(library: Library, tmp_path: Path) -> None:
    light = load_selector("embedded")
    first = LearnedSelection(library, light, "small", tmp_path)
    asked = SelectorQuestion(step=P, theory="T")
    wanted = first.scores(asked, first._context(frozenset({"T"})))
    (path,) = tmp_path.iterdir()
    again = LearnedSelection(library, light, "small", tmp_path)
    again._made = lambda theories: pytest.fail("made twice")  # type: ignore[assignment]
    assert again.scores(asked, again._context(frozenset({"T"}))).tolist() == pytest.approx(wanted.tolist(), abs=1e-2)
    path.write_bytes(path.read_bytes()[:100])  # cut off: it is made again
    third = LearnedSelection(library, light, "small", tmp_path)
    assert len(third._context(frozenset({"T"})).numbers) == 4
    other = LearnedSelection(library, light, "of another name", tmp_path)
    other._context(frozenset({"T"}))
    assert len(list(tmp_path.iterdir())) == 2


def test_the_models_question_has_no_step(library: Library) -> None:
    texts = SelectorQuestion(given=(P,), consequence=Q, other=("C",), statement=("D",), earlier=("E", "F")).texts()
    assert [text for _, text in texts] == [P, Q, "C", "D", "E", "F"]
    assert STEP not in [role for role, _ in texts]
    assert [role for role, _ in SelectorQuestion(step=P).texts()] == [STEP]
