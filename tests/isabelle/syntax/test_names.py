"""Names that show constants and variables, and what a name means to whoever reads it."""

import pytest

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import Free, Type, Var, fun

NAT, BOOL = Type("Nat.nat"), Type("HOL.bool")
PLAIN = Names(["A.f", "A.even", r"A.\<sigma>", r"A.x\<^sub>1", "A.b.g", "C.g", "A.if", "A.x₃"])


@pytest.mark.parametrize(
    ("name", "shown"),
    [("<X3>", "x₃"), ("<X12>", "x₁₂"), ("<V3>", "«<V3>»"), ("<X03>", "«<X03>»"), ("y", "y"), ("if", "«if»"),
     ("f", "«f»"), ("x₁", "«x₁»"), ("a b", "«a b»"), ("a»b", "«a»»b»")],
)  # fmt: skip
def test_free_variables_are_shown_so_that_they_are_read_back(name: str, shown: str) -> None:
    assert PLAIN.free(name) == shown


@pytest.mark.parametrize(
    ("name", "index", "shown"),
    [("<V7>", 0, "v₇"), ("<V7>", 1, "?«<V7>».1"), ("<X7>", 0, "?«<X7>»"), ("x", 0, "?x"), ("x", 3, "?x.3"),
     ("a b", 0, "?«a b»")],
)  # fmt: skip
def test_schematic_variables_are_shown_by_number_or_with_a_question_mark(name: str, index: int, shown: str) -> None:
    assert PLAIN.schematic(name, index) == shown
    assert PLAIN.with_variables({"<V7>": "n"}).schematic("<V7>", 0) == "n"


@pytest.mark.parametrize(
    ("name", "shown"),
    [("A.f", "f"), (r"A.\<sigma>", "σ"), (r"A.x\<^sub>1", "x⇩1"), ("A.b.g", "b.g"), ("C.g", "C.g"), ("A.if", "A.if"),
     ("A.x₃", "A.x₃"), ("B.f", "B.f"), ("b.g", "‹b.g›"), ("f", "‹f›"), ("A.b c", "‹A.b c›"), ("A.f›", "‹A.f›››")],
)  # fmt: skip
def test_constants_are_shown_by_the_shortest_name_that_means_them(name: str, shown: str) -> None:
    assert PLAIN.constant(name) == shown


@pytest.mark.parametrize(
    ("text", "constant"),
    [("x₃", None), ("v₁₂", None), ("f", "A.f"), ("A.f", "A.f"), ("σ", r"A.\<sigma>"), ("g", None), ("b.g", "A.b.g"),
     ("new", None), ("if", None), ("B.new", None)],
)  # fmt: skip
def test_a_name_means_the_one_constant_that_ends_so(text: str, constant: str | None) -> None:
    assert PLAIN.constant_called(text) == constant


def test_names_that_the_user_gives_are_the_variables():
    names = PLAIN.with_variables({"<X0>": "n", "<V1>": "f", "z": "y", "<V>": "k"})
    assert [names.variable(text) for text in ("n", "f", "y", "k")] == [
        Free("<X0>"),
        Var("<V1>"),
        Free("z"),
        Free("<V>"),
    ]
    assert names.constant_called("f") is None
    assert (names.constant("A.f"), names.free("<X0>"), names.free("n")) == ("A.f", "n", "«n»")
    assert set(names.fixed) == {"n", "f", "y", "k"}
    assert [names.variable(text) for text in ("n", "f", "x₂", "x⇩2", "v⇩1⇩0", "b⇩2", "m")] == [
        Free("<X0>"), Var("<V1>"), Free("<X2>"), Free("<X2>"), Var("<V10>"), None, None,
    ]  # fmt: skip
    for wrong in ({"<X0>": "n", "<X1>": "n"}, {"<X0>": "x₃"}, {"<X0>": "if"}, {"<X0>": "a b"}):
        with pytest.raises(UserError, match=r"^variables: "):
            PLAIN.with_variables(wrong)


def test_where_uses_are_known_letters_are_variables():
    names = Names(["A.a", "A.a1", "A.ab", "A.α'"], uses={})
    assert [names.constant_called(text) for text in ("a", "a1", "ab", "α'")] == [None, None, "A.ab", None]
    assert [names.constant(name) for name in ("A.a", "A.ab")] == ["A.a", "ab"]
    assert [names.is_free_for_binding(text) for text in ("a", "a1", "ab", "new", "if", "x₁", "A.a")] == [
        True, True, False, True, False, False, False,
    ]  # fmt: skip
    assert Names(["A.a"]).constant_called("a") == "A.a"
    assert not Names(["A.a"]).is_free_for_binding("a")


def test_two_constants_of_one_readable_name_are_kept_apart():
    names = Names([r"A.\<sigma>", "A.σ"])
    assert [names.constant(name) for name in (r"A.\<sigma>", "A.σ")] == ["σ", "‹A.σ›"]
    assert names.constant_called("σ") == r"A.\<sigma>"


def test_a_constant_makes_a_truth_value_of_as_many_arguments_as_its_type_says():
    signature = Signature.build(
        [Constant("A.p", fun(NAT, fun(NAT, BOOL))), Constant("A.t", BOOL), Constant("A.f", fun(NAT, NAT))]
    )
    truths = Names.of_signature(signature).truths
    assert [truths(name) for name in ("A.p", "A.t", "A.f", "A.none")] == [2, 0, None, None]


def test_without_types_what_is_written_as_a_relation_or_connective_is_a_truth_value():
    truths = Names().truths
    assert [truths(name) for name in ("HOL.conj", "HOL.Not", "Set.member")] == [2, 1, 2]
    assert not any(map(truths, ("Pure.imp", "Groups.plus_class.plus", "Set.union")))
