"""Constants that were defined under fixed variables, read where nobody writes these."""

import pytest
from tests.isabelle.syntax.complex_main import language
from tests.isabelle.syntax.test_statements import nested

from isarstep.isabelle.inference.infer import TypingError
from isarstep.isabelle.syntax.grammar.hidden_arguments import with_hidden
from isarstep.isabelle.syntax.grammar.language import Language, usual_notation
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Type, fun

NAT, INT = Type("Nat.nat"), Type("Int.int")


def with_constant(home: str) -> Language:
    """Complex_Main and a constant `Here.step`, defined in a context that fixes f and g."""
    known = language().signature
    functions = fun(NAT, INT)
    more = Constant("Here.step", fun(functions, fun(functions, fun(NAT, INT))))
    grown = Signature({**known.constants, more.name: more}, known.types, known.classes, known.arities, known.coercions)
    made = Language(usual_notation().values(), grown)
    made.home = home
    return made


FIXED = {"n": NAT, "f": fun(NAT, INT), "g": fun(NAT, INT)}


def test_variables_are_added_where_types_ask_for_them():
    reading = read_formula("step n = step (Suc n)", with_constant("Here"), FIXED)
    assert nested(reading.term) == "(Trueprop (eq (step f g n) (step f g (Suc n))))"
    written = read_formula("step g f n = 0", with_constant("Here"), FIXED)
    assert nested(written.term) == "(Trueprop (eq (step g f n) zero))"


def test_only_of_constants_of_the_same_theory():
    with pytest.raises(TypingError):
        read_formula("step n = 0", with_constant("There"), FIXED)
    with pytest.raises(TypingError):
        read_formula("length = (3::nat)", with_constant("Here"), {"xs": Type("List.list", (NAT,))})


def test_an_abbreviation_takes_them_itself():
    hidden = {"Here.step": ("f",)}
    about = Abs("x", None, App(Const("Here.step"), Bound(0)))
    assert with_hidden(about, hidden) == App(about, Free("f"))
    applied = App(Const("Here.step"), Free("a"))  # the parameter of its locale
    assert with_hidden(applied, hidden) == App(applied, Free("f"))
    assert with_hidden(Const("Here.other"), hidden) == Const("Here.other")
