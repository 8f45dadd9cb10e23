"""Rewriting with rules written by hand: what it proves, by which rules, and what it must not touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.prover.derivations import FACTS
from tests.prover.language import SIGNATURE, lemma, read, read_type
from tests.prover.small_library import rules_of

from isarstep.apps.engine import Engine
from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.context.theory_contexts import TheoryContexts
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.terms.terms import Free, Term, substitute
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.premises.fact_base import Library
from isarstep.prover.rewrite.rewriting import TRUE, Rewriter, other_way_round, rewrites_of
from isarstep.prover.rewrite.simp_rules import Declaration, SimpRules, has_patterns

RULES = ("append_Nil", "append_Cons", "append_Nil2", "rev_rev", "length_Cons", "length_Nil", "nth_Cons_0", "nth_Cons_Suc",
         "list_inject", "list_distinct", "order_refl", "add_0", "mult_zero_right", "nonzero_divide")  # fmt: skip
TYPES = {"xs": "(list nat)", "ys": "(list nat)", "x": "nat", "y": "nat", "n": "nat", "r": "real", "s": "real",
         "f": "(fun nat nat)", "A": "(set nat)", "B": "(set nat)", "b": "bool", "o": "('o :: Orderings.ord)"}  # fmt: skip


def typed(*texts: str) -> list[Term]:
    return list(
        infer([read(text) for text in texts], SIGNATURE, {n: read_type(t) for n, t in TYPES.items()}).propositions
    )


def rewriter(names: tuple[str, ...] = RULES) -> Rewriter:
    return Rewriter([rule for name in names for rule in rewrites_of(lemma(name, *FACTS[name]))], SIGNATURE)


@pytest.mark.parametrize(
    ("premises", "goal", "used"),
    [
        ([], "(= (append (Cons x Nil) ys) (Cons x ys))", {"append_Cons", "append_Nil"}),
        ([], "(= (rev (rev (append xs Nil))) xs)", {"rev_rev", "append_Nil2"}),
        ([], "(= (nth (Cons x (Cons y xs)) (Suc 0)) y)", {"nth_Cons_Suc", "nth_Cons_0"}),
        (["(= xs (Cons x Nil))"], "(= (length xs) (Suc 0))", {"F(1)", "length_Cons", "length_Nil"}),
        (["(= (Cons x xs) (Cons y xs))"], "(= x y)", {"F(1)", "list_inject"}),
        (["b"], "(= (if b x y) x)", {"F(1)"}),
        ([], "(--> (= x y) (= (Suc x) (Suc y)))", set()),
        ([], "(= (if b x y) (if b x y))", set()),
        (["(neq s 0)"], "(= (* (/ r s) s) r)", {"F(1)", "nonzero_divide"}),  # a condition that a premise solves
        (["(~ b)"], "(--> b (= x y))", {"F(1)"}),
        ([], "(ALL (z) (= (+ 0 z) (* z 0)))", None),
        (["(= (length xs) (Suc 0))"], "(= (Suc (length xs)) (Suc (Suc 0)))", {"F(1)"}),
        # premises make each other simpler, and what was not needed is not named
        (
            ["(= xs (Cons x Nil))", "(= (length (append xs ys)) n)"],
            "(= (Suc (length ys)) n)",
            {"F(1)", "F(2)", "append_Cons", "append_Nil", "length_Cons"},
        ),
        (["(= xs (Cons x Nil))", "(= (length (append xs ys)) n)"], "(= ys (append ys Nil))", {"append_Nil2"}),
        (["(= xs (Cons x ys))", "(= xs Nil)"], "(= x y)", {"F(1)", "F(2)", "list_distinct"}),
        (["(= f (fn (z) (+ 0 z)))"], "(= (f x) x)", {"F(1)", "add_0"}),
    ],
)
def test_what_simp_proves(premises: list[str], goal: str, used: set[str] | None) -> None:
    terms = typed(*premises, goal)
    given = [Named(f"F({n})", term) for n, term in enumerate(terms[:-1], 1)]
    rewriting = rewriter()
    found = rewriting.goal(given, terms[-1])
    assert (found == TRUE) is (used is not None), found
    if used is not None:
        assert set(rewriting.used) == used


@pytest.mark.parametrize(
    ("premises", "goal"),
    [
        ([], "(= (* (/ r s) s) r)"),  # the condition is not known
        ([], "(<= o o)"),  # only preorders are reflexive
        (["(<= A B)"], "(<= B A)"),
        (["(--> b (= x y))"], "(= x y)"),
        ([], "(= x y)"),
        (["(ALL (z) (= z x))"], "(= y n)"),  # instances are not its business
        ([], "(ALL (x) (= x y))"),
        ([], "(EX (x) (< x y))"),
        (["(= (length xs) (length ys))"], "(= xs ys)"),
        (["(= x y)", "(= y x)"], "(= x n)"),
        (["(= (length xs) (length xs))"], "(= (length xs) n)"),
        (["(ALL (z) (= (length z) n))"], "(= (length xs) n)"),
    ],
)
def test_what_it_must_not_prove(premises: list[str], goal: str) -> None:
    terms = typed(*premises, goal)
    assert rewriter().goal([Named("F", term) for term in terms[:-1]], terms[-1]) != TRUE


def test_a_general_premise_is_a_rule_at_its_own_types() -> None:
    """As a fact that was proved for arbitrary values; what is fixed in it is not arbitrary."""
    general = lemma("F(1)", "(==> (< z n) (= (+ z n) (Suc z)))", {"z": "nat"})
    premise = Named("F(1)", substitute(general.prop, lambda leaf: Free("n", leaf.type) if leaf.name == "n" else None))
    below, goal, other = typed("(< x n)", "(= (+ x n) (Suc x))", "(= (+ x y) (Suc x))")
    rewriting = rewriter(())
    assert rewriting.goal([premise, Named("F(2)", below)], goal) == TRUE
    assert set(rewriting.used) == {"F(1)", "F(2)"}
    assert rewriter(()).goal([premise], goal) != TRUE
    assert rewriter(()).goal([premise, Named("F(2)", below)], other) != TRUE


@pytest.mark.parametrize("name", ["add_commute", "order_trans", "induct", "unit_eq"])
def test_facts_that_are_no_rules(name: str) -> None:
    """Both sides alike, variables that the left side does not fix, applied variables, a variable as left side."""
    assert not list(rewrites_of(lemma(name, *FACTS[name])))


def test_rules_that_run_in_a_circle_end() -> None:
    there = lemma("there", "(= (append xs ys) (rev (append xs ys)))", {})
    assert Rewriter(rewrites_of(there), SIGNATURE).goal([], typed("(= (append xs ys) xs)")[0]) != TRUE


def test_an_equation_between_functions_is_a_rule_wherever_they_are_applied() -> None:
    double = lemma("double", "(= (o f g) (fn (x) (f (g x))))", {})
    rewriting = Rewriter(rewrites_of(double), SIGNATURE)
    assert rewriting.goal([], typed("(= (o f f x) (f (f x)))")[0]) == TRUE
    assert set(rewriting.used) == {"double"}


def test_rules_come_from_their_own_world_less_what_it_takes_away() -> None:
    names = ("append_Nil", "rev_rev", "length_Nil")
    facts = [lemma(name, *FACTS[name]) for name in names]
    declared = {
        "A": [
            Declaration("simp", 0, encode_line(facts[0].prop), 0),
            Declaration("simp", 1, encode_line(facts[1].prop), 1),
        ],
        "B": [Declaration("simp", 2, encode_line(facts[2].prop), 2)],
        "C": [Declaration("no simp", 1, encode_line(facts[1].prop), 3)],
    }
    read: list[Sequence[str]] = []

    def made(theories: Sequence[str]) -> list[list[Declaration]]:
        read.append(theories)
        return [declared[theory] for theory in theories]

    rules = rules_of(declared, made, lambda each: facts[each.row])
    theory_contexts = TheoryContexts(SIGNATURE, {"A": [], "B": ["A"], "C": ["A"]})

    everything = frozenset(SIGNATURE.constants)

    def found(theory: str, about: frozenset[str] = everything, refused: str = "") -> list[str]:
        near = rules.near(theory_contexts.at(theory), lambda _, of: of != refused, about)
        return sorted(rule.name for declared in near.values() for rule in rules.rewrites(declared))

    assert found("A") == ["append_Nil", "rev_rev"]
    assert found("B") == sorted(names)
    assert found("C") == ["append_Nil"]
    assert found("A") == ["append_Nil", "rev_rev"]  # as before the others were asked
    assert found("B", refused="A") == ["length_Nil"]
    assert found("B", frozenset({"List.rev"})) == ["rev_rev"]
    assert not (rules.near(theory_contexts.everything, lambda *_: True, everything))
    assert [[*each] for each in read if each] == [
        ["A"],
        ["B"],
        ["C"],
    ]  # each theory once, and those of a context together


def test_equations_of_functions_are_rules_of_the_library(engine: Engine, library: Library) -> None:
    rules = SimpRules.of_benchmark(engine.benchmark, library)
    assert rules is not None
    main = engine.theory_contexts.importing(("Main",))
    about = {"List.rev", "List.append", "List.list.Cons", "Finite_Set.finite", "List.nth", "Num.numeral_class.numeral"}
    near = rules.near(main, lambda *_: True, about)

    def named(head: str) -> set[str]:
        return {library.theorem(each.fact) for each in near[head] if each.fact is not None}

    assert "List.rev.simps" in named("List.rev")
    assert "List.rev_append" in named("List.rev")
    assert "Finite_Set.finite.simps" not in named("Finite_Set.finite")  # what an inductive predicate says
    # Their theories take these away where they stand: the equations have names of their own, which are no rules.
    assert "List.nth.simps" not in named("List.nth")
    assert not any("numeral.simps" in name for name in named("Num.numeral_class.numeral"))


@pytest.mark.parametrize(
    ("text", "function", "answer"),
    [
        ("CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST f $ CONST c ) $ CONST d )", "f", True),
        ("CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST f $ VAR <V0> $ ( CONST c $ VAR <V1> ) ) $ CONST d )", "f", True),
        ("CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST f $ VAR <V0> ) $ CONST d )", "f", False),
        ("CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST g $ CONST c ) $ CONST d )", "f", False),
        ("CONST Pure.imp $ VAR <V0> $ ( CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST f $ CONST c ) $ CONST d ) )", "f", False),
    ],
)  # fmt: skip
def test_equations_by_patterns(text: str, function: str, answer: bool) -> None:
    assert has_patterns(text, function) is answer


def test_rules_that_declared_ones_say_the_other_way_round(engine: Engine, library: Library) -> None:
    rules = SimpRules.of_benchmark(engine.benchmark, library)
    assert rules is not None
    names = ("List.image_set", "List.append_assoc", "List.set_map")
    facts = [replace(library.fact(library.statements("HOL.List", name)[0]), here=True) for name in names]
    about = {"Set.image", "List.list.map", "List.list.set", "List.append"}
    near = rules.near(engine.theory_contexts.importing(("Main",)), lambda *_: True, about)
    assert other_way_round(facts, lambda head: rules.rewrites(near.get(head, ()))) == ("List.image_set",)


def test_of_two_facts_that_are_each_other_turned_one_rewrites(library: Library) -> None:
    """`∃x. list_all (closed x) xs` by `list_all_iff` and `Ball_set_list_all`, which is the same from right to left: simp
    does not end with both."""
    names = ("List.list_all_iff", "List.Ball_set_list_all", "List.append_assoc")
    facts = [replace(library.fact(library.statements("HOL.List", name)[0]), here=True) for name in names]
    assert other_way_round(facts, lambda head: ()) == ("List.Ball_set_list_all",)
    assert other_way_round(facts[::-1], lambda head: ()) == ("List.list_all_iff",)
    assert other_way_round([facts[0], facts[2]], lambda head: ()) == ()
