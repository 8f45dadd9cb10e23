"""Soundness and strength: no false derivation is proved by any encoding and prover; most true ones are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

import pytest
from _pytest.mark import ParameterSet
from tests.drawn import prover_seconds
from tests.prover.arithmetic_derivations import FALSE_ARITHMETIC
from tests.prover.derivations import FACTS, FALSE, TRUE, Derivation
from tests.prover.language import SIGNATURE, lemma, local

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.prover.atp import problems
from isarstep.prover.atp.problems import Query, _lowered, instantiated
from isarstep.prover.atp.provers import GAVE_UP, Attempt, ProverLimits, Provers, Strategy, available
from isarstep.prover.atp.schedule import strategies
from isarstep.prover.encode import smt as encode_smt
from isarstep.prover.encode import tf0 as encode_tf0
from isarstep.prover.encode.formula import CannotEncode
from isarstep.prover.encode.symbol_names import ByIdentity
from isarstep.prover.outcomes.verdict import Proved, TimedOut, Unknown

LIBRARY = {name: lemma(name, text, types) for name, (text, types) in FACTS.items()}


def query(derivation: Derivation) -> Query:
    *premises, goal = local([*derivation.premises, derivation.goal], derivation.types)
    named = tuple(Named(f"premise {i}", p) for i, p in enumerate(premises))
    return instantiated(named, goal, [LIBRARY[name] for name in derivation.facts], SIGNATURE)


def stated(asked: Query, strategies: Iterable[Strategy]) -> Iterator[Attempt]:
    """By those strategies that can."""
    for strategy in strategies:
        with suppress(CannotEncode):
            yield problems.attempt(asked, strategy)


def attempt(derivation: Derivation, strategy: Strategy) -> Attempt | None:
    return next(stated(query(derivation), [strategy]), None)


@pytest.fixture(scope="module")
def provers() -> Iterator[Provers]:
    with Provers(ProverLimits(seconds=0.5, width=2)) as running:
        yield running


@pytest.fixture(scope="module")
def provers_of_what_is_false() -> Iterator[Provers]:
    """Provers that use up their time on every derivation: thrice as long as any true one takes."""
    with Provers(ProverLimits(seconds=prover_seconds(0.2), width=2)) as running:
        yield running


def test_the_suite_is_as_large_as_promised() -> None:
    assert len(TRUE) >= 60
    assert len(FALSE) >= 60
    names = [d.name for d in (*TRUE, *FALSE)]
    assert len(names) == len(set(names))


def one_per_text() -> list[ParameterSet]:
    """Every strategy; those whose prover reads the same text as an earlier one are slow."""
    texts, made = set(), []
    for strategy in available(strategies()):
        text = (strategy.encoding, strategy.arithmetic, strategy.unfold)
        made.append(pytest.param(strategy, id=strategy.name, marks=[pytest.mark.slow] if text in texts else []))
        texts.add(text)
    return made


@pytest.mark.parametrize("strategy", one_per_text())
def test_no_false_derivation_is_proved(strategy: Strategy, provers_of_what_is_false: Provers) -> None:
    wrong, asked = [], 0
    for derivation in (*FALSE, *FALSE_ARITHMETIC):
        made = attempt(derivation, strategy)
        if made is None:
            continue
        asked += 1
        answer = provers_of_what_is_false.prove([made])
        if isinstance(answer, Proved):
            wrong.append(derivation.name)
        assert isinstance(answer, TimedOut | Proved) or answer == Unknown(GAVE_UP), (
            derivation.name,
            answer,
        )
    assert wrong == []
    assert asked >= 120


@pytest.mark.parametrize("strategy", one_per_text())
def test_what_a_prover_reads_depends_on_nothing_asked_before(strategy: Strategy) -> None:
    """Texts of facts are kept from problem to problem; answers are kept by these texts."""

    def texts(derivations: list[Derivation]) -> dict[str, str | None]:
        _lowered.cache_clear()
        encode_smt._printed = ByIdentity()
        encode_tf0._parts = ByIdentity()
        made = [(d.name, attempt(d, strategy)) for d in derivations]
        return {name: found.text if found else None for name, found in made}

    some = [*TRUE[::4], *FALSE[::4]]
    assert texts(some) == texts(some[::-1])


MORE_TYPES = ["int", "bool", "('a :: Orderings.linorder)", "(list nat)", "unit", "complex"]


@pytest.mark.parametrize(
    "typ", ["nat", "real", "(set nat)", *(pytest.param(typ, marks=pytest.mark.slow) for typ in MORE_TYPES)]
)
def test_the_facts_do_not_contradict_each_other(typ: str, provers: Provers) -> None:
    """Else everything follows from them, and neither suite would say anything."""
    for strategy in available():
        possible = (Named("", local(["(= x y)"], {"x": typ})[0]),)
        absurd = instantiated(possible, local(["False"], {})[0], list(LIBRARY.values()), SIGNATURE)
        assert not isinstance(provers.prove([problems.attempt(absurd, strategy)]), Proved), (typ, strategy.name)


@pytest.mark.slow
def test_true_derivations_are_proved(provers: Provers) -> None:
    asked = available(strategies())
    failed = [d.name for d in TRUE if not isinstance(provers.prove(stated(query(d), asked)), Proved)]
    # Cantor and the induction want a predicate to be invented; a slow machine may miss a few more.
    assert len(failed) <= 8, failed
    assert not [name for name in failed if name.startswith("#")], failed


@pytest.mark.parametrize("strategy", available(strategies()), ids=lambda s: s.name)
def test_every_strategy_proves_what_needs_no_arithmetic(strategy: Strategy, provers: Provers) -> None:
    simple = ("modus ponens", "instance", "congruence", "witness", "comprehension", "symmetry")
    for derivation in (d for d in TRUE if d.name in simple):
        made = attempt(derivation, strategy)
        assert made is not None
        answer = provers.prove([made])
        assert isinstance(answer, Proved), (derivation.name, answer)


def test_a_proof_names_the_facts_it_used(provers: Provers) -> None:
    derivation = Derivation("", ["P", "(--> P Q)", "R"], "Q", {"R": "bool"})
    for strategy in available():
        answer = provers.prove([problems.attempt(query(derivation), strategy)])
        assert isinstance(answer, Proved)
        assert set(answer.facts) == {"premise 0", "premise 1"}
