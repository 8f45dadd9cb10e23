"""Formulas as people and theories write them, read in the language of Complex_Main."""

import pytest
from tests.isabelle.syntax.complex_main import INDEXED_OPERATION, language

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import TypingError
from isarstep.isabelle.syntax.grammar.language import Language, usual_notation
from isarstep.isabelle.syntax.grammar.name_resolution import NameSpace, accesses
from isarstep.isabelle.syntax.grammar.symbols import from_isabelle, normal, to_isabelle
from isarstep.isabelle.syntax.reading.reader import read_formula, read_type
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.terms import Abs, Free, TFree, Type, frees, subterms
from isarstep.isabelle.terms.tokens import encode_line

NAT, INT, REAL = Type("Nat.nat"), Type("Int.int"), Type("Real.real")

# Text, and its tokens with the first parts of names left out.
READINGS = [
    ("length xs = n", "eq $ ( length $ xs ) $ n"),
    ("(a::int) dvd b", "dvd $ a $ b"),
    ("(f o g) x = f (g x)", "eq $ ( comp $ f $ g $ x ) $ ( f $ ( g $ x ) )"),
    ("(x::nat) < x + 1", "less $ x $ ( plus $ x $ one )"),
    ("\\<forall>x. x \\<in> A", "All $ ( ABS member $ BOUND 0 $ A )"),
    ("ALL x:A. P x & Q | R", "Ball $ A $ ( ABS disj $ ( conj $ ( P $ BOUND 0 ) $ Q ) $ R )"),
    ("(x::real)² = x⇧2", "eq $ ( power2 $ x ) $ ( power2 $ x )"),
    ("¦x¦ ≤ (1::real)", "less_eq $ ( abs $ x ) $ one"),
    ("A Un B = C", "eq $ ( union $ A $ B ) $ C"),
    ("EX! x. P x", "Ex1 $ ( ABS P $ BOUND 0 )"),
    ("(SUM i:A. f i) = (0::nat)", "eq $ ( sum $ ( ABS f $ BOUND 0 ) $ A ) $ zero"),
    ("(SUP x∈A. f x) = (y::real)", "eq $ ( Sup $ ( image $ ( ABS f $ BOUND 0 ) $ A ) ) $ y"),
    ("∃!x∈S. P x", "Ex1 $ ( ABS conj $ ( member $ BOUND 0 $ S ) $ ( P $ BOUND 0 ) )"),
    ("∃D⊆C. finite D", "Ex $ ( ABS conj $ ( subset_eq $ BOUND 0 $ C ) $ ( finite $ BOUND 0 ) )"),
    ("a *⇩R b = (b::complex)", "eq $ ( scaleR $ a $ b ) $ b"),
    ("P ⟶ Q", "implies $ P $ Q"),
    ("map (λ_. 0::nat) xs = ys", "eq $ ( map $ ( ABS zero ) $ xs ) $ ys"),
    ("m(k ↦ v) = m", "eq $ ( fun_upd $ m $ k $ ( Some $ v ) ) $ m"),
    ("f(x := y) = f", "eq $ ( fun_upd $ f $ x $ y ) $ f"),
    ("(case x of None ⇒ 0 | Some y ⇒ y) = (3::nat)", "eq $ ( case_option $ zero $ ( ABS BOUND 0 ) $ x ) $ ( numeral $ ( Bit1 $ One ) )"),
    ("(case n of 0 ⇒ P | Suc m ⇒ Q m)", "case_nat $ P $ ( ABS Q $ BOUND 0 ) $ n"),
    ("(case xs of [] ⇒ P | y # _ ⇒ Q y)", "case_list $ P $ ( ABS ABS Q $ BOUND 1 ) $ xs"),
    ("{f x |x. P x} = A", "eq $ ( Collect $ ( ABS Ex $ ( ABS conj $ ( eq $ BOUND 1 $ ( f $ BOUND 0 ) ) $ ( P $ BOUND 0 ) ) ) ) $ A"),
    ("{x ∈ A. P x} = A", "eq $ ( Collect $ ( ABS conj $ ( member $ BOUND 0 $ A ) $ ( P $ BOUND 0 ) ) ) $ A"),
    ("{(x, y). x = y} = r", "eq $ ( Collect $ ( case_prod $ ( ABS ABS eq $ BOUND 1 $ BOUND 0 ) ) ) $ r"),
    ("[x. x ← xs, P x] = xs", "eq $ ( concat $ ( map $ ( ABS If $ ( P $ BOUND 0 ) $ ( Cons $ BOUND 0 $ Nil ) $ Nil ) $ xs ) ) $ xs"),
    ("(let y = x in y + y) = (x::nat)", "eq $ ( Let $ x $ ( ABS plus $ BOUND 0 $ BOUND 0 ) ) $ x"),
    ("(if P then x else y) = x", "eq $ ( If $ P $ x $ y ) $ x"),
    ("inv f x = y", "eq $ ( inv $ f $ x ) $ y"),
    ("sorted (xs::nat list)", "sorted $ xs"),
    ("closed (A::real set)", "closed $ A"),
    ("(λx. x⇧2) ─a→ (L::real)", "LIM $ ( ABS power2 $ BOUND 0 ) $ a $ L"),
    ("∀ε>0. ∃n::nat. x n < (ε::real)", "All $ ( ABS implies $ ( greater $ BOUND 0 $ zero ) $ ( Ex $ ( ABS less $ ( x $ BOUND 0 ) $ BOUND 1 ) ) )"),
]  # fmt: skip


def short(term):
    words = encode_line(term).split()
    return " ".join(
        w.rpartition(".")[2] if w not in ("CONST", "FREE") else "" for w in words if w not in ("CONST", "FREE")
    )


@pytest.mark.parametrize(("text", "tokens"), READINGS)
def test_what_people_write(text, tokens):
    assert short(read_formula(text, language()).term) == f"Trueprop $ ( {tokens} )"


def test_rules_of_pure():
    assert short(read_formula("⟦A; B⟧ ⟹ C", language()).term) == short(read_formula("A ==> B ==> C", language()).term)
    assert short(read_formula("⋀x. P x ⟹ Q", language()).term).startswith("all $ ( ABS imp $ ( Trueprop $")


def test_types_come_from_the_text_and_from_the_context():
    reading = read_formula("(x::'a::ring) = y", language())
    assert reading.frees["y"] == TFree("'a", ("Rings.ring",))
    assert read_formula("x = y", language(), {"x": INT}).frees["y"] == INT
    with pytest.raises(TypingError, match="nat"):
        read_formula("(x::nat) = (y::bool)", language())


def test_names_are_resolved_as_isabelle_does():
    """Fixed variables, then constants, then free variables; a bound one hides them all."""
    assert short(read_formula("length = xs", language()).term) == "Trueprop $ ( eq $ length $ xs )"
    fixed = read_formula("length = xs", language(), {"length": NAT})
    assert {free.name for free in frees(fixed.term)} == {"length", "xs"}
    bound = read_formula("∀length. length = (xs::nat)", language())
    assert frees(bound.term) == [Free("xs", NAT)]
    assert "List.list.map" in encode_line(read_formula("list.map f xs = ys", language()).term)
    with pytest.raises(ReadError, match="constant of this context"):
        read_formula("no.such.name x", language())


def test_types():
    assert read_type("nat ⇒ (real × 'a) list set", language()).args[0] == NAT
    assert read_type("(nat, real) map", language()) == read_type("nat ⇒ real option", language())
    with pytest.raises(ReadError, match="a type of this context"):
        read_type("nats", language())


@pytest.mark.parametrize(
    ("text", "position"), [("x +", 3), ("(x = y", 6), ("∀x P x", 6), ("x = 'y", 4), ("f (x,) = y", 5), ("x ∷∷ y", 2)]
)
def test_mistakes_are_shown_where_they_are(text, position):
    with pytest.raises(ReadError) as error:
        read_formula(text, language())
    assert error.value.position == position


def test_hostile_text_ends_in_words():
    for text in ("(" * 5000, "f " * 3000 + "x", "¬ " * 4000 + "P", "x + " * 2000 + "x = x", "{" * 300):
        try:
            read_formula(text, language())
        except UserError:
            pass


def test_names_in_terms_are_plain_text():
    term = read_formula("∀x. P x y", language()).term
    assert {type(free.name) for free in frees(term)} == {str}
    assert {type(node.name) for node in subterms(term) if isinstance(node, Abs)} == {str}


def test_long_formulas():
    """As many operators as somebody may write, in both directions."""
    assert len(frees(read_formula(" + ".join(f"x{i}" for i in range(150)) + " = (0::nat)", language()).term)) == 150
    assert len(frees(read_formula(" ∧ ".join(f"P{i}" for i in range(150)), language()).term)) == 150


def test_accesses_of_a_name():
    assert accesses("A.b.c", "110") == ["c", "A.c", "b.c", "A.b.c"]
    assert accesses("A.loc.c", "100") == ["loc.c", "A.loc.c"]
    space = NameSpace(["A.c", "B.c", "B.loc.x"])
    space.optional["B.loc.x"] = "100"
    assert (space.resolve("c"), space.resolve("A.c"), space.resolve("x"), space.resolve("loc.x")) == (
        "B.c",
        "A.c",
        None,
        "B.loc.x",
    )
    space = NameSpace(["A.c", "B.c"])
    space.hidden["B.c"] = True
    assert (space.resolve("c"), space.shortest("B.c"), space.shortest("A.c")) == ("A.c", "B.c", "c")


def test_symbols():
    assert normal("x₁² \\<le> \\<Gamma>") == "x⇩1⇧2 ≤ Γ"
    assert to_isabelle(from_isabelle("\\<forall>x\\<^sub>1. \\<unknown>")) == "\\<forall>x\\<^sub>1. \\<unknown>"


def test_notation_that_theories_switch_on_for_a_while():
    assert short(read_formula("x ⊓ y = (y::nat set) ⊓ x", language()).term).startswith(
        "Trueprop $ ( eq $ ( inf $ x $ y )"
    )
    assert "rel_fun" in short(read_formula("(A ===> (=)) f g", language()).term)


def test_types_choose_among_constants_of_the_same_name():
    """`real` is a type and a function, `List.length` has hidden rivals in some theories; the last one that has a type."""
    more = Language([*usual_notation().values()], language().signature)
    more.constants.declare("Nat.Suc.length")
    assert "List.length" in encode_line(read_formula("length (xs::nat list) = 0", more).term)


def test_inside_a_locale():
    """Notation of its parameters and constants, its constants applied to the parameters, the structure left out."""
    groups = {
        "name": "Group.group",
        "parameters": [["G", "'a"], ["f", "(fun 'a 'a)"]],
        "structures": ["G"],
        "constants": [["local.double", "CONST Fun.comp $ FREE f $ FREE f"]],
        "productions": [
            ["logic", [["any", 71], 1, "\\<odot>", 1, ["any", 70]], "\\<^const>local.double", 70, 1],
            ["logic", ["sq", 1, ["any", 1000]], "\\<^fixed>f", 999, 1],
            *INDEXED_OPERATION["productions"],
        ],
        "rules": INDEXED_OPERATION["rules"],
    }
    outside = Language([*usual_notation().values(), {"locales": [groups]}], language().signature)
    inside = outside.inside("Group.group")
    fixed = {"f": Type("fun", (NAT, NAT)), "G": NAT}
    assert (
        short(read_formula("double x = sq x", inside, fixed).term)
        == "Trueprop $ ( eq $ ( comp $ f $ f $ x ) $ ( f $ x ) )"
    )
    assert short(read_formula("A \\<oplus> x = B", inside, fixed).term) == "Trueprop $ ( eq $ ( insert $ G $ A ) $ B )"
    with pytest.raises(ReadError):
        read_formula("A \\<oplus> x = B", outside, {"f": fixed["f"]})
    assert short(read_formula("A \\<oplus> x = B", outside, fixed).term) == "Trueprop $ ( eq $ ( insert $ G $ A ) $ B )"
    # Nobody has said that we are in the locale, but its parameters are fixed.
    assert short(read_formula("double x = y", outside, fixed).term) == "Trueprop $ ( eq $ ( comp $ f $ f $ x ) $ y )"
