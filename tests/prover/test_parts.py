"""The parts of the checker on their own: names, instances, relevance, likeness."""

from __future__ import annotations

import gc
import random
import weakref
from dataclasses import replace
from functools import reduce
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from tests.prover.derivations import FACTS
from tests.prover.language import SIGNATURE, lemma, local, read, read_type
from tests.prover.small_library import library_of

from isarstep.benchmark.store.fact_search import uses_in_training
from isarstep.common.errors import UserError
from isarstep.isabelle.context.columns import Repeated
from isarstep.isabelle.context.monomorphisation import TRIES_PER_FACT, Named, match_in_sorts, monomorphise
from isarstep.isabelle.context.theory_contexts import TheoryContexts
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.terms.hol import BOOL, conj, trueprop
from isarstep.isabelle.terms.terms import App, Const, Term, TVar, Typ, Type, Var, fun
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.premises.fact_base import TRUTH, Library
from isarstep.premises.relevance import Relevance, constants_of, relevance_of
from isarstep.prover.atp.problems import state
from isarstep.prover.encode import formula
from isarstep.prover.encode.formula import CannotEncode
from isarstep.prover.encode.symbol_names import _keys, escape, name_of
from isarstep.prover.outcomes.likeness import likeness, simplified

LEMMAS = {name: lemma(name, text, types) for name, (text, types) in FACTS.items()}


def test_escaping_is_injective() -> None:
    generator = random.Random(1)
    alphabet = "ab_.o0x'<>λ∀ \n"
    seen: dict[str, str] = {}
    for _ in range(5000):
        text = "".join(generator.choices(alphabet, k=generator.randrange(6)))
        name = escape(text)
        assert name.isascii()
        assert all(c.isalnum() or c == "_" for c in name)
        assert seen.setdefault(name, text) == text


def test_names_differ_for_different_keys() -> None:
    keys = [
        "free x : nat",
        "free x : int",
        "x : nat",
        "Groups.x : nat",
        "free X : nat",
        "free a_b : nat",
        "free a.b : nat",
    ]
    given = [name_of("c", key) for key in keys]
    assert len({name.lower() for name in given}) == len(keys)
    assert [name_of("c", key) for key in keys] == given


def test_two_keys_never_share_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_keys, name_of("c", "free surely : nat"), "another key")
    name_of.cache_clear()
    with pytest.raises(CannotEncode, match="would be the same"):
        name_of("c", "free surely : nat")


@pytest.mark.parametrize(
    ("fact", "problem", "types", "count"),
    [
        ("linear", "(<= a b)", {"a": "nat"}, 1),
        ("linear", "(<= a b)", {"a": "(set nat)"}, 0),
        ("linear", "(<= a b)", {"a": "(fun nat nat)"}, 0),
        ("linear", "(<= a b)", {"a": "('a :: Orderings.linorder)"}, 1),
        ("linear", "(<= a b)", {"a": "('a :: Fields.linordered_field)"}, 1),
        ("linear", "(<= a b)", {"a": "('a :: Orderings.order)"}, 0),
        ("order_antisym", "(& (<= a b) (<= A B))", {"a": "nat", "A": "(set nat)"}, 2),
        ("finite_class", "(finite A)", {"A": "(set bool)"}, 1),
        ("finite_class", "(finite A)", {"A": "(set (list bool))"}, 0),
        ("unit_eq", "(= n (Suc n))", {}, 1),
        ("rev_rev", "(= a b)", {"a": "nat"}, 0),
        ("rev_rev", "(= (rev a) (rev (rev b)))", {"a": "(list (list nat))"}, 1),
    ],
)
def test_instances_respect_sorts(fact: str, problem: str, types: dict[str, str], count: int) -> None:
    assert len(monomorphise([LEMMAS[fact]], local([problem], types), SIGNATURE, 100)) == count


def test_instances_are_bounded() -> None:
    problem = local(["(= (map f (map g (map h xs))) ys)"], {})
    made = monomorphise(list(LEMMAS.values()) * 20, problem, SIGNATURE, 50)
    assert len(made) == 50


def test_a_fact_of_many_type_variables_is_matched_a_bounded_number_of_times(monkeypatch) -> None:
    """Twelve constants at four types each, and a variable that nothing fixes: 4 ^ 12 ways, none of which is one."""
    tried = 0

    def counted(*arguments):
        nonlocal tried
        tried += 1
        assert tried < 2 * TRIES_PER_FACT
        return match_in_sorts(*arguments)

    def revs(types: list[Typ]) -> Term:
        return reduce(App, (Const("List.rev", fun(each, each)) for each in types))

    variables = [TVar(f"'a{n}", 0, ("HOL.type",)) for n in range(12)]
    fact = App(revs(variables), Const("List.map", TVar("'b", 0, ("HOL.type",))))
    problem = [revs([read_type(name) for name in ("nat", "int", "bool", "(set nat)")])]
    monkeypatch.setattr("isarstep.isabelle.context.monomorphisation.match_in_sorts", counted)
    assert monomorphise([Named("many", fact)], problem, SIGNATURE, 10) == []
    assert tried >= TRIES_PER_FACT


def test_relevance_prefers_facts_that_share_constants() -> None:
    names = list(LEMMAS)
    library = library_of([("T", LEMMAS[name]) for name in names], SIGNATURE)
    relevance = Relevance(library)
    goal = encode_line(read("(= (rev (append xs ys)) zs)"))
    best = [names[n] for n in relevance.rank([goal], 5, len(names))]
    assert best[0] == "rev_append"
    assert "rev_rev" in best
    assert relevance.rank([goal], 5, 0) == []
    first = names.index("rev_append")
    assert first not in relevance.rank([goal], 5, first)
    assert first not in relevance.rank([goal], 5, len(names), exclude=[first])
    assert len(relevance.rank([goal], 1000, len(names))) <= len(names)


def test_of_facts_that_speak_of_the_same_the_used_one_comes_first() -> None:
    rows = [("A", replace(LEMMAS["rev_rev"], name=name)) for name in ("one", "two", "three", "x.cong")]
    library = library_of(rows, SIGNATURE)
    assert Relevance(library).rank([library.texts[0]], 4, 4) == [0, 1, 2]  # nobody wants a package's own
    library.uses = np.array([0, 0, 7, 1])
    assert Relevance(library).rank([library.texts[0]], 4, 4) == [2, 3, 0, 1]
    assert Relevance(library, used=0.0).rank([library.texts[0]], 4, 4) == [0, 1, 2, 3]


def test_a_library_that_nobody_has_any_more_is_gone_with_what_was_made_of_it() -> None:
    library = library_of([("T", LEMMAS["rev_append"])], SIGNATURE)
    relevance = weakref.ref(relevance_of(library))
    assert relevance_of(library) is relevance()
    del library
    gc.collect()
    assert relevance() is None


def test_what_a_world_does_not_have_changes_nothing_in_it() -> None:
    rows = [("A", LEMMAS["rev_append"]), ("A", LEMMAS["rev_rev"]), ("A", LEMMAS["linear"])]
    more = [*rows, *(("B", replace(LEMMAS["rev_append"], name=f"copy{n}")) for n in range(9))]
    small, large = (Relevance(library_of(r, SIGNATURE)) for r in (rows, more))
    asked, here = [encode_line(LEMMAS["rev_append"].prop)], frozenset({"A"})
    large.rank(asked, 9, 9, theories=frozenset({"A", "B"}))  # whatever was asked before
    (facts, first), (also, second) = (each.scores(constants_of(asked[0]), here) for each in (small, large))
    assert facts.tolist() == also.tolist() == [0, 1, 2]
    assert first.tolist() == second.tolist()


def test_uses_are_counted_in_training_examples() -> None:
    lines = {"train": pa.table({"f5": [[2, 0], [2], []]})}
    benchmark = SimpleNamespace(
        table=lambda split, columns: lines[split].select(columns),
        propositions=range(4),
        facts=pa.table({"proposition": [0, 1, 2]}),
    )
    assert uses_in_training(benchmark).tolist() == [1, 0, 2]


def test_like_facts_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    library = library_of([("A", LEMMAS["rev_rev"]), ("B", LEMMAS["rev_rev"])], SIGNATURE)
    line = encode_line(read("(= (rev (rev ys)) ys)"))
    found = [library.alike(line), library.alike(line, frozenset("B"))]
    assert found == [[0, 1], [1]]
    monkeypatch.setattr("isarstep.premises.fact_base._pattern", None)
    assert [library.alike(line), library.alike(line, frozenset("B"))] == found


def test_a_library_finds_facts_by_their_tokens() -> None:
    library = library_of([("A", LEMMAS["rev_rev"]), ("B", LEMMAS["linear"])], SIGNATURE)
    assert library.find(encode_line(LEMMAS["linear"].prop)) == [1]
    assert library.find(encode_line(read("(= (rev (rev xs)) xs)"))) == []
    assert library.alike(encode_line(read("(= (rev (rev ys)) ys)"))) == [0]
    assert library.before("B") == 1
    assert library.before("C") == 0
    twice = library_of([("A", LEMMAS["rev_rev"]), ("B", LEMMAS["linear"]), ("B", LEMMAS["rev_rev"])], SIGNATURE)
    line = twice.texts[0]
    for found in (twice.find, twice.alike):
        assert found(line) == [0, 2]
        assert found(line, frozenset({"B", "C"})) == [2]
        assert found(line, frozenset({"C"})) == []


def test_only_theories_that_a_theory_rests_on_are_visible() -> None:
    rows = [("A", LEMMAS["rev_rev"]), ("B", LEMMAS["linear"]), ("C", LEMMAS["rev_rev"])]
    library = library_of(rows, SIGNATURE)
    theory_contexts = TheoryContexts(SIGNATURE, {"A": [], "B": [], "C": ["A"], "D": ["C"]})
    assert library.visible(theory_contexts.at("D").theories or frozenset()).tolist() == [True, False, True]
    relevance = Relevance(library)
    assert set(relevance.rank([library.texts[0], library.texts[1]], 3, 3)) == {0, 1, 2}
    assert relevance.rank([library.texts[0], library.texts[1]], 3, 3, theories=frozenset({"B"})) == [1]


def test_a_fact_that_cannot_be_read_says_nothing() -> None:
    def typed(number: int) -> Term:
        raise UserError("no such type")

    library = Library(
        ["A.bad"], [0], lambda: Repeated(["A"], np.zeros(1, np.int64)), ["CONST HOL.True"], typed, SIGNATURE
    )
    assert library.fact(0) == Named("A.bad", TRUTH)


def theory(*names: str) -> Library:
    """Theory B with facts of these names, after a theory A with two."""
    before = [("A", replace(LEMMAS["linear"], name=name)) for name in ("x", "y")]
    rows = [*before, *(("B", replace(LEMMAS["rev_rev"], name=name)) for name in names), ("C", LEMMAS["linear"])]
    return library_of(rows, SIGNATURE)


def test_facts_with_smaller_numbers_come_before_a_theorem() -> None:
    assert theory("a", "b", "c").before("B", "b") == 3
    assert theory("c", "a", "b").before("B", "b") == 4
    assert theory("c", "a", "b").before("B", "unnamed") == 2
    assert theory("c").before("Z", "z") == 0


def test_before_a_theorem_that_is_no_fact_come_definitions_of_what_it_mentions() -> None:
    library = theory("B.a", "B.c_def", "B.d_def")
    assert library.own("B", "", ["B.d", "HOL.eq"]) == [4]
    assert library.own("B", "B.a", ["B.d"]) == ()  # what comes before a fact is known
    assert library.own("C", "", ["B.d"]) == []
    assert library.own("Z", "z", ["B.d"]) == []


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("(= a b)", "(= b a)", True),
        ("(& P (= 1 1))", "P", True),
        ("(& P Q)", "(& Q (& P True))", True),
        ("(~ (~ P))", "P", True),
        ("(= P True)", "P", True),
        ("(| P False)", "P", True),
        ("(ALL (x) (= (f x) a))", "(ALL (y) (= a (f y)))", True),
        ("(--> P Q)", "(--> Q P)", False),
        ("(<= a b)", "(<= b a)", False),
        ("(= a b)", "(= a c)", False),
        ("(& P Q)", "(| P Q)", False),
    ],
)
def test_trivial_equivalence(left: str, right: str, same: bool) -> None:
    assert (simplified(read(left)) == simplified(read(right))) is same


def test_likeness_of_schematic_names_and_copies() -> None:
    reference, other = read("(= x y)"), read("(= y x)")
    a, b = LEMMAS["linear"].prop, lemma("", "(| (<= u v) (<= v u))", {"u": "('a :: Orderings.linorder)"}).prop
    same = likeness(encode_line(a), a, encode_line(b), b, [])
    assert (same.exact, same.alpha, same.copy) == (False, True, False)
    swapped = likeness(encode_line(other), other, encode_line(reference), reference, [encode_line(read("(~ (= y x))"))])
    assert (swapped.exact, swapped.alpha, swapped.equivalent) == (False, False, True)
    inner = " ".join(encode_line(other).split()[3:-1])
    assert likeness(inner, other, "", reference, [encode_line(read("(~ (= y x))"))]).copy


def test_a_fact_with_a_fixed_type_is_not_taken_at_others() -> None:
    """`all are equal` of one type that somebody fixed says nothing about another, though no variable is free in it."""
    typed = infer([read("(ALL (x y) (= x y))")], SIGNATURE).propositions[0]
    problem = infer([read("(= a b)")], SIGNATURE, {"a": read_type("nat")}).propositions[0]
    assert monomorphise([Named("fixed", typed)], [problem], SIGNATURE, 10) == []


def test_a_fact_about_a_fixed_variable_is_not_used() -> None:
    """It holds under hypotheses that are not there; one that is known to hold where it is asked about may be."""
    typed = infer([read("(= (Suc a) a)")], SIGNATURE).propositions[0]
    assert monomorphise([Named("fixed", typed)], [typed], SIGNATURE, 10) == []
    known = Named("fixed", typed, here=True)
    assert monomorphise([known], [typed], SIGNATURE, 10) == [known]


def test_a_schematic_variable_at_two_types_is_not_stated() -> None:
    """Of `x = 0` at nat and `x = 0` at int with one x, one would prove the other."""
    x = {typ: Var("x", 0, Type(typ)) for typ in ("Nat.nat", "Int.int")}
    both = [App(App(Const("HOL.eq", fun(v.type, fun(v.type, BOOL))), v), v) for v in x.values() if v.type]
    prop = trueprop(conj(*both, typed=True), typed=True)
    with pytest.raises(CannotEncode, match="at two types"):
        state([], prop, arithmetic=False, unfold=True)


def test_a_square_of_a_square_is_not_written_out_for_ever() -> None:
    """Each square is a product: forty of them have a million million parts, and took minutes before provers began."""
    x: formula.Formula = formula.SortedVariable(0, formula.INT)
    for _ in range(40):
        x = formula.Arith("*", (x, x))
    assert formula.written_size(x) == 2**41 - 1
    assert formula.written_size(formula.Eq(x, x)) == 2**42 - 1
    tower = "a"
    for _ in range(40):
        tower = f"(^ {tower} 2)"
    goal = read_goal(f"(= {tower} a)")
    with pytest.raises(CannotEncode, match="too large"):
        state((), goal, arithmetic=True, unfold=False)
    assert state((Named("square", goal),), read_goal("(= a a)"), arithmetic=True, unfold=False).premises == ()


def read_goal(text: str) -> Term:
    return infer([read(text)], SIGNATURE, {"a": read_type("int")}).propositions[0]
