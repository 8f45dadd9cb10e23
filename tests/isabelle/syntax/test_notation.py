"""Printing terms as mathematics and reading them back."""

import contextlib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.drawn import drawn
from tests.isabelle.syntax.complex_main import language
from tests.isabelle.syntax.paper_examples import EVEN_A, FALSE_IMPLIES_P, VALIDATION_605, with_subalgebra
from tests.isabelle.syntax.random_terms import Maker, pattern_of
from tests.work import at_most

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.notation import default_table, lexemes
from isarstep.isabelle.syntax.reading.named_statements import read_named
from isarstep.isabelle.syntax.writing.gallery import COUNT, gallery
from isarstep.isabelle.syntax.writing.mathml import to_mathml, translate
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_latex, to_unicode
from isarstep.isabelle.syntax.writing.sample import sample_examples, sample_signature
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, Var, constants, erase
from isarstep.isabelle.terms.tokens import decode, encode_line

NAMES = Names.of_signature(sample_signature())
BARE = Names()  # no signature: nothing but the notations is known
LANGUAGE = language()
WRITTEN = Names.of_signature(LANGUAGE.signature, language=LANGUAGE)


def read(text: str, *, prop: bool = True) -> Term:
    return read_named(text, LANGUAGE, WRITTEN, prop=prop).term


def call(name: str, *args: Term) -> Term:
    term: Term = Const(name)
    for arg in args:
        term = App(term, arg)
    return term


X, Y, P = Free("<X0>"), Free("<X1>"), Free("<X2>")
PLUS, TIMES, EQ, EX, ALL = "Groups.plus_class.plus", "Groups.times_class.times", "HOL.eq", "HOL.Ex", "HOL.All"
B0, B1 = Bound(0), Bound(1)


def function(body: Term, name: str = "") -> Term:
    return Abs(name, None, body)


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (call(TIMES, call(PLUS, X, Y), X), "(x₀ + x₁) * x₀"),
        (call(PLUS, X, call(TIMES, Y, X)), "x₀ + x₁ * x₀"),
        (call(PLUS, X, call(PLUS, Y, X)), "x₀ + (x₁ + x₀)"),
        (call(PLUS), "(+)"),
        (call(PLUS, X), "(+) x₀"),
        (call(PLUS, X, Y, P), "(x₀ + x₁) x₂"),
        (call(EX, P), "(∃) x₂"),
        (call(EX, function(App(P, B0))), "∃x. x₂ x"),
        (call(ALL, function(call(ALL, function(App(B1, B0))))), "∀g x. g x"),
        (call(EX, function(call("HOL.conj", call("Orderings.ord_class.less", X, B0), P))), "∃x>x₀. x₂"),
        (call("Set.Collect", function(call("HOL.conj", call("Set.member", B0, X), P))), "{x∈x₀. x₂}"),
        (call("Set.Collect", function(call("HOL.conj", call("Set.member", B0, B0), P))), "{A. A ∈ A ∧ x₂}"),
        (function(call("Free.c", B0)), "λx. Free.c x"),
        (call("Product_Type.prod.case_prod", function(function(App(B1, B0)))), "case_prod (λg x. g x)"),
        (call("Set.Ball", X, call("Product_Type.prod.case_prod", function(function(App(P, B1))))), "∀(x, y)∈x₀. x₂ x"),
        (call("Num.numeral_class.numeral", call("Num.num.Bit0", Const("Num.num.One"))), "2"),
        (call("Num.numeral_class.numeral", Const("Num.num.One")), "numeral One"),
        (call("Power.power_class.power2", call(PLUS, X, Y)), "(x₀ + x₁)²"),
        (call("Groups.uminus_class.uminus", call("Power.power_class.power", X, Y)), "-x₀ ^ x₁"),
        (call("Power.power_class.power", call("Groups.uminus_class.uminus", X), Y), "(-x₀) ^ x₁"),
        (call("Power.power_class.power2", call("Groups.abs_class.abs", X)), "|x₀|²"),
        (App(P, call("Groups.abs_class.abs", X)), "x₂ (|x₀|)"),
        (call(EQ, call("HOL.conj", X, Y), P), "x₀ ∧ x₁ ⟷ x₂"),
        (call(EQ, X, Y), "x₀ = x₁"),
        (call("List.list.Cons", X, call("List.list.Cons", Y, Const("List.list.Nil"))), "[x₀, x₁]"),
        (call("List.list.Cons", X, P), "x₀ # x₂"),
        (call("Set.insert", X, Const("Set.empty")), "{x₀}"),
        (call("Product_Type.Pair", X, call("Product_Type.Pair", Y, P)), "(x₀, x₁, x₂)"),
        (call("Product_Type.Pair", call("Product_Type.Pair", X, Y), P), "((x₀, x₁), x₂)"),
        (call("Fun.fun_upd", P, X, Y), "x₂(x₀ := x₁)"),
        (call("HOL.Let", X, function(call(PLUS, B0, Y))), "let x = x₀ in x + x₁"),
        (call("Group.monoid.mult", P, X, Y), "x₀ ⊗[x₂] x₁"),
        (call("Complete_Lattices.Union", X), "⋃x₀"),
        (call("Set.member", call("Complete_Lattices.Union", X), Y), "⋃x₀ ∈ x₁"),
        (call("Complete_Lattices.Union", call("Set.image", function(App(P, B0)), X)), "⋃x∈x₀. x₂ x"),
        (call("Complete_Lattices.Union", call("Set.image", P, X)), "⋃(x₂ ` x₀)"),
        (Var("x", 3), "?x.3"),
        (Var("<V7>"), "v₇"),
        (Bound(2), "b₂"),
        (Free("if"), "«if»"),
        (Const("nowhere"), "‹nowhere›"),
    ],
)  # fmt: skip
def test_printed_form(term: Term, shown: str) -> None:
    assert to_unicode(term, NAMES, prop=False) == shown


def test_trueprop_is_hidden_and_found_again() -> None:
    trueprop = call("HOL.Trueprop", X)
    for term, shown in [
        (trueprop, "x₀"),
        (X, "PROP x₀"),
        (call("Pure.imp", trueprop, App(P, X)), "x₀ ⟹ PROP (x₂ x₀)"),
        (call("Pure.imp", call("HOL.Trueprop", call("HOL.implies", X, Y)), trueprop), "x₀ ⟶ x₁ ⟹ x₀"),
        (call("Pure.eq", trueprop, Y), "Trueprop x₀ ≡ x₁"),
        (call("Pure.all", function(call("HOL.Trueprop", App(P, B0)))), "⋀x. x₂ x"),
        (call("HOL.Trueprop", call("Pure.imp", trueprop, trueprop)), "PROP (Trueprop (x₀ ⟹ x₀))"),
    ]:
        assert to_unicode(term, NAMES) == shown


def test_connectives_of_both_levels_differ() -> None:
    for meta, logical in [("Pure.imp", "HOL.implies"), ("Pure.all", "HOL.All"), ("Pure.eq", "HOL.eq")]:
        assert to_unicode(call(meta, X, Y), NAMES, prop=False) != to_unicode(call(logical, X, Y), NAMES, prop=False)


def test_bound_names_avoid_what_they_would_capture() -> None:
    term = call(EX, function(call(EQ, Bound(0), call("c.f", Free("x"), Free("y"))), "x"))
    assert to_unicode(term, NAMES, prop=False) == "∃z. z = c.f x y"
    assert to_unicode(call(EX, function(call("Nat.Suc", B0), "card")), NAMES, prop=False) == "∃x. Suc x"
    assert to_unicode(call(EX, function(call("Nat.Suc", B0), "μ")), NAMES, prop=False) == "∃μ. Suc μ"


def test_variables_as_the_user_calls_them() -> None:
    names = NAMES.with_variables({"<X0>": "n", "<V1>": "card"})
    term = call(EQ, call("Finite_Set.card", X), call(PLUS, Var("<V1>"), Y))
    assert to_unicode(term, names, prop=False) == "Finite_Set.card n = card + x₁"
    for bad in [{"<X0>": "if"}, {"<X0>": "a b"}, {"<X0>": "n", "<X1>": "n"}, {"<X0>": "x₃"}]:
        with pytest.raises(UserError):
            NAMES.with_variables(bad)


def test_shortest_unique_name() -> None:
    names = Names(["A.b.f", "C.b.f", "D.g", "E.c_class.h", "E.c.h", "f"])
    shown = {name: names.constant(name) for name in ["A.b.f", "C.b.f", "D.g", "E.c_class.h", "E.c.h", "f", "new.f"]}
    assert shown == {
        "A.b.f": "A.b.f", "C.b.f": "C.b.f", "D.g": "g", "E.c_class.h": "h", "E.c.h": "c.h", "f": "f", "new.f": "new.f",
    }  # fmt: skip


def lines() -> list[str]:
    return list(dict.fromkeys(line for example in sample_examples() for line in example.propositions()))


def lines_of_complex_main() -> list[str]:
    known = LANGUAGE.signature.constants
    return [line for line in lines() if all(each.name in known for each in constants(decode(line)))]


def test_propositions_of_the_sample_read_back() -> None:
    """Without types: which of two abbreviations `^^` is, and whether ⟷ stands between predicates, only types tell."""
    changed = []
    for line in lines_of_complex_main():
        text = to_unicode(decode(line), WRITTEN)
        if read(text) != decode(line):
            changed.append(text)
    assert len(changed) == 16
    assert all("^^" in text or "⟷ (=)" in text for text in changed)


def test_every_proposition_of_the_sample_is_valid_mathml() -> None:
    for line in lines():
        ElementTree.fromstring(to_mathml(decode(line), NAMES))


@pytest.mark.parametrize("names", [NAMES, BARE], ids=["signature", "no signature"])
def test_random_uses_of_every_notation_are_printed(names: Names) -> None:
    for seed in range(2500):
        maker = Maker(seed, default_table())
        term = maker.term(maker.random.choice([2, 4, 8, 16, 40, 80]))
        prop = seed % 3 > 0
        if seed % 5 == 0:
            ElementTree.fromstring(to_mathml(term, names, prop=prop))


def test_every_notation_is_printed_alone() -> None:
    table = default_table()
    for seed, notation in enumerate(table.notations):
        maker = Maker(seed, table)
        for _ in range(8):
            term = maker.fill(pattern_of(notation), 4, 0)
            translate(to_latex(term, NAMES))


DEEP = 50_000


def deep_terms(depth: int) -> list[Term]:
    nested: list[Term] = [X] * 9
    for i in range(depth):
        nested = [
            App(P, nested[0]),
            App(nested[1], P),
            Abs("", None, nested[2]),
            call(PLUS, X, nested[3]),
            call("List.list.Cons", X, nested[4]),
            call(EX, function(nested[5])) if i % 2 else call("HOL.Not", nested[5]),
            call("HOL.implies", nested[6], X),
            call("Set.Collect", function(call("HOL.conj", call("Set.member", B0, nested[7]), X))),
            call("Product_Type.prod.case_prod", nested[8]),
        ]
    return nested


@pytest.mark.parametrize("depth", [5_000, pytest.param(DEEP, marks=pytest.mark.slow)])
def test_depth_has_no_limit(depth: int) -> None:
    for i, term in enumerate(deep_terms(depth)):
        assert len(to_unicode(term, NAMES)) > depth, i
    for i, term in enumerate(deep_terms(5_000)):
        if i in (0, 7):
            translate(to_latex(term, NAMES))


SPELLED = "ALL x. x ~= y & x <= 0 --> (%z. z) x : A"


def test_other_spellings() -> None:
    assert read(SPELLED) == read("∀x. x ≠ y ∧ x ≤ 0 ⟶ (λz. z) x ∈ A")
    assert read("x₀ ≥ x₁") == read("x₁ ≤ x₀")
    assert read("{}", prop=False) == Const("Set.empty")


OTHERS = ["x", "x₀", "v₁", "12", "Set.image", "?x.1", "«a»", "‹b›", " ", "(", ")", "\0", "é", "."]
TEXTS = (piece for each in default_table().notations for piece in each.unicode or () if isinstance(piece, str))
PIECES = [*sorted({lexeme for piece in TEXTS for lexeme in lexemes(piece)}), *OTHERS]


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["", " "]))
@settings(max_examples=drawn(600), deadline=None)
def test_reader_raises_nothing_but_its_error(pieces: list[str], between: str) -> None:
    try:
        read(between.join(pieces))
    except UserError as error:
        assert 0 <= error.position <= len(between.join(pieces))


@given(st.text(max_size=60))
@settings(max_examples=drawn(300), deadline=None)
def test_reader_takes_any_text(text: str) -> None:
    try:
        read(text)
    except UserError as error:
        assert 0 <= error.position <= len(text)


@given(st.sampled_from(lines_of_complex_main()), st.integers(0, 10_000), st.integers(0, 10_000))
@settings(max_examples=drawn(300), deadline=None)
def test_reader_takes_damaged_propositions(line: str, cut: int, length: int) -> None:
    text = to_unicode(decode(line), WRITTEN)
    start = cut % (len(text) + 1)
    damaged = text[:start] + text[start + length % 7 :]
    try:
        term = read(damaged)
    except UserError:
        return
    again = read(to_unicode(term, WRITTEN))  # = between truth values is printed as ⟷, which is the same
    assert encode_line(again).replace("HOL.iff", "HOL.eq") == encode_line(erase(term)).replace("HOL.iff", "HOL.eq")


def hostile_texts(k: int) -> list[str]:
    """Texts of several thousand parts for k = 1000."""
    return [
        "(" * (200 * k), "()" * (20 * k), "{" * (200 * k), "«" * (200 * k), "?" * (200 * k), "x." * (100 * k),
        "9" * (200 * k), "x₀" * (100 * k), "\n" * (200 * k), "(" * (20 * k) + "x" + ")" * (20 * k), "[" * (20 * k) + "]" * (20 * k),
        "∀x. " * (4 * k), "λx. " * (4 * k) + "x", "¬" * (10 * k) + "x", "x " * (10 * k), "x + " * (6 * k) + "x",
        "x # " * (6 * k) + "x", "⋃" * (10 * k), "⋃x∈" * (4 * k) + "A", "⋃x∈" * (6 * k) + ". " * (6 * k), "|" * (10 * k),
        "if " * (10 * k), "{x. " * (6 * k) + "}" * (6 * k), "(x, " * (6 * k) + "x" + ")" * (6 * k),
        "λ" + "(x, " * (6 * k) + "x" + ")" * (6 * k) + ". x", "λ" + "(" * (6 * k) + "x" + ", x)" * (6 * k) + ". x",
        "{x∈" * (7 * k // 2) + "A" + ". P}" * (7 * k // 2), "f(x := " * (5 * k) + "y" + ")" * (5 * k),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        *(pytest.param(text, id=text[:6]) for text in hostile_texts(300)),
        *(pytest.param(text, id=f"long {text[:6]}", marks=pytest.mark.slow) for text in hostile_texts(1000)),
    ],
)
def test_reader_is_quick_on_hostile_text(text: str) -> None:
    read("x")
    with contextlib.suppress(ReadError), at_most(150 * len(text)):
        read(text)


def test_paper_examples_are_recognisable() -> None:
    names = Names.of_signature(with_subalgebra(sample_signature()))
    assert to_unicode(decode(EVEN_A), names) == "even x₀"
    assert to_unicode(decode(FALSE_IMPLIES_P), names) == "False ⟹ v₀"
    shown = [to_latex(decode(tokens), names) for tokens in VALIDATION_605.values()]
    assert shown == [
        r"\mathrm{countably\_additive}(\mathcal{A}_{x_{1}}, \mu_{x_{0}})",
        r"\mathrm{subalgebra}(x_{0}, x_{1})",
        r"\mathrm{measure\_space}(\mathcal{X}_{x_{0}}, \mathcal{A}_{x_{1}}, \mu_{x_{0}})",
        r"\sigma(\mathcal{X}_{x_{0}}, \mathcal{A}_{x_{1}})",
        r"\mathrm{positive}(\mathcal{A}_{x_{1}}, \mu_{x_{0}})",
        r"\mathrm{measure\_space}(v_{1}, v_{0}, v_{2}) \longleftrightarrow \sigma(v_{1}, v_{0}) \land "
        r"\mathrm{positive}(v_{0}, v_{2}) \land \mathrm{countably\_additive}(v_{0}, v_{2})",
    ]


def test_gallery_is_up_to_date() -> None:
    page = (Path(__file__).parents[3] / "docs" / "gallery.md").read_text("utf-8")
    assert page == gallery(), "write it anew: python -m isarstep.isabelle.syntax.writing.gallery docs/gallery.md"
    assert page.count("```latex") == COUNT


def test_latex_that_is_no_latex_is_noticed() -> None:
    for latex in [r"\unknown", "{x", "x}", "x_{1}_{2}", r"\frac{1}", "é", "x^"]:
        with pytest.raises(ValueError):  # noqa: PT011
            translate(latex)
