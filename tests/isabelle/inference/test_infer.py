"""Type inference: real propositions, most general types, sorts, contexts, abbreviations, and errors that explain."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.drawn import drawn
from tests.isabelle.syntax.naive import can_unify
from tests.isabelle.syntax.paper_examples import EVEN_A, FALSE_IMPLIES_P, VALIDATION_605, with_subalgebra
from tests.isabelle.syntax.strategies import CONSTANTS, propositions

from isarstep.isabelle.inference.infer import CONSTRAINT, Judgement, TypingError, infer, infer_context, well_formed
from isarstep.isabelle.syntax.grammar.abbreviations import expand, typed_body
from isarstep.isabelle.syntax.writing.sample import sample_examples, sample_signature
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Const,
    Free,
    Term,
    TFree,
    TVar,
    Typ,
    Type,
    Var,
    erase,
    frees,
    fun,
    rebuild,
    subterms,
)
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.type_text import parse_type, show_type
from isarstep.isabelle.terms.types import match_type

NAT, INT, REAL, BOOL = Type("Nat.nat"), Type("Int.int"), Type("Real.real"), Type("HOL.bool")
SIGNATURE = sample_signature()


def judge(tokens: str, **context: Typ) -> Judgement:
    return well_formed(tokens, SIGNATURE, context)


def test_every_sample_proposition_is_well_formed_alone_and_together() -> None:
    for example in sample_examples():
        props = [decode(line) for line in example.propositions()]
        for prop in props:
            judgement = well_formed(prop, SIGNATURE)
            assert judgement, judgement.reason
            assert judgement.term is not None
            assert erase(judgement.term) == prop
        typing = infer(props, SIGNATURE)
        assert [erase(p) for p in typing.propositions] == props
        for prop in typing.propositions:
            assert all(typing.frees[v.name] == v.type for v in frees(prop))


def test_the_papers_propositions() -> None:
    assert judge(EVEN_A)
    assert judge(FALSE_IMPLIES_P)
    signature = with_subalgebra(SIGNATURE)
    typing = infer([decode(line) for line in VALIDATION_605.values()], signature)
    assert show_type(typing.frees["<X0>"]) == "'a measure"
    assert typing.frees["<X0>"] == typing.frees["<X1>"]


@settings(max_examples=drawn(200))
@given(propositions())
def test_the_inferred_type_is_at_least_as_general(term: Term) -> None:
    typed = infer([erase(term)], SIGNATURE).propositions[0]
    assert erase(typed) == erase(term)
    found: dict[Typ, Typ] = {}
    for general, special in zip(subterms(typed), subterms(term), strict=True):
        one, other = getattr(general, "type", None), getattr(special, "type", None)
        if one is not None and other is not None:
            assert match_type(one, other, found)
    assert all(SIGNATURE.of_sort(value, getattr(variable, "sort", ())) for variable, value in found.items())


@settings(max_examples=drawn(200))
@given(propositions(), st.sampled_from(CONSTANTS), st.data())
def test_a_constant_is_accepted_exactly_where_its_type_unifies(term: Term, new: str, data: st.DataObject) -> None:
    places = sum(1 for node in subterms(term) if type(node) is Const)
    chosen = data.draw(st.integers(0, places - 1))

    def put(what: Term) -> Term:
        seen = iter(range(places))
        return rebuild(erase(term), lambda n, _d: what if type(n) is Const and next(seen) == chosen else n)

    typing = infer([put(Var("hole"))], SIGNATURE)
    hole = next(node.type for node in subterms(typing.propositions[0]) if type(node) is Var)
    assert hole is not None
    judgement = well_formed(put(Const(new)), SIGNATURE)
    assert bool(judgement) == can_unify(hole, SIGNATURE.constants[new].type, SIGNATURE), judgement.reason


def test_sorts_go_down_to_arguments_and_are_minimal() -> None:
    typing = infer([decode("CONST HOL.Trueprop $ ( CONST Orderings.ord_class.less_eq $ FREE x $ FREE y )")], SIGNATURE)
    assert typing.frees["x"] == TFree("'a", ("Orderings.ord",))
    both = infer(
        [
            decode(
                "CONST HOL.Trueprop $ ( CONST Orderings.ord_class.less_eq $ FREE x $ ( CONST Groups.plus_class.plus $ FREE x $ FREE x ) )"
            )
        ],
        SIGNATURE,
    )
    assert both.frees["x"] == TFree("'a", ("Groups.plus", "Orderings.ord"))
    plain = infer([decode("CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE x $ FREE y )")], SIGNATURE)
    assert plain.frees["x"] == TFree("'a", ("HOL.type",))


def test_a_type_outside_the_class_is_refused_and_named() -> None:
    reason = judge(
        "CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST Groups.plus_class.plus $ CONST HOL.True $ FREE x ) $ FREE y )"
    ).reason
    assert reason is not None
    assert "bool does not belong to Groups.plus" in reason
    # functions have no addition of their own here, so the sort of an argument matters too
    assert not judge("CONST HOL.Trueprop $ FREE p", p=fun(NAT, BOOL))


def test_clashes_name_the_application_and_both_types() -> None:
    with pytest.raises(TypingError) as caught:
        infer(
            [decode("CONST HOL.Trueprop $ ( CONST HOL.conj $ CONST HOL.True $ ( CONST Nat.Suc $ FREE n ) )")], SIGNATURE
        )
    error = caught.value
    assert (error.wanted, error.found) == (BOOL, NAT)
    assert error.application is not None
    assert encode_line(error.application.arg) == "CONST Nat.Suc $ FREE n"
    assert "the function wants bool, the argument has type nat" in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        ("CONST HOL.True", "it has type bool, not prop"),
        ("CONST HOL.Trueprop $ CONST No.such", "constant No.such is not in the signature"),
        ("CONST HOL.Trueprop $ BOUND 0", "BOUND 0 has no abstraction that binds it"),
        ("CONST HOL.Trueprop $ ( FREE x $ FREE x )", "contain itself"),
        ("CONST HOL.Trueprop $ ( CONST HOL.True $ FREE x )", "no function"),
        ("CONST HOL.Trueprop $", "token 3"),
        ("", "token 0"),
    ],
)
def test_reasons(tokens: str, reason: str) -> None:
    judgement = judge(tokens)
    assert not judgement
    assert reason in (judgement.reason or "")


def test_known_types_of_free_variables() -> None:
    equation = "CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE x $ FREE y )"
    judgement = judge(equation, x=NAT)
    assert judgement.term is not None
    assert frees(judgement.term) == [Free("x", NAT), Free("y", NAT)]
    assert not judge(equation, x=NAT, y=INT)
    fixed = TFree("'a", ("Orderings.ord",))
    less = "CONST HOL.Trueprop $ ( CONST Orderings.ord_class.less $ FREE x $ FREE y )"
    assert judge(less, x=fixed, y=fixed)
    assert not judge(less, x=fixed, y=TFree("'b", ("Orderings.ord",)))  # two fixed variables never become one
    assert not judge(less, x=TFree("'a", ("HOL.type",)))  # nor does a fixed variable get a smaller sort


def test_open_types_of_a_context_are_shared() -> None:
    context = infer_context([decode("CONST HOL.Trueprop $ ( CONST Set.member $ FREE x $ FREE S )")], SIGNATURE)
    assert context == {"x": TVar("'a", 0, ("HOL.type",)), "S": Type("Set.set", (TVar("'a", 0, ("HOL.type",)),))}
    assert well_formed(
        "CONST HOL.Trueprop $ ( CONST Set.member $ ( CONST Nat.Suc $ FREE x ) $ FREE S )", SIGNATURE, context
    )
    both = (
        "CONST HOL.Trueprop $ ( CONST HOL.conj $ ( CONST Set.member $ ( CONST Nat.Suc $ FREE n ) $ FREE S ) $ FREE x )"
    )
    assert not well_formed(both, SIGNATURE, context)  # S holds numbers, so x is no truth value


def test_a_type_that_was_fixed_once_is_open_for_others() -> None:
    """Unfolding an abbreviation fixes the variables of its type; a problem's open types may have the same names."""
    open_type = TVar("'q", 0, ("HOL.type",))
    suc = "CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST Nat.Suc $ FREE x ) $ FREE x )"
    assert well_formed(suc, SIGNATURE, {"x": open_type})
    infer([decode("FREE y")], SIGNATURE, wanted=open_type)
    infer([decode("FREE y")], SIGNATURE, wanted=Type("Set.set", (open_type,)))
    assert well_formed(suc, SIGNATURE, {"x": open_type})
    member = "CONST HOL.Trueprop $ ( CONST Set.member $ ( CONST Nat.Suc $ FREE n ) $ FREE S )"
    assert well_formed(member, SIGNATURE, {"S": Type("Set.set", (open_type,))})


def test_joint_inference_shares_free_but_not_schematic_variables() -> None:
    member = decode("CONST HOL.Trueprop $ ( CONST Set.member $ FREE x $ FREE S )")
    suc = decode("CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST Nat.Suc $ FREE x ) $ FREE y )")
    assert infer([member, suc], SIGNATURE).frees["S"] == Type("Set.set", (NAT,))
    with pytest.raises(TypingError):
        infer([suc, decode("CONST HOL.Trueprop $ FREE x")], SIGNATURE)
    truth = decode("CONST HOL.Trueprop $ VAR v")
    number = decode("CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST Nat.Suc $ VAR v ) $ FREE y )")
    infer([truth, number], SIGNATURE)


def test_lemmas_get_schematic_types_and_facts_fixed_ones() -> None:
    lemma = decode("CONST HOL.Trueprop $ ( CONST HOL.eq $ VAR a $ VAR a )")
    fact = decode("CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE x $ FREE x )")
    mixed = decode("CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE x $ VAR a )")
    typing = infer([lemma, fact, mixed], SIGNATURE)
    kinds = [{type(n.type) for n in subterms(p) if type(n) in (Free, Var)} for p in typing.propositions]  # type: ignore[union-attr]
    assert kinds == [{TVar}, {TFree}, {TFree}]


def test_names_of_abstractions_survive_typing() -> None:
    term = App(Const("HOL.Trueprop"), App(Const("HOL.All"), Abs("n", None, Const("HOL.True"))))
    typed = infer([term], SIGNATURE).propositions[0]
    binder = next(node for node in subterms(typed) if type(node) is Abs)
    assert binder.name == "n"
    assert binder.type == TFree("'a", ("HOL.type",))


def test_every_abbreviation_fits_its_most_general_type() -> None:
    abbreviations = [c.name for c in SIGNATURE.constants.values() if c.abbreviates is not None]
    assert len(abbreviations) > 20
    for name in abbreviations:
        typed_body(name, SIGNATURE)


def test_abbreviations_unfold_by_type() -> None:
    line = "CONST HOL.Trueprop $ ( CONST HOL.not_equal $ ( CONST Power.power_class.power2 $ FREE x ) $ ( CONST Real.real $ FREE n ) )"
    judgement = judge(line)
    assert judgement.term is not None
    unfolded = expand(judgement.term, SIGNATURE)
    assert encode_line(unfolded) == (
        "CONST HOL.Trueprop $ ( CONST HOL.Not $ ( CONST HOL.eq $ ( CONST Power.power_class.power $ FREE x $ ( CONST "
        "Num.numeral_class.numeral $ ( CONST Num.num.Bit0 $ CONST Num.num.One ) ) ) $ ( CONST "
        "Nat.semiring_1_class.of_nat $ FREE n ) ) )"
    )
    assert Const("Nat.semiring_1_class.of_nat", fun(NAT, REAL)) in list(subterms(unfolded))
    assert beta_eta_normal(unfolded) == unfolded
    again = infer([unfolded], SIGNATURE, {"x": REAL}).propositions[0]
    assert again == unfolded


def test_an_abbreviation_of_itself_is_refused() -> None:
    loop = Constant("c", BOOL, Const("d"))
    pool = Constant("d", BOOL, Const("c"))
    signature = Signature.build([loop, pool], [("HOL.bool", 0)])
    with pytest.raises(Exception, match="defined by itself"):
        typed_body("c", signature)


def test_fresh_names_avoid_those_of_the_context() -> None:
    typing = infer(
        [decode("CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE y $ FREE y )")], SIGNATURE, {"x": parse_type("'a")}
    )
    assert typing.frees["y"] == TFree("'b", ("HOL.type",))


def test_fresh_names_avoid_those_of_marks() -> None:
    """A type that is said inside one proposition is not what another leaves open."""
    anything = ("HOL.type",)
    empty = Const("List.list.Nil")
    listed = Type("List.list", (TFree("'a", anything),))
    said = App(Const(CONSTRAINT, fun(listed, listed)), empty)
    open_one, said_one = (App(Const("HOL.Trueprop"), App(App(Const("HOL.eq"), x), x)) for x in (empty, said))
    types = [
        {node.type for node in subterms(term) if type(node) is Const and node.name == "List.list.Nil"}
        for term in infer([open_one, said_one], SIGNATURE).propositions
    ]
    assert types[1] == {listed}
    assert not types[0] & types[1]
