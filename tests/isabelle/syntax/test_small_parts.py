"""Small parts of the logic on their own: what names mean, where types clash, scripts of MathML, limits of length."""

import pytest
from tests.isabelle.syntax.complex_main import language
from tests.isabelle.syntax.test_statements import nested

from isarstep.isabelle.inference.infer import IN_TEXT, _letters, _shorten
from isarstep.isabelle.syntax.grammar.abbreviations import meaning
from isarstep.isabelle.syntax.grammar.hidden_arguments import with_hidden
from isarstep.isabelle.syntax.grammar.notation import read_table
from isarstep.isabelle.syntax.grammar.parser import _MAX_READINGS, Tree, _limited, token
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.syntax.reading.syntax_code import _MAX_DIGITS
from isarstep.isabelle.syntax.reading.translation import Translator
from isarstep.isabelle.syntax.writing.mathml import _Node
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import sections
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, TFree, TVar, Type, Var, fun, same
from isarstep.isabelle.terms.type_text import show_type
from isarstep.isabelle.terms.types import match_type

NAT, INT = Type("Nat.nat"), Type("Int.int")
A = TFree("'a", ("HOL.type",))


@pytest.mark.parametrize(
    ("uses", "meant"),
    [
        ({"A.f": 11, "B.f": 0}, ["A.f"]),  # far more than ten times as often as the other and once
        ({"A.f": 10, "B.f": 0}, ["A.f", "B.f"]),
        ({"A.f": 21, "B.f": 1}, ["A.f"]),
        ({"A.f": 20, "B.f": 1}, ["A.f", "B.f"]),
        ({"B.f": 11}, ["B.f"]),
        ({}, ["A.f", "B.f"]),
        (None, ["A.f", "B.f"]),
    ],
)
def test_of_constants_that_end_alike_the_one_that_is_used_far_more_is_meant(
    uses: dict[str, int] | None, meant: list[str]
) -> None:
    assert Names(["A.f", "B.f"], uses=uses)._meanings("f") == meant


def test_constants_that_classes_make_are_not_meant() -> None:
    """`T.c.f` beside `T.c_class.f`, and `T.class.c` beside anything."""
    assert Names(["T.c.f", "T.c_class.f"])._meanings("f") == ["T.c_class.f"]
    assert Names(["T.class.f", "S.f"])._meanings("f") == ["S.f"]
    assert Names(["T.class.f"])._meanings("f") == ["T.class.f"]  # nothing else is there
    assert Names(["c.f", "S.f"])._meanings("f") == ["c.f", "S.f"]


def test_an_abbreviation_means_the_constants_of_what_it_stands_for() -> None:
    two = App(App(Const("pair"), Const("inner")), Const("plain"))
    signature = Signature.build(
        [
            Constant("outer", NAT, two),
            Constant("inner", NAT, App(Const("deep"), Const("outer"))),  # a circle ends
            Constant("deep", NAT),
            Constant("plain", NAT),
            Constant("pair", NAT),
        ]
    )
    assert meaning("outer", signature) == {"pair", "plain", "deep"}
    assert meaning("inner", signature) == {"deep", "pair", "plain"}
    assert meaning("plain", signature) == {"plain"}
    assert meaning("unknown", signature) == {"unknown"}


def test_hidden_arguments_are_put_inside_arguments_too() -> None:
    hidden = {"Here.step": ("f",)}
    inside = App(Const("g"), Const("Here.step"))
    assert with_hidden(inside, hidden) == App(Const("g"), App(Const("Here.step"), Free("f")))
    assert with_hidden(Free("x"), hidden) == Free("x")
    bound = App(App(Const("Here.step"), Free("a")), Bound(0))
    assert with_hidden(bound, hidden) == App(App(App(Const("Here.step"), Free("a")), Free("f")), Bound(0))


@pytest.mark.parametrize(
    ("pattern", "instance", "fits"),
    [
        (A, NAT, True),
        (fun(A, A), fun(NAT, NAT), True),
        (fun(A, A), fun(NAT, INT), False),
        (NAT, NAT, True),
        (NAT, INT, False),
        (NAT, A, False),
        (Type("List.list", (A,)), NAT, False),
        (Type("t", (A,)), Type("t", (A, A)), False),
        (None, NAT, False),
        (NAT, None, False),
    ],
)
def test_a_type_is_an_instance_of_another(pattern: Type | None, instance: Type | None, fits: bool) -> None:
    assert match_type(pattern, instance, {}) is fits


def test_scripts_stand_above_and_below() -> None:
    assert _Node("x").rendered() == "x"
    assert _Node("x", low="1").rendered() == "<msub>x1</msub>"
    assert _Node("x", high="2").rendered() == "<msup>x2</msup>"
    assert _Node("x", low="1", high="2").rendered() == "<msubsup>x12</msubsup>"
    assert _Node("S", limits=True, low="1").rendered() == "<munder>S1</munder>"
    assert _Node("S", limits=True, high="2").rendered() == "<mover>S2</mover>"
    assert _Node("S", limits=True, low="1", high="2").rendered() == "<munderover>S12</munderover>"


def test_what_is_longer_than_its_limit_is_cut_off() -> None:
    term = Free("x" * 15)  # twenty characters, with `FREE ` before it
    assert _shorten(term, 20) == "`FREE " + "x" * 15 + "`"
    assert _shorten(term, 19) == "`FREE " + "x" * 13 + "…`"
    assert show_type(Type("T." + "t" * 20), 20) == "t" * 20
    assert show_type(Type("T." + "t" * 21), 20) == "t" * 20 + "…"


def test_type_variables_are_lettered_as_columns_of_a_table_are() -> None:
    assert [_letters(n) for n in (0, 1, 25, 26, 27, 51, 52, 701, 702)] == [
        "'a", "'b", "'z", "'aa", "'ab", "'az", "'ba", "'zz", "'aaa",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("typ", "text"),
    [
        (fun(NAT, fun(NAT, INT)), "nat ⇒ nat ⇒ int"),
        (fun(fun(NAT, NAT), INT), "(nat ⇒ nat) ⇒ int"),
        (Type("Product_Type.prod", (NAT, Type("Product_Type.prod", (INT, NAT)))), "nat × (int × nat)"),
        (Type("Product_Type.prod", (fun(NAT, NAT), INT)), "(nat ⇒ nat) × int"),
        (Type("Sum_Type.sum", (NAT, INT)), "nat + int"),
        (Type("List.list", (fun(NAT, INT),)), "(nat ⇒ int) list"),
        (Type("List.list", (Type("Product_Type.prod", (NAT, INT)),)), "(nat × int) list"),
        (Type("M.map", (NAT, INT)), "(nat, int) map"),
        (Type("M.map", (fun(NAT, INT), INT)), "(nat ⇒ int, int) map"),
        (TVar("'a", 0), "?'a"),
        (TVar("'a", 2), "?'a2"),
        (A, "'a"),
    ],
)
def test_types_are_shown_as_people_write_them(typ: Type, text: str) -> None:
    assert show_type(typ) == text


def test_terms_are_the_same_up_to_names_of_bound_variables() -> None:
    one, other = Abs("x", NAT, App(Const("f", NAT), Bound(0))), Abs("y", NAT, App(Const("f", NAT), Bound(0)))
    assert same(one, other)
    different = [
        Abs("x", INT, App(Const("f", NAT), Bound(0))),
        Abs("x", NAT, App(Const("g", NAT), Bound(0))),
        Abs("x", NAT, App(Const("f", INT), Bound(0))),
        Abs("x", NAT, App(Const("f", NAT), Bound(1))),
        Abs("x", NAT, App(Free("f", NAT), Bound(0))),
        Abs("x", NAT, Const("f", NAT)),
        App(Const("f", NAT), Bound(0)),
    ]
    for term in different:
        assert not same(one, term)
        assert not same(term, one)
    assert not same(Var("x", 0, NAT), Var("x", 1, NAT))
    assert not same(Var("x", 0, NAT), Var("x", 0, INT))
    assert not same(Var("x", 0, NAT), Var("y", 0, NAT))
    assert not same(Free("x", NAT), Free("x", INT))
    assert not same(Free("x", NAT), Free("y", NAT))


def test_a_number_may_have_so_many_digits_and_no_more() -> None:
    assert read_formula(f"x = {'9' * _MAX_DIGITS}", language()).term is not None
    with pytest.raises(ReadError, match="digits") as error:
        read_formula(f"x = {'9' * (_MAX_DIGITS + 1)}", language())
    assert error.value.position == 4


def test_a_piece_of_text_has_so_many_readings_at_most() -> None:
    found = [(end, ("tree", n), 0) for n in range(_MAX_READINGS + 2) for end in (3, 5)]
    kept = _limited(found)
    assert [sum(each[0] == end for each in kept) for end in (3, 5)] == [_MAX_READINGS, _MAX_READINGS]
    assert kept == found[: 2 * _MAX_READINGS]


def shape(text: str) -> str:
    return nested(read_formula(text, language()).term)


@pytest.mark.parametrize("sign", ["≡", "=="])
def test_a_meta_equation_stands_between_functions_and_types_given_and_not_beside_another(sign: str) -> None:
    """It binds weaker than `λ` and `::`, stronger than `⟹`; there are no chains of it."""
    assert shape(f"λx. x {sign} f") == "(eq (λx x) f)"
    assert shape(f"f {sign} λx. x") == "(eq f (λx x))"
    assert shape(f"x :: nat {sign} y :: nat") == "(eq x y)"
    assert shape(f"a {sign} b ⟹ c {sign} d") == "(imp (eq a b) (eq c d))"
    for chain in (f"a {sign} b {sign} c", f"a {sign} b &&& c {sign} d"):
        with pytest.raises(ReadError, match="an operator or the end"):
            read_formula(chain, language())


def test_a_variable_that_counts_the_places_of_a_vector_is_of_a_finite_type() -> None:
    """Written `real^'n`; a type given with its sort, a schematic one and one without variables stay as they are."""
    finite = ("Finite_Set.finite",)

    def dimension(tree: Tree) -> tuple[object, dict[str, tuple[str, ...]]]:
        translator = Translator(language())
        made = translator.typ(("_vec_type", token("name", "real"), tree))
        assert type(made) is Type
        assert made.name == "Finite_Cartesian_Product.vec"
        assert made.args[0] == Type("Real.real")
        return made.args[1], translator.sorts

    name = token("tid", "'n")
    assert dimension(name) == (TVar("'n", IN_TEXT, finite), {"'n": finite})
    assert dimension(token("tvar", "?'n.2")) == (TVar("'n", 2), {})
    assert dimension(token("name", "nat")) == (NAT, {})
    assert dimension(("_ofsort", name, token("name", "order"))) == (
        TVar("'n", IN_TEXT, ("Orderings.order",)),
        {"'n": ("Orderings.order",)},
    )


def test_a_symbol_in_brackets_stands_for_the_constant_that_is_written_with_it_first() -> None:
    """Of plain infixes and binders: `(+)`, `(∀)`. Words in several pieces, arguments the other way round, notations of
    truth values only and prefixes have none."""
    table = read_table(
        r"""
T.plus  infixl 65  +
T.more  infixl 66  +
T.iff  infix 24 truth  ⟷  \iff
T.all  binder 10  ∀  \forall
T.every  binder 11  ∀  \forall
T.back  infix 50  #2 < #1
T.two  infix 51  #1 = #2 mod  #1 = #2 mod
T.minus  prefix 80  -/  -
T.plus  infixl 67  ++
T.named  mixfix 70  -  \named{#1}
"""
    )
    assert sections(table) == {"+": "T.plus", "∀": "T.all"}
