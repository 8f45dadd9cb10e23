"""What stands between a proposition and a prover: instances at the right types, formulas that say the same."""

from __future__ import annotations

import pytest
from tests.prover.derivations import FACTS
from tests.prover.language import SIGNATURE, lemma, local, read, read_type

from isarstep.isabelle.context.matching import Matching
from isarstep.isabelle.context.monomorphisation import LARGEST_TYPE, Named, match_in_sorts, monomorphise
from isarstep.isabelle.terms.hol import BOOL as TRUTH_VALUE
from isarstep.isabelle.terms.hol import PROP
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, TFree, TVar, Typ, Type, Var, fun
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.prover.encode import formula as f
from isarstep.prover.encode import lowering as lower
from isarstep.prover.encode.definitions import definitions
from isarstep.prover.encode.formula import BOOL, CannotEncode
from isarstep.prover.encode.lowering import Closure, Definition, Lowering, argument_types, type_text
from isarstep.prover.outcomes.likeness import likeness, simplified

NAT, LIST = Type("Nat.nat"), Type("List.list", (Type("Nat.nat"),))
LENGTH_REV = lemma("length_rev", "(= (length (rev xs)) (length xs))", {})
REV_REV, REV_APPEND = (lemma(name, *FACTS[name]) for name in ("rev_rev", "rev_append"))
ABOUT_LENGTH = local(["(= (length ys) n)"], {"ys": "(list nat)"})


def names(facts: list[Named], problem: list[Term], limit: int) -> list[str]:
    return [each.name for each in monomorphise(facts, problem, SIGNATURE, limit)]


def test_what_the_first_round_found_is_not_pushed_out_by_the_second() -> None:
    """`rev` is at a type of the problem only after the fact about its length has been taken there."""
    assert names([REV_REV, LENGTH_REV], ABOUT_LENGTH, 9) == ["rev_rev", "length_rev"]
    assert names([REV_REV, LENGTH_REV], ABOUT_LENGTH, 1) == ["length_rev"]
    assert names([REV_REV, REV_APPEND, LENGTH_REV], ABOUT_LENGTH, 9) == ["rev_rev", "rev_append", "length_rev"]
    assert names([REV_REV, REV_APPEND, LENGTH_REV], ABOUT_LENGTH, 2) == ["rev_rev", "length_rev"]


def test_a_constant_that_is_there_decides_the_type() -> None:
    """`rev` is at lists of numbers only, so the fact is not taken at lists of truth values, where `length` is."""
    problem = local(
        ["(= (rev xs) xs)", "(= (length xs) n)", "(= (length bs) n)"], {"xs": "(list nat)", "bs": "(list bool)"}
    )
    assert len(monomorphise([LENGTH_REV], problem, SIGNATURE, 9)) == 1
    without = local(["(= (length xs) n)", "(= (length bs) n)"], {"xs": "(list nat)", "bs": "(list bool)"})
    assert len(monomorphise([LENGTH_REV], without, SIGNATURE, 9)) == 2


A, B = TVar("'a", 0, ("HOL.type",)), TVar("'b", 0, ("HOL.type",))


def about(*constants: Const) -> Term:
    """A proposition that says something of these, in this order, whatever it is."""
    prop: Term = Const("nothing", PROP)
    for constant in reversed(constants):
        assert constant.type is not None
        prop = App(App(Const("HOL.implies", fun(constant.type, fun(PROP, PROP))), constant), prop)
    return prop


def test_three_facts_lead_from_one_constant_to_the_next_and_no_more() -> None:
    """Each is taken where the one before it has brought its constant; the least relevant is first in each round."""
    chain = [Named(f"{n}", about(Const(f"c{n}", A), Const(f"c{n + 1}", A))) for n in range(5)]
    assert names(chain[::-1], [about(Const("c0", NAT))], 99) == ["2", "1", "0"]
    assert names(chain, [about(Const("c0", NAT))], 99) == ["0", "1", "2"]


def test_constants_that_occur_everywhere_fix_no_type() -> None:
    """A fact that is known by `=` alone would be taken at each type of which the problem says an equation."""
    refl = lemma("refl", "(= a a)", {})
    equations = local(["(= xs ys)", "(= m n)"], {"xs": "(list nat)", "n": "nat"})
    assert names([refl], equations, 9) == []
    assert names([lemma("rev_refl", "(= (rev a) (rev a))", {})], local(["(= (rev xs) ys)"], {}), 9) == ["rev_refl"]


def test_a_type_that_is_still_open_is_none_to_take_a_fact_at() -> None:
    """An instance with type variables of its own cannot be stated, and takes the place of one that can."""
    assert names([REV_APPEND], [REV_REV.prop], 9) == []


def test_every_constant_may_fix_a_type() -> None:
    one_each = [about(*(Const(name, NAT) for name in "cde"))]
    for given in (
        [Const("c", A), Const("d", B)],
        [Const("c", A), Const("d", A), Const("e", B)],  # the second says nothing new
        [Const("c", Type("List.list", (A,))), Const("d", B), Const("e", A)],  # the first would be at a new type
        [Const("elsewhere", A), Const("d", B), Const("e", A)],
    ):
        assert names([Named("fact", about(*given))], one_each, 9) == ["fact"]
    open_type = about(Const("c", Type("List.list", (A,))), Const("d", B))
    assert names([Named("fact", open_type)], one_each, 9) == []


def test_a_fact_has_six_instances_at_most() -> None:
    types = {"a": "nat", "b": "bool", "c": "int", "d": "real", "e": "unit", "g": "num", "h": "complex"}
    problem = local([f"(= (length {name}) n)" for name in types], {n: f"(list {t})" for n, t in types.items()})
    assert len(monomorphise([LENGTH_REV], problem, SIGNATURE, 99)) == 6


def test_a_type_of_a_fact_does_not_fit_a_fixed_type_variable() -> None:
    subset = lemma("subset_refl", "(<= A A)", {"A": "(set 'a)"})
    assert names([subset], local(["(<= a b)"], {"a": "('b :: Orderings.linorder)"}), 9) == []
    assert names([subset], local(["(<= a b)"], {"a": "(set nat)"}), 9) == ["subset_refl"]
    numbers = lemma("nat_refl", "(<= a a)", {"a": "nat"})
    assert names([numbers], local(["(<= a b)"], {"a": "nat"}), 9) == ["nat_refl"]  # it has no type variables


def nested(size: int) -> Typ:
    typ: Typ = NAT
    for _ in range(size - 1):
        typ = Type("List.list", (typ,))
    return typ


def test_a_type_variable_stands_for_a_type_of_32_parts_and_for_no_larger_one() -> None:
    a = TVar("'a", 0, ("HOL.type",))
    assert match_in_sorts(a, nested(LARGEST_TYPE), {}, SIGNATURE) == {a: nested(LARGEST_TYPE)}
    assert match_in_sorts(a, nested(LARGEST_TYPE + 1), {}, SIGNATURE) is None
    assert LARGEST_TYPE == 32


def test_a_type_variable_stands_for_one_type() -> None:
    a = TVar("'a", 0, ("HOL.type",))
    assert match_in_sorts(fun(a, a), fun(NAT, NAT), {}, SIGNATURE) == {a: NAT}
    assert match_in_sorts(fun(a, a), fun(NAT, LIST), {}, SIGNATURE) is None
    assert match_in_sorts(a, NAT, {a: LIST}, SIGNATURE) is None
    assert match_in_sorts(LIST, NAT, {}, SIGNATURE) is None
    assert match_in_sorts(TFree("'b"), TFree("'c"), {}, SIGNATURE) is None


# Matching


def test_under_two_binders_a_variable_takes_what_it_is_applied_to() -> None:
    """`λx y. f y` fits `λx y. g y n`, with `f` for `λy. g y n`; not `λx y. g x y`."""
    two = Const("two", fun(fun(NAT, fun(NAT, NAT)), TRUTH_VALUE))
    g, n = Const("g", fun(NAT, fun(NAT, NAT))), Free("n", NAT)
    variable = Var("f", 0, fun(NAT, NAT))

    def under(body: Term) -> Term:
        return App(two, Abs("x", NAT, Abs("y", NAT, body)))

    matching = Matching(SIGNATURE)
    assert matching.fits(under(App(variable, Bound(0))), under(App(App(g, Bound(0)), n)))
    assert list(matching.terms.values()) == [Abs("y", NAT, App(App(g, Bound(0)), n))]
    outer = Matching(SIGNATURE)
    assert outer.fits(under(App(variable, Bound(1))), under(App(App(g, Bound(1)), n)))
    assert list(outer.terms.values()) == [Abs("x", NAT, App(App(g, Bound(0)), n))]
    assert not Matching(SIGNATURE).fits(under(App(variable, Bound(0))), under(App(App(g, Bound(1)), Bound(0))))
    both = Matching(SIGNATURE)
    swapped = Var("h", 0, fun(NAT, fun(NAT, NAT)))
    assert both.fits(under(App(App(swapped, Bound(0)), Bound(1))), under(App(App(g, Bound(1)), Bound(0))))
    assert list(both.terms.values()) == [Abs("y", NAT, Abs("x", NAT, App(App(g, Bound(0)), Bound(1))))]
    inside = Matching(SIGNATURE)
    abstracted = Abs("z", NAT, App(App(g, Bound(0)), Bound(1)))  # inside of which the bound y has another number
    functions = Var("k", 0, fun(NAT, fun(NAT, NAT)))
    assert inside.fits(under(App(functions, Bound(0))), under(abstracted))
    assert list(inside.terms.values()) == [Abs("y", NAT, abstracted)]


def test_a_function_fits_an_abstraction_under_binders_too() -> None:
    """`λx y. f x y` fits `λx. g x`: what is bound keeps its meaning when the missing binder is put there."""
    two = Const("two", fun(fun(NAT, fun(NAT, NAT)), TRUTH_VALUE))
    g = Const("g", fun(NAT, fun(NAT, NAT)))
    variable = Var("f", 0, fun(NAT, fun(NAT, NAT)))
    pattern = App(two, Abs("x", NAT, Abs("y", NAT, App(App(variable, Bound(1)), Bound(0)))))
    matching = Matching(SIGNATURE)
    assert matching.fits(pattern, App(two, Abs("x", NAT, App(g, Bound(0)))))
    assert list(matching.terms.values()) == [Abs("x", NAT, Abs("y", NAT, App(App(g, Bound(1)), Bound(0))))]


def test_constants_of_other_names_and_other_kinds_do_not_fit() -> None:
    c, d, free = Const("c", NAT), Const("d", NAT), Free("c", NAT)
    for pattern, term in ((c, d), (c, free), (free, c), (free, Free("d", NAT)), (App(Const("f"), c), c)):
        assert not Matching(SIGNATURE).fits(pattern, term)
    assert Matching(SIGNATURE).fits(free, free)
    assert not Matching(SIGNATURE).fits(Const("c"), c)  # what has no type has no instance


# Lowering


def lowering(arity: int | None = None, arithmetic: bool = False) -> Lowering:
    """With one definition: `pair a b` is `a and b`, once it has so many arguments."""

    def build(made: Lowering, args: lower.Arguments) -> f.Formula:
        return f.Conn("and", tuple(made.lower(arg) for arg in args))

    return Lowering(lambda name, _: Definition(arity, build) if arity and name == "pair" else None, arithmetic)


PREDICATE = Const("p", fun(NAT, TRUTH_VALUE))
N = Free("n", NAT)


@pytest.mark.parametrize(
    ("term", "why"),
    [
        (App(Const("p"), N), "without types"),
        (App(PREDICATE, Free("n")), "without types"),
        (App(PREDICATE, Var("n", 0)), "without types"),
        (App(Const("All", fun(fun(NAT, TRUTH_VALUE), TRUTH_VALUE)), Abs("x", None, App(PREDICATE, Bound(0)))), "types"),
        (App(PREDICATE, Bound(0)), "a loose bound variable"),
        (N, "not a proposition"),
        (App(PREDICATE, Free("n", TVar("'a", 0, ()))), "schematic type variable"),
    ],
)
def test_what_cannot_be_stated_says_why(term: Term, why: str) -> None:
    with pytest.raises(CannotEncode, match=why):
        lowering().proposition(term)


def test_unfolding_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lower, "NODE_BUDGET", 2)
    assert lowering().proposition(App(PREDICATE, N))  # two nodes
    with pytest.raises(CannotEncode, match="too large"):
        lowering().proposition(App(PREDICATE, App(Const("s", fun(NAT, NAT)), N)))


def test_an_argument_is_put_where_it_is_bound() -> None:
    related = Const("r", fun(NAT, fun(NAT, TRUTH_VALUE)))
    m = Free("m", NAT)
    turned = Abs("x", NAT, Abs("y", NAT, App(App(related, Bound(0)), Bound(1))))
    plain = lowering().proposition(App(App(related, m), N))
    assert lowering().proposition(App(App(turned, N), m)) == plain
    # Under a binder that stays, the argument still means what it meant outside.
    inner = Abs("x", NAT, App(Const("all", fun(fun(NAT, TRUTH_VALUE), TRUTH_VALUE)), Abs("y", NAT, plain_of(related))))
    made = lowering().proposition(App(inner, N))
    assert isinstance(made, f.Ap)
    assert isinstance(made.arg, f.Lam)
    assert f.spine(made.arg.body)[1] == [f.Sym("free n : Nat.nat", f.Base("Nat.nat")), made.arg.var]


def plain_of(related: Const) -> Term:
    return App(App(related, Bound(1)), Bound(0))


def test_schematic_variables_hold_for_all_and_one_name_is_one_variable() -> None:
    related = Const("r", fun(NAT, fun(NAT, TRUTH_VALUE)))
    made = lowering().proposition(App(App(related, Var("x", 0, NAT)), Var("x", 0, NAT)))
    assert isinstance(made, f.Quant)
    assert made.kind == "forall"
    assert f.spine(made.body)[1] == [made.var, made.var]
    two = lowering().proposition(App(App(related, Var("x", 0, NAT)), Var("x", 1, NAT)))
    assert isinstance(two, f.Quant)
    assert isinstance(two.body, f.Quant)
    assert f.spine(two.body.body)[1] == [two.var, two.body.var]


def test_a_definition_with_too_few_arguments_gets_variables_for_the_rest() -> None:
    pair = Const("pair", fun(TRUTH_VALUE, fun(TRUTH_VALUE, TRUTH_VALUE)))
    p, q = Free("p", TRUTH_VALUE), Free("q", TRUTH_VALUE)
    full = lowering(2).proposition(App(App(pair, p), q))
    assert isinstance(full, f.Conn)
    both = full.args
    half = lowering(2)
    made = half.lower(Closure(App(pair, p), ()))
    assert isinstance(made, f.Lam)
    assert made.body == f.Conn("and", (both[0], made.var))
    none = lowering(2).lower(Closure(pair, ()))
    assert isinstance(none, f.Lam)
    assert isinstance(none.body, f.Lam)
    assert none.body.body == f.Conn("and", (none.var, none.body.var))


def test_a_set_is_a_predicate_whose_element_is_its_last_argument() -> None:
    of_set = Const("pair", fun(TRUTH_VALUE, Type("Set.set", (NAT,))))
    made = lowering(2).lower(Closure(App(of_set, Free("p", TRUTH_VALUE)), ()))
    assert isinstance(made, f.Lam)
    assert made.var.sort == f.Base("Nat.nat")
    assert lowering().sort(Type("Set.set", (NAT,))) == f.Fun(f.Base("Nat.nat"), BOOL)


def test_numbers_are_interpreted_only_where_arithmetic_is_asked_for() -> None:
    for name, sort in (("Int.int", f.INT), ("Real.real", f.REAL)):
        assert lowering(arithmetic=True).sort(Type(name)) == sort
        assert lowering().sort(Type(name)) == f.Base(name)
    assert lowering(arithmetic=True).sort(NAT) == f.Base("Nat.nat")


def test_functions_are_equal_where_their_values_are() -> None:
    made = lowering()
    x, y = made.fresh(BOOL), made.fresh(BOOL)
    same, other = f.Lam(x, x), f.Sym("g", f.Fun(BOOL, BOOL))
    for left, right in ((same, other), (other, same)):
        stated = made.equal(left, right)
        assert isinstance(stated, f.Quant)
        assert isinstance(stated.body, f.Eq)
        assert {stated.body.left, stated.body.right} == {stated.var, f.Ap(other, stated.var)}
    assert made.equal(other, other) == f.Eq(other, other)
    assert made.equal(y, f.Truth(True)) == made.equal(f.Truth(True), y) == y
    assert made.equal(y, f.Truth(False)) == f.neg(y)


def test_copies_never_share_binders() -> None:
    made = lowering()
    x = made.fresh(BOOL)
    term = f.Lam(x, f.Quant("forall", y := made.fresh(BOOL), f.Conn("and", (x, y))))
    copy = made.rename(term, {})
    assert isinstance(copy, f.Lam)
    assert isinstance(copy.body, f.Quant)
    assert len({x, y, copy.var, copy.body.var}) == 4
    assert copy.body.body == f.Conn("and", (copy.var, copy.body.var))
    chosen = f.Ite(x, f.Lam(y, y), f.Lam(y, f.neg(y)))
    applied = made.rename(f.Ap(chosen, x), {})
    assert applied == f.Ite(x, x, f.neg(x))


def test_of_a_union_of_an_indexed_family_the_index_is_asked_for() -> None:
    """x ∈ (⋃i∈I. F i) says that x ∈ F i for some i ∈ I; not that there is a set which is some F i. The constant is
    seen before it is lowered, when it comes as a binder's argument too."""
    made = Lowering(definitions(arithmetic=False), arithmetic=False)
    types = {"x": "nat", "F": "(fun num (set nat))", "I": "(set num)"}
    [prop] = local(["(in x (Sup (image (fn (i) (F i)) I)))"], types)
    said = made.proposition(prop)
    assert isinstance(said, f.Quant)
    assert (said.kind, said.var.sort) == ("exists", f.Base("Num.num"))
    assert isinstance(said.body, f.Conn)
    [family, member] = (Free(name, read_type(types[name])) for name in "Fx")
    applied = f.ap(made.lower(Closure(family, ())), said.var, made.lower(Closure(member, ())))
    assert said.body.args[1] == applied
    # What stands for any family is no constant's application, and is asked which set of it.
    [every] = local(["(ALL (G) (in x (Sup G)))"], {"x": "nat"})
    said = made.proposition(every)
    assert isinstance(said, f.Quant)
    assert isinstance(said.body, f.Quant)
    assert said.body.var.sort == f.Fun(f.Base("Nat.nat"), BOOL)


def test_different_types_have_different_texts() -> None:
    types = [NAT, LIST, Type("List.list", (LIST,)), TFree("'a", ("c",)), TFree("'a", ("c", "d")), fun(NAT, LIST)]
    assert len({type_text(typ) for typ in types}) == len(types)
    assert argument_types(fun(NAT, fun(LIST, PROP))) == ([NAT, LIST], PROP)
    assert argument_types(NAT) == ([], NAT)
    with pytest.raises(CannotEncode):
        argument_types(None)


# Likeness


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("(~ True)", "False", True),
        ("(~ False)", "True", True),
        ("(= P False)", "(~ P)", True),
        ("(= False P)", "(~ P)", True),
        ("(& P False)", "False", True),
        ("(| P True)", "True", True),
        ("(& P P)", "P", True),
        ("(& True True)", "True", True),
        ("(| False False)", "False", True),
        ("(& (& P Q) R)", "(& R (& Q P))", True),
        ("(| P (| Q R))", "(| (| R Q) P)", True),
        ("(f (& P Q))", "(f (& Q P))", True),
        ("(ALL (x) (~ (~ (= (f x) a))))", "(ALL (x) (= a (f x)))", True),
        ("(ALL (x) (= x a))", "(ALL (x) (= a x))", True),  # one of them can be written without its variable
        ("(ALL (x) (~ (~ (p x))))", "(ALL (x) (p x))", True),
        ("(ALL (x) (ALL (y) (= y x)))", "(ALL (x) (ALL (y) (= x y)))", True),
        ("(EX (x) (& x P))", "(EX (x) (& P x))", True),
        ("(ALL (x) (<= x a))", "(ALL (x) (<= a x))", False),
        ("(ALL (x) (= a x))", "(EX (x) (= a x))", False),
        ("(& P (| Q R))", "(& P (| R Q))", True),
        ("(& P (| Q R))", "(| P (& Q R))", False),
        ("(~ P)", "P", False),
        ("(= P True)", "(~ P)", False),
    ],
)
def test_more_trivial_equivalences(left: str, right: str, same: bool) -> None:
    assert (simplified(read(left)) == simplified(read(right))) is same


def test_a_meta_equation_is_symmetric_and_says_more_than_true() -> None:
    a, b = Free("a"), Free("b")

    def equal(left: Term, right: Term, name: str = "Pure.eq") -> Term:
        return App(App(Const(name), left), right)

    assert simplified(equal(a, b)) == simplified(equal(b, a))
    assert simplified(equal(a, a)) == equal(a, a)
    differs = equal(a, b, "HOL.not_equal")
    assert (
        simplified(differs) == simplified(equal(b, a, "HOL.not_equal")) == App(Const("HOL.Not"), equal(a, b, "HOL.eq"))
    )


def test_tokens_that_are_part_of_a_given_proposition_are_copied_and_half_a_token_is_not() -> None:
    term = read("(= x y)")
    line = encode_line(term)
    assert likeness(line, term, line, term, [f"CONST HOL.Not $ ( {line} )"]).copy
    assert not likeness(line, term, line, term, [f"{line}z"]).copy
    assert not likeness(line, term, line, term, []).copy
    spaced = likeness(line.replace(" ", "  "), term, line, term, [line])
    assert spaced.exact
    assert spaced.copy


def test_instances_are_typed_as_the_problem_is() -> None:
    [made] = monomorphise([LENGTH_REV], ABOUT_LENGTH, SIGNATURE, 9)
    assert made.prop == lemma("", "(= (length (rev xs)) (length xs))", {"xs": "(list nat)"}).prop
    assert read_type("(list nat)") == LIST
