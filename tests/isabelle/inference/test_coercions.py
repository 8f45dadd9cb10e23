"""Coercive subtyping: nat -> int -> real -> complex, as declared, and only where plain inference fails."""

from dataclasses import replace

import pytest

from isarstep.isabelle.inference.annotations import without_marks
from isarstep.isabelle.inference.coercions import infer_with_coercions
from isarstep.isabelle.inference.infer import CONSTRAINT, TypingError, infer
from isarstep.isabelle.syntax.writing.sample import sample_examples, sample_signature
from isarstep.isabelle.terms.signature import Coercion
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, Typ, Type, fun, list_comb, subterms
from isarstep.isabelle.terms.tokens import decode, encode_line

NAT, INT, REAL, COMPLEX = Type("Nat.nat"), Type("Int.int"), Type("Real.real"), Type("Complex.complex")
OF_NAT, OF_INT, OF_REAL = "Nat.semiring_1_class.of_nat", "Int.ring_1_class.of_int", "Real_Vector_Spaces.of_real"

# The chain written out; the library declares it through abbreviations (`real`, `int`) that say the same.
SIGNATURE = replace(
    sample_signature(),
    coercions=tuple(
        Coercion(Const(name), fun(small, large))
        for name, small, large in (
            (OF_NAT, NAT, INT),
            (OF_NAT, NAT, REAL),
            (OF_INT, INT, REAL),
            (OF_REAL, REAL, COMPLEX),
        )
    ),
)


def pair(first: Typ, second: Typ) -> Type:
    return Type("Product_Type.prod", (first, second))


def coerced(formula: str, **context: Typ) -> str:
    line = f"CONST HOL.Trueprop $ ( {formula} )"
    typing = infer_with_coercions([decode(line)], SIGNATURE, context)
    term = typing.propositions[0]
    # what comes out is well typed without coercions, at the very same types
    assert infer([term], SIGNATURE, typing.frees).propositions[0] == term
    return encode_line(term).removeprefix("CONST HOL.Trueprop $ ( ").removesuffix(" )")


def test_the_smaller_side_is_coerced_whichever_comes_first() -> None:
    wanted = f"CONST HOL.eq $ ( CONST {OF_NAT} $ FREE n ) $ FREE x"
    assert coerced("CONST HOL.eq $ FREE n $ FREE x", n=NAT, x=REAL) == wanted
    wanted = f"CONST HOL.eq $ FREE x $ ( CONST {OF_NAT} $ FREE n )"
    assert coerced("CONST HOL.eq $ FREE x $ FREE n", n=NAT, x=REAL) == wanted


def test_chains() -> None:
    assert coerced("CONST HOL.eq $ FREE k $ FREE z", k=INT, z=COMPLEX) == (
        f"CONST HOL.eq $ ( CONST {OF_REAL} $ ( CONST {OF_INT} $ FREE k ) ) $ FREE z"
    )
    assert coerced("CONST HOL.eq $ FREE n $ FREE z", n=NAT, z=COMPLEX) == (
        f"CONST HOL.eq $ ( CONST {OF_REAL} $ ( CONST {OF_NAT} $ FREE n ) ) $ FREE z"
    )


def test_coercions_go_to_the_leaves_only_as_far_as_needed() -> None:
    assert coerced(
        "CONST HOL.eq $ ( CONST Groups.plus_class.plus $ FREE n $ FREE k ) $ FREE x", n=NAT, k=INT, x=REAL
    ) == (
        f"CONST HOL.eq $ ( CONST {OF_INT} $ ( CONST Groups.plus_class.plus $ ( CONST {OF_NAT} $ FREE n ) $ FREE k ) ) $ FREE x"
    )


def test_coercions_are_put_in_under_binders_too() -> None:
    equation = "CONST HOL.conj $ ( FREE P $ BOUND 0 ) $ ( CONST HOL.eq $ FREE n $ FREE x )"
    wanted = f"CONST HOL.conj $ ( FREE P $ BOUND 0 ) $ ( CONST HOL.eq $ ( CONST {OF_NAT} $ FREE n ) $ FREE x )"
    assert coerced(f"CONST HOL.All $ ( ABS {equation} )", n=NAT, x=REAL) == f"CONST HOL.All $ ( ABS {wanted} )"


def test_a_bound_variable_is_coerced_where_its_type_is_said() -> None:
    # ∀k::nat. x = k + (k + k), as Isabelle2025-2 reads it: the body comes before the annotation
    def plus(left: Term, right: Term) -> Term:
        return list_comb(Const("Groups.plus_class.plus"), [left, right])

    body = list_comb(Const("HOL.eq"), [Free("x"), plus(Bound(0), plus(Bound(0), Bound(0)))])
    said = App(Const(CONSTRAINT, fun(fun(NAT, Type("HOL.bool")), fun(NAT, Type("HOL.bool")))), Abs("k", None, body))
    term = App(Const("HOL.Trueprop"), App(Const("HOL.All"), said))
    [typed] = infer_with_coercions([term], SIGNATURE, {"x": REAL}).propositions
    k = f"( CONST {OF_NAT} $ BOUND 0 )"
    wanted = f"CONST Groups.plus_class.plus $ {k} $ ( CONST Groups.plus_class.plus $ {k} $ {k} )"
    line = encode_line(without_marks(typed))
    assert line == f"CONST HOL.Trueprop $ ( CONST HOL.All $ ( ABS CONST HOL.eq $ FREE x $ ( {wanted} ) ) )"


def test_a_function_is_coerced_at_its_argument_and_at_its_value() -> None:
    wanted = f"CONST HOL.eq $ FREE h $ ( ABS CONST {OF_NAT} $ ( FREE g $ ( CONST {OF_NAT} $ BOUND 0 ) ) )"
    assert coerced("CONST HOL.eq $ FREE h $ FREE g", h=fun(NAT, REAL), g=fun(INT, NAT)) == wanted


def test_what_isabelle_maps_over_pairs_and_lists_is_refused() -> None:
    with pytest.raises(TypingError, match="no coercion is read from nat × real to real × real"):
        coerced("CONST HOL.eq $ FREE x $ FREE p", x=pair(REAL, REAL), p=pair(NAT, REAL))


def test_function_arguments() -> None:
    assert coerced("CONST HOL.eq $ ( FREE f $ FREE n ) $ FREE x", f=fun(REAL, REAL), n=NAT, x=REAL) == (
        f"CONST HOL.eq $ ( FREE f $ ( CONST {OF_NAT} $ FREE n ) ) $ FREE x"
    )


def test_sorts_choose_the_target() -> None:
    # sin needs a field with a topology: the least such type above nat is real
    assert coerced("CONST HOL.eq $ ( CONST Transcendental.sin $ FREE n ) $ FREE x", n=NAT, x=REAL) == (
        f"CONST HOL.eq $ ( CONST Transcendental.sin $ ( CONST {OF_NAT} $ FREE n ) ) $ FREE x"
    )


def test_typed_coercions() -> None:
    typing = infer_with_coercions(
        [decode("CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE n $ FREE k )")], SIGNATURE, {"n": NAT, "k": INT}
    )
    assert Const(OF_NAT, fun(NAT, INT)) in list(subterms(typing.propositions[0]))


def test_there_is_no_way_down() -> None:
    with pytest.raises(TypingError, match="the function wants nat, the argument has type real"):
        infer_with_coercions(
            [decode("CONST HOL.Trueprop $ ( FREE p $ FREE x )")],
            SIGNATURE,
            {"p": fun(NAT, Type("HOL.bool")), "x": REAL},
        )
    with pytest.raises(TypingError):
        infer_with_coercions(
            [decode("CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE x $ CONST HOL.True )")], SIGNATURE, {"x": REAL}
        )


def test_what_is_well_typed_stays_as_it_is() -> None:
    for example in sample_examples()[:50]:
        props = [decode(line) for line in example.propositions()]
        assert infer_with_coercions(props, SIGNATURE) == infer(props, SIGNATURE)


def test_several_propositions_share_their_variables() -> None:
    props = [
        decode("CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE n $ ( CONST Nat.Suc $ FREE m ) )"),
        decode("CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE n $ FREE x )"),
    ]
    typing = infer_with_coercions(props, SIGNATURE, {"x": REAL})
    assert (
        encode_line(typing.propositions[1])
        == f"CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST {OF_NAT} $ FREE n ) $ FREE x )"
    )
    assert typing.frees["n"] == NAT


def test_a_coercion_of_a_theory_that_is_not_here_takes_no_other_away() -> None:
    elsewhere = Coercion(Const("Extended_Real.ereal.ereal"), fun(REAL, Type("Extended_Real.ereal")))
    signature = replace(SIGNATURE, coercions=(elsewhere, *SIGNATURE.coercions))
    line = "CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE n $ FREE x )"
    [term] = infer_with_coercions([decode(line)], signature, {"n": NAT, "x": REAL}).propositions
    assert OF_NAT in encode_line(term)
