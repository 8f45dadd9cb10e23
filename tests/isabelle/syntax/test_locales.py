"""Names and operations of locales, read where nobody has said that we are in one."""

from functools import cache

import pytest
from tests.isabelle.syntax.complex_main import INDEXED_OPERATION, language
from tests.isabelle.syntax.test_statements import nested

from isarstep.isabelle.inference.infer import TypingError
from isarstep.isabelle.syntax.grammar.language import Language, usual_notation
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import Type, constants, fun

NAT, INT = Type("Nat.nat"), Type("Int.int")
TWICE = fun(NAT, NAT)

GROUP = {
    "name": "Group.group",
    "parameters": [["G", "'a"], ["f", "(fun 'a 'a)"]],
    "constants": [["local.length", "CONST Fun.comp $ FREE f $ FREE f"]],
}


@cache
def outside() -> Language:
    return Language([*usual_notation().values(), {"locales": [GROUP]}], language().signature)


def test_where_a_name_has_no_type_it_may_be_that_of_a_locale_some_of_whose_parameters_are_fixed():
    """`length` is a list's unless only the locale's, which is a function of f, has a type."""
    fixed = {"f": TWICE, "x": NAT, "xs": Type("List.list", (NAT,))}
    read = read_formula("length x = x", outside(), fixed)
    assert nested(read.term) == "(Trueprop (eq (comp f f x) x))"
    assert nested(read_formula("length xs = x", outside(), fixed).term) == "(Trueprop (eq (length xs) x))"
    with pytest.raises(TypingError):
        read_formula("length x = x", outside(), {"x": NAT})
    with pytest.raises(TypingError):
        read_formula("length x = x", language(), fixed)


def test_an_operation_without_a_structure_means_the_first_fixed_variable_that_has_its_type():
    here = Language([*usual_notation().values(), INDEXED_OPERATION], language().signature)
    sets = Type("Set.set", (NAT,))
    fixed = {"A": sets, "g": TWICE, "G": NAT, "H": NAT}
    assert nested(read_formula("A \\<oplus> x = B", here, fixed).term) == "(Trueprop (eq (insert G A) B))"
    with pytest.raises(TypingError):
        read_formula("length G = G", here, fixed)
    for without in ({"A": sets}, {"A": sets, "g": TWICE}):
        with pytest.raises(ReadError, match="the structure of an operation"):
            read_formula("A \\<oplus> x = B", here, without)
    here.home = "Here"
    assert nested(read_formula("A \\<oplus> x = B", here, fixed).term) == "(Trueprop (eq (insert G A) B))"
    with pytest.raises(ReadError, match="a constant of this context") as error:
        read_formula("A = No.thing", here, fixed)
    assert error.value.position == 4


def test_names_beside_such_an_operation_are_those_of_no_locale_as_long_as_they_have_types():
    both = Language([*usual_notation().values(), INDEXED_OPERATION, {"locales": [GROUP]}], language().signature)
    fixed = {"f": TWICE}
    read = read_formula("A \\<oplus> x = B ∧ length y = n", both, fixed).term
    assert nested(read) == "(Trueprop (conj (eq (insert f A) B) (eq (length y) n)))"


def test_a_name_beside_such_an_operation_means_the_constant_that_was_declared_last():
    known = language().signature
    later = Constant("Here.length", TWICE)
    grown = Signature(
        {**known.constants, later.name: later}, known.types, known.classes, known.arities, known.coercions
    )
    here = Language([*usual_notation().values(), INDEXED_OPERATION], grown)
    read = read_formula("A \\<oplus> x = B ∧ length y = z", here, {"G": NAT}).term
    assert "Here.length" in {each.name for each in constants(read)}


@cache
def with_constant(home: str) -> Language:
    """`Here.step`, whose locale has f, and which was defined in a context of this locale that fixes g."""
    known = language().signature
    more = Constant("Here.step", fun(TWICE, fun(fun(NAT, INT), fun(NAT, INT))))
    other = Constant("Here.pair", fun(TWICE, fun(TWICE, fun(NAT, NAT))))
    grown = Signature(
        {**known.constants, more.name: more, other.name: other},
        known.types, known.classes, known.arities, known.coercions,
    )  # fmt: skip
    locale = {
        "name": "Here.locale",
        "parameters": [["f", "(fun 'a 'a)"]],
        "constants": [
            ["local.step", "CONST Here.step $ FREE f"],
            ["local.both", "ABS CONST Here.pair $ FREE f $ FREE f $ BOUND 0"],
            ["local.it", "FREE f"],
        ],
    }
    made = Language([*usual_notation().values(), {"locales": [locale]}], grown)
    made.home = home
    return made


def test_a_constant_of_a_locale_takes_its_parameters_before_anything_else():
    here = with_constant("Here")
    assert [here.parameters_of(name) for name in ("Here.step", "Here.pair", "Fun.comp", "f")] == [1, 2, 0, 0]


def test_variables_that_nobody_writes_come_after_those_of_the_locale():
    fixed = {"n": NAT, "f": TWICE, "g": fun(NAT, INT)}
    assert nested(read_formula("step n = 0", with_constant("Here"), fixed).term) == "(Trueprop (eq (step f g n) zero))"
    with pytest.raises(TypingError):
        read_formula("step n = 0", with_constant("There"), fixed)


def locale(name: str, *parameters: str) -> dict[str, object]:
    return {
        "name": name,
        "parameters": [[parameter, "'a"] for parameter in parameters],
        "constants": [["local.it", f"CONST {name}"]],
    }


def test_of_locales_whose_parameters_are_all_fixed_the_one_with_most_comes_first_then_the_last_and_six_are_tried():
    def tried(*rows: dict[str, object]) -> list[str]:
        here = Language([{"locales": rows}], Signature.build([]))
        return [str(inside.local["local.it"]) for inside in here.locales_of({"f", "g"})]

    two, one, other, open_, bare = (
        locale("two", "f", "g"), locale("one", "f"), locale("other", "g"), locale("open", "f", "h"), locale("bare"),
    )  # fmt: skip
    assert tried(one, two, other, open_, bare) == ["Const('two')", "Const('other')", "Const('one')"]
    assert tried(*(locale(f"l{n}", "f") for n in range(8))) == [f"Const('l{n}')" for n in (7, 6, 5, 4, 3, 2)]
