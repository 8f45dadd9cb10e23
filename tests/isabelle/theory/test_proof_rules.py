"""Induction over types, functions and predicates of a file: true statements are proved by it, false ones never."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from isarstep.apps.engine import Engine
from isarstep.benchmark.problems.file_context import FileContext
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.prover.check.prover_session import Limits, Proving
from isarstep.prover.outcomes.verdict import Gap, Proved

SECONDS, LIBRARY = 0.2, 16
FALSE_SECONDS = 0.1  # on what is false all of it passes: as much as what else is false has
TREE = "datatype 'a tree = Leaf | Node \"'a tree\" 'a \"'a tree\"\n"
MIRROR = (
    TREE
    + 'fun mirror where "mirror Leaf = Leaf" | "mirror (Node l x r) = Node (mirror r) x (mirror (l :: \'a tree))"\n'
)
ZERO = 'inductive zero where "zero []" | "zero xs \\<Longrightarrow> zero ((0 :: nat) # xs)"\n'
EV = 'inductive ev :: "nat ⇒ bool" where "ev 0" | "ev n ⟹ ev (Suc (Suc n))"\n'
HALF = 'fun half :: "nat ⇒ nat" where "half 0 = 0" | "half (Suc 0) = 0" | "half (Suc (Suc n)) = Suc (half n)"\n'
EVERY_OTHER = 'fun other where "other [] = []" | "other [x] = []" | "other (x # y # xs) = y # other xs"\n'


@pytest.fixture(scope="module")
def proving(engine: Engine) -> Iterator[Proving]:
    with engine.proving(SECONDS, LIBRARY) as made:
        yield made


def document(engine: Engine, text: str) -> TheoryDocument:
    return TheoryDocument(Path("T.thy"), engine.theory_contexts, text=f"theory T imports Main begin\n{text}\nend\n")


def answers(engine: Engine, proving: Proving, text: str, seconds: float = SECONDS) -> list[Gap]:
    """Of all inductions for the statement that a text ends with."""
    theory = document(engine, f"{text} sorry")
    task = engine.read_state(theory.state_before(theory.gaps()[-1].start))
    assert task.example.f3 is not None
    return [gap for gap, _ in proving.inductions(task, task.example.f3, (), Limits(seconds, LIBRARY))]


def rules(engine: Engine, text: str) -> set[str]:
    theory = document(engine, text)
    return {name for name, _ in FileContext(theory.context_at(len(theory.source.text))[0]).own_inductions}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (MIRROR + 'lemma "mirror (mirror t) = t"', "T.tree.induct"),
        (EV + 'lemma "ev n ⟹ even n"', "T.ev.induct"),
        (HALF + 'lemma "half n + half n ≤ n"', "T.half.induct"),
    ],
)
def test_rules_of_a_file_prove(text: str, rule: str, engine: Engine, proving: Proving) -> None:
    found = [gap for gap in answers(engine, proving, text) if isinstance(gap, Proved)]
    assert found
    assert rule in found[0].facts[0]
    assert (f"rule: {rule}" in found[0].method) == (rule != "T.tree.induct")  # a type's own is Isabelle's choice, too


@pytest.mark.parametrize(
    "text",
    [
        'fun f :: "nat ⇒ nat" where "f (Suc n) = f n"\nlemma "f n = 5"',
        TREE + 'fun g :: "\'a tree ⇒ bool" where "g (Node l x r) = g l"\nlemma "g t"',
        'fun k :: "nat ⇒ bool ⇒ bool" where "k 0 True = True" | "k (Suc n) True = k n True"\nlemma "k n b"',
        'fun d :: "nat ⇒ nat" where "d 0 = 0" | "d (Suc (Suc n)) = d n"\nlemma "d n = 0"',
        EVERY_OTHER + 'lemma "other xs = []"',
        ZERO + 'lemma "zero xs ⟹ xs = []"',
        EV + 'lemma "ev n ⟹ n = 0"',
        HALF + 'lemma "half n + half n = n"',
        'fun itrev where "itrev [] ys = ys" | "itrev (x # xs) ys = itrev xs (x # ys)"\nlemma "itrev xs ys = rev xs"',
        MIRROR + 'lemma "mirror t = t"',
        'function h :: "nat ⇒ nat" where "h n = h (Suc n)" by auto\ntermination sorry\nlemma "h n = 0"',
        'function h :: "nat ⇒ nat" where "h n = Suc (h n)" by auto\nlemma "h n = 7"',
    ],
)
def test_false_statements_are_not_proved(text: str, engine: Engine, proving: Proving) -> None:
    assert [gap for gap in answers(engine, proving, text, FALSE_SECONDS) if isinstance(gap, Proved)] == []


def test_only_rules_with_all_cases_are_used(engine: Engine) -> None:
    assert rules(engine, MIRROR + ZERO + EVERY_OTHER) == {
        "T.tree.induct", "T.mirror.induct", "T.zero.induct", "T.other.induct",
    }  # fmt: skip
    assert rules(engine, HALF) == {"T.half.induct"}
    assert rules(engine, HALF.replace('| "half (Suc 0) = 0"', "")) == set()
    unproved = 'function h :: "nat ⇒ nat" where "h n = h (Suc n)" by auto\ntermination sorry'
    assert rules(engine, unproved) == set()
