"""Lemmas in the words of a context: what they may be used for, and at which types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.prover.derivations import FACTS
from tests.prover.language import SIGNATURE, lemma, read_type
from tests.prover.small_library import library_of

from isarstep.benchmark.store.example import Example
from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.context.theory_contexts import TheoryContexts
from isarstep.isabelle.terms.hol import list_pure_imp, strip_pure_imp
from isarstep.isabelle.terms.terms import Free, erase, substitute
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.isabelle.terms.type_text import format_type
from isarstep.prover.atp.provers import ProverLimits, Provers
from isarstep.prover.atp.schedule import Effort
from isarstep.prover.check.obligations import OpenGap
from isarstep.prover.check.step_checker import Checker
from isarstep.prover.outcomes.verdict import Proved, WellFormed, proved

SUBSETS = lemma("subsets", "(==> (finite <X0>) (<= B <X0>) (finite B))", {"B": "(set nat)"})
NAT_SET = format_type(read_type("(set nat)"))


def in_words_of_the_context(fact: Named) -> str:
    """The fact without its first premise, its variable <X0> fixed."""
    premises, conclusion = strip_pure_imp(fact.prop)
    rest = list_pure_imp(premises[1:], conclusion)
    return encode_line(erase(substitute(rest, lambda leaf: Free("<X0>") if leaf.name == "<X0>" else None)))


def tokens(text: str, types: dict[str, str]) -> str:
    """A proposition about fixed variables."""
    prop = lemma("", text, types).prop
    return encode_line(erase(substitute(prop, lambda leaf: Free(leaf.name) if leaf.name.startswith("<X") else None)))


@pytest.fixture(scope="module")
def provers() -> Iterator[Provers]:
    with Provers(ProverLimits(seconds=0.5, width=2)) as running:
        yield running


def checker(provers: Provers, facts: list[Named], known: dict[str, list[int]], library: int = 4) -> Checker:
    rows = [("Early", fact) for fact in facts]
    base = library_of([*rows, ("Later", lemma("last", *FACTS["unit_eq"]))], SIGNATURE, in_context=known)
    return Checker(TheoryContexts(SIGNATURE), provers, base, Effort(library=library))


def step(f1: str, f2: tuple[str, ...], f3: str, **more: object) -> Example:
    types = {"<X0>": NAT_SET, "<X1>": NAT_SET}
    return Example("step", f1, f2, f3, (), **{"f5": (), "types": types, "theory": "Later", **more})  # type: ignore[arg-type]


LINE = in_words_of_the_context(SUBSETS)
SMALL = step(
    tokens("(finite <X1>)", {"<X1>": "(set nat)"}),
    (tokens("(<= <X1> <X0>)", {"<X1>": "(set nat)"}),),
    tokens("(finite <X1>)", {"<X1>": "(set nat)"}),
    f5=(LINE,),
)


def test_a_lemma_of_the_context_is_a_hint(provers: Provers) -> None:
    verdict = checker(provers, [SUBSETS], {LINE: [0]}).check(SMALL, SMALL.f1)
    assert isinstance(verdict, WellFormed)
    assert isinstance(verdict.first, Proved)
    assert "F.5(1)" in verdict.first.facts
    assert verdict.first.library > 0
    # It is no premise of anything else.
    assert not proved(verdict.background.direct)
    assert not proved(verdict.trivial)


def test_what_the_benchmark_does_not_know_to_be_a_lemma_is_none(provers: Provers) -> None:
    verdict = checker(provers, [SUBSETS], {}).check(SMALL, SMALL.f1)
    assert isinstance(verdict, WellFormed)
    assert not proved(verdict.first)


def test_the_step_s_own_theorem_is_no_hint(provers: Provers) -> None:
    own = replace(SMALL, theory="Early", name="subsets")
    verdict = checker(provers, [SUBSETS], {LINE: [0]}).check(own, own.f1)
    assert isinstance(verdict, WellFormed)
    assert not proved(verdict.first)


def test_a_hint_that_does_not_type_is_left_out(provers: Provers) -> None:
    wrong = tokens("(= <X0> (Suc n))", {"n": "nat"})
    verdict = checker(provers, [SUBSETS], {LINE: [0], wrong: [0]}).check(replace(SMALL, f5=(wrong, LINE)), SMALL.f1)
    assert isinstance(verdict, WellFormed)
    assert isinstance(verdict.first, Proved)
    assert "F.5(2)" in verdict.first.facts


def test_the_same_problem_is_answered_in_the_names_of_whoever_asks(provers: Provers) -> None:
    """Answers are kept by problem; two questions may state the same one and call its premises differently."""
    wrong = tokens("(= <X0> (Suc n))", {"n": "nat"})
    for f5, name in (((LINE,), "F.5(1)"), ((wrong, LINE), "F.5(2)"), ((LINE,), "F.5(1)")):
        verdict = checker(provers, [SUBSETS], {LINE: [0], wrong: [0]}).check(replace(SMALL, f5=f5), SMALL.f1)
        assert isinstance(verdict, WellFormed)
        assert isinstance(verdict.first, Proved)
        assert name in verdict.first.facts


REVERSED = "(= (rev (rev ys)) ys)"


@pytest.mark.parametrize(
    ("statement", "types", "known", "usable"),
    [
        ("(==> (finite <X0>) (= (rev (rev xs)) xs))", {"<X0>": "(set nat)"}, True, True),
        ("(==> (finite <X0>) (= (rev (rev xs)) xs))", {"<X0>": "(set nat)"}, False, False),
        # what is assumed of a type need not hold at others
        ("(==> (finite <X0>) (= (rev (rev xs)) xs))", {"<X0>": "(set 'a)", "xs": "(list 'a)"}, True, False),
    ],
)
def test_a_lemma_of_the_context_has_the_types_of_the_fact_that_it_is(
    provers: Provers, statement: str, types: dict[str, str], known: bool, usable: bool
) -> None:
    fact = lemma("twice", statement, types)
    line = in_words_of_the_context(fact)
    goal = tokens("(= (append (rev (rev <X2>)) <X2>) (append <X2> <X2>))", {"<X2>": "(list nat)"})
    asking = step(tokens("(finite <X1>)", {"<X1>": "(set nat)"}), (), goal)
    asking = replace(asking, f4=(line,), types={**asking.types, "<X2>": format_type(read_type("(list nat)"))})
    verdict = checker(provers, [fact], {line: [0]} if known else {}, library=0).check(asking, asking.f1)
    assert isinstance(verdict, WellFormed)
    assert proved(verdict.second) is usable


def test_a_step_that_is_proved_may_be_used_at_all_its_types(provers: Provers) -> None:
    proposal = encode_line(erase(lemma("", "(= (rev (rev xs)) xs)", {}).prop))
    goal = tokens("(= (append (rev (rev <X2>)) <X2>) (append <X2> <X2>))", {"<X2>": "(list nat)"})
    asking = replace(step(proposal, (), goal), types={"<X2>": format_type(read_type("(list nat)"))})
    own = checker(provers, [SUBSETS], {}, library=0)
    unproved = own.check(asking, proposal)
    assert isinstance(unproved, WellFormed)
    assert not proved(unproved.second)  # at its own type, whichever that is
    by_library = checker(provers, [lemma("rev_rev", *FACTS["rev_rev"])], {})
    shown = replace(by_library, simp=None).check(replace(asking, f3=goal), proposal)
    assert isinstance(shown, WellFormed)
    assert proved(shown.first)
    assert proved(shown.second)
    context = own.typed(asking).with_proposal(encode_line(lemma("", "(= (rev (rev xs)) xs)", {}).prop))
    at_all = OpenGap("", asking, context, (context.step(proved=True),), context.f3, [goal])
    assert isinstance(own.gap(at_all), Proved)
    # Whoever states it as a step of a proof has it at one type.
    assert not replace(context, scored=False).step(proved=True).here
    assert not context.step(proved=False).here
