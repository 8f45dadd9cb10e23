"""Forms that the writer has for terms: each text is written as it stands, from the term that it was read as."""

import pytest
from tests.embedded import embedded_benchmark
from tests.isabelle.syntax.complex_main import language

from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.reading.reader import read_formula, read_type
from isarstep.isabelle.syntax.writing.print_formats import Formats
from isarstep.isabelle.syntax.writing.writer import joined, write_formula, write_type
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, TVar, Type, Var, erase, fun, list_comb

NAT, BOOL = Type("Nat.nat"), Type("HOL.bool")

KEPT = """
f ((λ(x, y). g x y) p) = z
(λ((a, b), c) d. f a b c d) = g
(λ(a, b, c). f a b c) = g
(λ(x, y). g x y) p q = z
{f x y |x y. P x y} = A
{x |x. P x} = A
{f x |x. x ∈ A ∧ P x} = B
''a b'' = s
''a!~'' = s
[x, y] = z # w # zs
{x, y} = insert z A
((x, y), z) = (a, b, c)
f 2 3 = - 2 - 1
P ⟷ x = y
x = y ⟷ P
f (x = y) = z
(P ⟷ Q) ⟷ R
TYPE(nat) = t
TYPE('a) = t
P ⟹ (⋀x. Q x)
(⋀x. P x) ⟹ Q
PROP P ⟹ Q
f x ≡ g x
P &&& Q
∀x. ∃y z. P x y z
∀x. ∀y∈A. P x y
∃!x. P x
y + (∑x∈A. f x) = z
(∑i = 1..n. f i) = (∑i<m. f i)
(⋃x∈A. B x) ∪ C = D
f -` A ∩ B = {x. P x}
(if P then x else y) + z = f (if P then x else y)
let x = y in P x
(xs @ ys) @ zs = xs @ ys @ zs
a * b * c = a * (b * c)
a ^ b ^ c = (a ^ b) ^ c
(a + b)⇧2 = a⇧2
xs[i := x] ! i ! j = y
¦x¦ + y = f ¦x¦
¬ P ∧ ¬ (P ∧ Q) ∧ R
(P ∧ Q) ∧ R ∨ S
P ∧ (Q ∨ R)
(P ⟶ Q) ⟶ R ⟶ S
¬ x < y ∧ y ≤ z
A - B ∪ C = A - (B ∪ C)
(LEAST x. P x) = (THE x. P x)
f (λx. x) = g (λx y. x)
(λx. x) y = z
x mod y = 0 ∧ x dvd y * z
f ─a→ L
{a<..<b} = {..<c}
(x, y) ∈ r⇧*
(x, y) ∈ r¯
""".strip().split("\n")


@pytest.mark.parametrize("text", KEPT)
def test_written_as_it_stands(text: str) -> None:
    term = canonical(read_formula(text, language()).term, language())
    assert write_formula(term, language()) == text


def written(term: Term, **how: object) -> str:
    return write_formula(term, language(), prop=False, **how)  # type: ignore[arg-type]


TWO = App(Const("Num.numeral_class.numeral"), App(Const("Num.num.Bit0"), Const("Num.num.One")))


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (App(TWO, Free("x")), "2 x"),
        (App(Free("f"), App(TWO, Free("x"))), "f (2 x)"),
        (App(Const("Num.numeral_class.numeral"), Const("Num.num.One")), "numeral Num.One"),
        (Const("Num.numeral_class.numeral"), "numeral"),
        (list_comb(Const("HOL.eq"), [App(Const("HOL.Trueprop"), Free("P")), Free("x")]), "Trueprop P = x"),
        (Const("HOL.Trueprop"), "Trueprop"),
        (list_comb(Const("Groups.plus_class.plus"), [Free("x"), Free("y"), Free("z")]), "(x + y) z"),
        (App(Const("Groups.plus_class.plus"), Free("x")), "(+) x"),
        (Const("Groups.plus_class.plus"), "(+)"),
        (App(Const("HOL.All"), Free("P")), "All P"),
        (App(Const("HOL.All"), App(Const("Product_Type.prod.case_prod"), Free("f"))), "All (case_prod f)"),
        (list_comb(Const("Set.insert"), [Free("x"), Free("A"), Free("y")]), "insert x A y"),
        (App(Const("List.list.Cons"), Free("x")), "(#) x"),
        (Var("x", 2), "?x.2"),
        (Var("x"), "?x"),
        (Var("x1"), "?x1.0"),
        (Var("<V1>"), "?<V1>"),
        (Abs("uu_", None, Bound(0)), "λx. x"),
        (Abs("uu", None, Bound(0)), "λx. x"),
        (Abs("", None, Bound(0)), "λx. x"),
        (Abs("y_", None, Bound(0)), "λy. y"),
        (Abs("x1", None, App(Bound(0), Free("x1"))), "λx1'1. x1'1 x1"),
        (Abs("x", None, Abs("x", None, App(Bound(0), Bound(1)))), "λx x1. x1 x"),
    ],
)
def test_what_no_text_is_read_as_is_written_too(term: Term, text: str) -> None:
    assert written(term) == text


def test_variables_are_called_as_somebody_calls_them():
    assert written(Var("<V1>"), names={"<V1>": "n"}) == "n"
    assert written(Var("x"), names={"x": "n"}) == "?x"
    assert written(Free("<X1>"), names={"<X1>": "m"}) == "m"
    assert written(Abs("m", None, App(Bound(0), Free("<X1>"))), names={"<X1>": "m"}) == "λm1. m1 m"


def test_an_equation_of_truth_values_is_an_equivalence_by_its_type_or_by_what_stands_beside_it():
    def equation(typ: Type | None, left: Term) -> Term:
        return list_comb(Const("HOL.eq", typ and fun(typ, fun(typ, BOOL))), [left, Free("y")])

    both = list_comb(Const("HOL.conj"), [Free("P"), Free("Q")])
    assert written(equation(BOOL, Free("x"))) == "x ⟷ y"
    assert written(equation(NAT, Free("x"))) == "x = y"
    assert written(equation(None, Free("x"))) == "x = y"
    assert written(equation(None, both)) == "P ∧ Q ⟷ y"
    assert written(equation(None, App(Free("f"), both))) == "f (P ∧ Q) = y"


def test_a_string_is_written_where_every_character_can_be():
    def text(*codes: int) -> Term:
        made: Term = Const("List.list.Nil")
        for code in reversed(codes):
            bits = [Const("HOL.True" if code >> i & 1 else "HOL.False") for i in range(8)]
            made = list_comb(Const("List.list.Cons"), [list_comb(Const("String.char.Char"), bits), made])
        return made

    assert written(text(32, 126)) == "'' ~''"
    for code in (31, 127, 255, 39, 34, 92):  # a control character, one that is not ASCII, quotes, a backslash
        assert written(text(65, code)).startswith("[")
    assert written(App(Const("List.list.Cons"), Const("String.char.Char"))).startswith("(#)")


def test_types_are_given_where_they_are_asked_for():
    reading = read_formula("(2::nat) = x ∧ (λy::nat. y) = f ∧ {} = (A::nat set)", language())
    typed = write_formula(reading.term, language(), typed=True)
    assert "(2::nat) = x" in typed
    assert "(λ(y::nat). y)" in typed
    assert "({}::nat set) = A" in typed
    assert write_formula(erase(reading.term), language(), typed=True) == "2 = x ∧ (λx1. x1) = f ∧ {} = A"


@pytest.mark.parametrize(
    "text",
    ["nat list list", "(nat ⇒ nat) list", "nat ⇒ nat ⇒ nat", "(nat ⇒ nat) ⇒ nat", "nat × nat × nat",
     "(nat × nat) × nat", "(nat + nat) × nat", "nat × nat + nat", "nat set ⇒ bool", "'a itself"],
)  # fmt: skip
def test_types_are_written_as_they_stand(text: str) -> None:
    assert write_type(read_type(text, language()), language()) == text


def test_types_that_nobody_can_write_here_are_shown_all_the_same():
    assert write_type(TVar("'a", 0), language()) == "?'a"
    assert write_type(TVar("'a", 2), language()) == "?'a.2"
    assert write_type(Type("T.two", (NAT, fun(NAT, NAT))), language()) == "(nat, nat ⇒ nat) T.two"
    assert write_type(Type("T.one", (fun(NAT, NAT),)), language()) == "(nat ⇒ nat) T.one"
    assert write_type(Type("fun", (NAT,)), language()) == "nat fun"


@pytest.mark.parametrize(
    ("pieces", "text"),
    [(["a", "b"], "a b"), (["a", " b"], "a b"), (["<", "="], "< ="), (["-", "x"], "-x"), (["x", "-"], "x-"),
     (["", "a"], "a"), (["a", "", "b"], "a b"), (["∀", "x"], "∀x"), ([".", "."], ". ."), (["(", "-"], "(-"),
     (["σ", "x"], "σ x"), (["λ", "x"], "λx"), (["τ.", "x"], "τ. x"), (["τ.", "(x)"], "τ.(x)"), (["⋅.", "x"], "⋅.x")],
)  # fmt: skip
def test_a_blank_stands_between_what_would_be_read_as_one(pieces: list[str], text: str) -> None:
    assert joined(pieces) == text


def test_a_delimiter_that_a_graph_has_as_blanks_is_written() -> None:
    """Delimiters with \\<^bsup> in them were mined so."""
    power = "\\<^const>T.power"
    read = ["logic", [["logic", 75], 1, "\\<otimes>\\<^bsup>", ["logic", 0], "\\<^esup>"], power, 75, 0]
    rows = {"productions": [read], "prints": [[power, [[75], 1, 17, [0], 8], 75]]}
    [format] = Formats(Language([rows], Signature.build(()))).formats[power]
    assert format.pieces == (75, " ⊗⇗", 0, "⇖")


def test_what_would_be_read_as_another_term_is_not_written() -> None:
    """HOL-Library.OptionalSugar prints `A ⟹ B ⟹ C` as `A ∧ B ⟹ C`, for papers."""
    sugar = embedded_benchmark().theory_contexts.at("Encodability_Process_Calculi.SourceTargetRelation").language
    read = read_formula("A ⟹ B ⟹ C", sugar).term
    assert write_formula(erase(read), sugar) == "A ⟹ B ⟹ C"
    surjective = read_formula("¬ surj f", sugar).term
    assert write_formula(erase(surjective), sugar) == "¬ surj f"
