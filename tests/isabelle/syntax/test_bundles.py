"""Notation that theories switch on for a while: what binds how closely, and to which side."""

from functools import cache

import pytest
from tests.isabelle.syntax.complex_main import language
from tests.isabelle.syntax.test_statements import nested

from isarstep.isabelle.syntax.grammar.language import Language, usual_notation
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.type_text import parse_type


@cache
def with_fcomp() -> Language:
    """Complex_Main with `∘>`, which its signature does not have."""
    known = language().signature
    fcomp = Constant("Product_Type.fcomp", parse_type("(fun (fun 'a 'b) (fun (fun 'b 'c) (fun 'a 'c)))"))
    constants = {**known.constants, fcomp.name: fcomp}
    return Language(
        usual_notation().values(), Signature(constants, known.types, known.classes, known.arities, known.coercions)
    )


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("a ⊓ b ⊓ c = d", "(eq (inf (inf a b) c) d)"),
        ("a ⊔ b ⊔ c = d", "(eq (sup (sup a b) c) d)"),
        ("a ⊔ b ⊓ c ⊔ d = e", "(eq (sup (sup a (inf b c)) d) e)"),
        ("a * b ⊓ c = d", "(eq (inf (times a b) c) d)"),
        ("(⊓) a b = (⊔) a b", "(eq (inf a b) (sup a b))"),
        ("⊥ x = ⊤ x", "(eq (bot x) (top x))"),
        ("⨅ ⨆ A = x", "(eq (Inf (Sup A)) x)"),
        ("⨆ ⨅ A = x", "(eq (Sup (Inf A)) x)"),
        ("⨅ f A = x", "(eq (Inf (f A)) x)"),
        ("(⨅x::nat∈A. ⨅y∈B. f x y) = z", "(eq (Inf (image (λx (Inf (image (λy (f x y)) B))) A)) z)"),
        ("(⨆x::nat∈A. ⨆y∈B. f x y) = z", "(eq (Sup (image (λx (Sup (image (λy (f x y)) B))) A)) z)"),
        ("(⨅x::nat. ⨅y z. f x y z) = u", "(eq (Inf (range (λx (Inf (range (λy (Inf (range (λz (f x y z)))))))))) u)"),
        ("(⨆x::nat. ⨆y z. f x y z) = u", "(eq (Sup (range (λx (Sup (range (λy (Sup (range (λz (f x y z)))))))))) u)"),
        ("(x::int) AND y AND z = u", "(eq (and x (and y z)) u)"),
        ("(x::int) OR y OR z = u", "(eq (or x (or y z)) u)"),
        ("(x::int) XOR y XOR z = u", "(eq (xor x (xor y z)) u)"),
        ("x + (y::int) AND z = u", "(eq (and (plus x y) z) u)"),
        ("(x::int) AND y OR z AND u = v", "(eq (or (and x y) (and z u)) v)"),
        ("(x::int) XOR y = NOT x ∧ (AND) x y = (OR) x ((XOR) x y)",
         "(conj (eq (xor x y) (not x)) (eq (and x y) (or x (xor x y))))"),
        ("(A ===> B ===> C) f g", "(rel_fun A (rel_fun B C) f g)"),
        ("(f ---> g ---> h) k = l", "(eq (map_fun f (map_fun g h) k) l)"),
        ("(===>) A B f g ∧ (--->) h k = l", "(conj (rel_fun A B f g) (eq (map_fun h k) l))"),
        ("r +c s +c t =o u", "(ordIso2 (csum r (csum s t)) u)"),
        ("r *c s *c t =o u", "(ordIso2 (cprod r (cprod s t)) u)"),
        ("r ^c s ^c t =o u", "(ordIso2 (cexp r (cexp s t)) u)"),
        ("r ^c s *c t +c u ≤o v", "(ordLeq3 (csum (cprod (cexp r s) t) u) v)"),
        ("(+c) r s <=o (*c) r s ∧ (^c) r s <o t", "(conj (ordLeq2 (csum r s) (cprod r s)) (ordLess2 (cexp r s) t))"),
        ("(≤o) = r ∧ (<=o) = s ∧ (<o) = t ∧ (=o) = u",
         "(conj (eq ordLeq3 r) (conj (eq ordLeq2 s) (conj (eq ordLess2 t) (eq ordIso2 u))))"),
        ("f |A ∪ B| = r", "(eq (f (card_of (union A B))) r)"),
        ("(f ∘> g ∘→ h ∘> k) x = y", "(eq (fcomp (scomp (fcomp f g) h) k x) y)"),
        ("(∘>) f g x = (∘→) h k x", "(eq (fcomp f g x) (scomp h k x))"),
    ],
)  # fmt: skip
def test_what_is_switched_on_for_a_while_is_read(text: str, term: str) -> None:
    assert nested(read_formula(text, with_fcomp()).term) == f"(Trueprop {term})"


@pytest.mark.parametrize("text", ["x = ⨅y∈A. f y", "x = ⨆y. f y", "f ⨅ A = x", "f ⊥ ⨆ A = x"])
def test_what_reaches_to_the_right_needs_brackets_behind_another_sign(text: str) -> None:
    with pytest.raises(ReadError):
        read_formula(text, language())
