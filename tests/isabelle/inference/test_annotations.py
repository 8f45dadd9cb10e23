"""What people say beyond tokens: names of bound variables, types given inside, and terms that are one up to numbers."""

from tests.isabelle.syntax.complex_main import language

from isarstep.isabelle.inference.annotations import bound_names, only_marks_typed, with_bound_names, without_marks
from isarstep.isabelle.inference.infer import CONSTRAINT
from isarstep.isabelle.syntax.grammar.abbreviations import unfolded
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_unicode
from isarstep.isabelle.terms.equality import same_term
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Type, Var, fun, list_comb
from isarstep.isabelle.terms.tokens import encode_line

NAT = Type("Nat.nat")


def test_a_function_has_the_name_that_the_first_gave_to_its_variable():
    first, second, other = Abs("x", None, Bound(0)), Abs("y", None, Bound(0)), Abs("", None, App(Free("f"), Bound(0)))
    names = bound_names([App(Free("f"), first), second, other])
    assert names == {first: "x"}
    assert repr(with_bound_names(App(Abs("", None, Bound(0)), other), names)) == repr(App(first, other))
    assert with_bound_names(second, {}) is second
    assert bound_names([App(App(Free("f"), first), Abs("z", None, Bound(1)))]) == {
        first: "x",
        Abs("z", None, Bound(1)): "z",
    }


def test_marks_keep_their_types_where_others_lose_them():
    mark = Const(CONSTRAINT, fun(NAT, NAT))
    term = Abs("x", NAT, App(App(Const("c", NAT), App(mark, Free("y", NAT))), Var("z", 1, NAT)))
    assert only_marks_typed(term) == Abs("", None, App(App(Const("c"), App(mark, Free("y"))), Var("z", 1)))


def test_marks_inside_each_other_go_together():
    mark = Const(CONSTRAINT, fun(NAT, NAT))
    assert without_marks(App(mark, App(mark, Free("x")))) == Free("x")
    assert without_marks(App(Free("f"), App(mark, Free("x")))) == App(Free("f"), Free("x"))
    plain = App(Free("f"), Free("x"))
    assert without_marks(plain) is plain


def test_terms_are_one_up_to_the_numbers_of_schematic_variables():
    assert same_term("CONST f $ VAR x $ VAR y", "CONST f $ VAR a $ VAR b.3")
    assert not same_term("CONST f $ VAR x $ VAR y", "CONST f $ VAR a $ VAR a")
    assert not same_term("CONST f $ VAR x $ VAR x", "CONST f $ VAR a $ VAR b")
    assert not same_term("CONST f $ FREE x", "CONST f $ FREE y")
    assert not same_term("CONST f $", "CONST f $")  # no term


def test_an_abbreviation_is_unfolded_without_types():
    unequal = list_comb(Const("HOL.not_equal"), [Free("x"), Free("y")])
    assert encode_line(unfolded(unequal, language().signature)) == "CONST HOL.Not $ ( CONST HOL.eq $ FREE x $ FREE y )"
    plain = App(Free("f"), Free("x"))
    assert unfolded(plain, language().signature) is plain


def test_where_all_letters_are_taken_variables_are_numbered():
    term = Bound(0)
    for _ in range(18):
        term = Abs("", None, term)  # type: ignore[assignment]
    assert to_unicode(term, Names(), prop=False) == "λx y z w u t s p q r a b c d e x15 x16 x17. x17"
    used = App(Abs("", None, Bound(0)), App(Free("x"), Free("y")))
    assert to_unicode(used, Names(), prop=False) == "(λx. x) (x y)"
    assert to_unicode(Abs("", None, App(Bound(0), Free("x"))), Names(), prop=False) == "λf. f x"
