"""Rewriting with rules written by hand: what it proves, by which rules, and what it must not touch."""

from __future__ import annotations

import pytest
from tests.check.derivations import FACTS
from tests.check.language import SIGNATURE, lemma, read, read_type

from isarstep.bench.worlds import Worlds
from isarstep.check.monomorphise import Named
from isarstep.check.rewriting import TRUE, Rewriter, rewrites_of
from isarstep.check.simprules import Declaration, SimpRules
from isarstep.logic.infer import infer
from isarstep.logic.terms import Term
from isarstep.logic.tokens import encode_line

RULES = ("append_Nil", "append_Cons", "append_Nil2", "rev_rev", "length_Cons", "length_Nil", "nth_Cons_0", "nth_Cons_Suc",
         "list_inject", "list_distinct", "order_refl", "add_0", "mult_zero_right", "nonzero_divide")  # fmt: skip
TYPES = {"xs": "(list nat)", "ys": "(list nat)", "x": "nat", "y": "nat", "n": "nat", "r": "real", "s": "real",
         "A": "(set nat)", "B": "(set nat)", "b": "bool", "o": "('o :: Orderings.ord)"}  # fmt: skip


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
    ],
)
def test_what_it_must_not_prove(premises: list[str], goal: str) -> None:
    terms = typed(*premises, goal)
    assert rewriter().goal([Named("F", term) for term in terms[:-1]], terms[-1]) != TRUE


@pytest.mark.parametrize("name", ["add_commute", "order_trans", "induct", "unit_eq"])
def test_facts_that_are_no_rules(name: str) -> None:
    """Both sides alike, variables that the left side does not fix, applied variables, a variable as left side."""
    assert not list(rewrites_of(lemma(name, *FACTS[name])))


def test_rules_that_run_in_a_circle_end() -> None:
    there = lemma("there", "(= (append xs ys) (rev (append xs ys)))", {})
    assert Rewriter(rewrites_of(there), SIGNATURE).goal([], typed("(= (append xs ys) xs)")[0]) != TRUE


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
    rules = SimpRules(declared, lambda each: facts[each.row])
    worlds = Worlds(SIGNATURE, {"A": [], "B": ["A"], "C": ["A"]})

    everything = frozenset(SIGNATURE.constants)

    def found(theory: str, about: frozenset[str] = everything, refused: str = "") -> list[str]:
        return [rule.name for rule in rules.near(worlds.at(theory), lambda _, of: of != refused, about)]

    assert found("A") == ["append_Nil", "rev_rev"]
    assert found("B") == list(names)
    assert found("C") == ["append_Nil"]
    assert found("B", refused="A") == ["length_Nil"]
    assert found("B", frozenset({"List.rev"})) == ["rev_rev"]
    assert not list(rules.near(worlds.everything, lambda *_: True, everything))
