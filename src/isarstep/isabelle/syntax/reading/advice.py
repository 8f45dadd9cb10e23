"""What to tell somebody who writes as textbooks do: a hint for a mistake, by what stands where reading stopped."""

from __future__ import annotations

import re
from collections.abc import Callable

from isarstep.isabelle.inference.annotations import without_marks
from isarstep.isabelle.inference.infer import CONSTRAINT, TypingError
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.reading.misreadings import ENGLISH
from isarstep.isabelle.syntax.writing.writer import write_formula, write_type
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.terms import (
    App,
    Const,
    Free,
    Term,
    Typ,
    Type,
    head_name,
    instantiate,
    loose,
    strip_comb,
    subterms,
)

_CHAIN = "relations do not chain: write a < b ∧ b < c"
_IMPLIES = "implication is ⟶ or -->"
_PRODUCT = "a product is written a * b"
_STOP = "behind the variables of a quantifier stands a full stop: ∀x y. P x y"
_UNEQUAL = "not equal is ≠ or ~="
_INTERVAL = "intervals are {a..b}, {a<..<b}, {a<..b}, {a..<b}"
_LIMIT = "a limit is X ⇢ L or \\<longlonglongrightarrow>"
_BAR = "¦x¦ or abs x is an absolute value, card A a size, a dvd b is 'divides', {x. P x} a set"

# Commands of LaTeX that are not called as Isabelle's symbols are, and some that are.
_LATEX = {
    "in": "∈", "notin": "∉", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "cup": "∪",
    "cap": "∩", "subseteq": "⊆", "subset": "⊂", "setminus": "-", "emptyset": "{}", "times": "×", "cdot": "*",
    "frac": "a / b", "sqrt": "sqrt x", "sum": "(∑i=1..n. f i)", "prod": "(∏i=1..n. f i)", "land": "∧", "wedge": "∧",
    "lor": "∨", "vee": "∨", "neg": "¬", "lnot": "¬", "to": "⟶", "rightarrow": "⟶", "implies": "⟶", "Rightarrow": "⟶",
    "iff": "⟷", "mid": "dvd", "forall": "∀", "exists": "∃", "lambda": "λ", "mathbb": "ℕ, ℤ, ℚ or ℝ", "lim": "X ⇢ L",
    "pi": "pi", "infty": "∞",
}  # fmt: skip

# Where the text looks like this, whatever the reader stumbled over in it.
_BY_TEXT = [
    (re.compile(pattern), hint)
    for pattern, hint in (
        (r"!=|<>|=/=|=!=", _UNEQUAL),
        (r"\s(and|or)\s", "'and' is ∧ or &, 'or' is ∨ or |"),
        (r"[∑∏]\s*[_⇩]", "a sum from 1 to n is (∑i=1..n. f i), a product (∏i=1..n. f i)"),
        (r"→\s*∞", _LIMIT),
        (r"\bO\(", "f ∈ O(g) needs the theory HOL-Library.Landau_Symbols; O composes relations"),
        (r"\d,\d\d\d(?!\d)", "a number has no commas: 1000"),
        (r"\d\s*%", "50 percent are 50 / 100"),
        (r":=[^()]*\)\s*\w", "a function that is changed and then applied needs brackets: (f(x := y)) z"),
        (r"-\s*\w+\s*\^", "a power behind a minus sign needs brackets: -(x ^ 2) or (-x) ^ 2"),
        (r"<=>|<->", "equivalence is ⟷ or ="),
        (r"=<", "at most is ≤ or <="),
        (r"&&|\|\||/\\|\\/", "'and' is ∧ or &, 'or' is ∨ or |"),
        (r"\b(for ?all|exists|there is)\b", "'for all' is ∀ or ALL, 'exists' is ∃ or EX"),
        (r"\blambda\b", "a function is λx. t or %x. t"),
        *((rf"^[^\\]{{0,3}}\\{name}(?![a-zA-Z])", f"\\{name} is written {sign}") for name, sign in _LATEX.items()),
        (
            r"\\(?![<\s])\w+",
            "symbols are characters, such as ∀ and α, or \\<forall> and \\<alpha>; a function is λx. t",
        ),
        (r"\\", "A without B is A - B; a function is λx. t"),
        (r"\(op\b", "an operator as a function is (+)"),
        (r"\w!", "the factorial of n is fact n"),
        (r"[∀∃][^.]*,|∃!?[^.]*,|[∀∃]!?\s*\w+\s*[∀∃]", _STOP),
        (r"[∀∃]\s*\w+\s+[\w\s]*∈", "each variable has its own set: ∀x∈A. ∀y∈A. P x y"),
        (r"[¬~∧&∨|⟶⟷=]\s*[∀∃]", "a quantifier behind another sign needs brackets: ¬ (∀x. P x)"),
        (r"[a-z]⇧[0-9]\s*[a-z(]", "the square of a value is (f x)²"),
        (r"[(\[][^][(){}]*,[^][(){}]*[\])]", _INTERVAL),
        (r"\(\s*mod\b", "congruence is [a = b] (mod n), in theories above HOL-Number_Theory.Cong"),
        (r"\bif\b(?!.*\belse\b)", f"'if ... then ... else' needs all its parts; {_IMPLIES}"),
        (r"⇧-", "the inverse of a number is inverse x or 1 / x, of a function inv f"),
        (r"%", "the remainder is a mod b; a function is λx. t or %x. t"),
        (r"Σ", "a sum is (∑i<n. f i)"),
        (r"\?\w+\.", "'exists' is ∃ or EX"),
        (r"ε\s*\w+\.", "some x with P x is SOME x. P x"),
        (r"^\s*'.'", "a character is CHR ''a'', a string ''abc''"),
    )
]
_BY_FOUND = {
    "→": f"{_IMPLIES}; {_LIMIT}; functions from A to B need the theory HOL-Library.FuncSet",
    "⇒": _IMPLIES,
    "=>": _IMPLIES,
    "|": _BAR,
    "¦": _BAR,
    "∣": _BAR,
    "√": "the square root of x is sqrt x",
    "∛": "the third root of x is root 3 x",
    **dict.fromkeys("⊄⊈≮≰≯≱", "what does not hold is written ¬ A ⊆ B, ¬ x < y"),
    "ᶜ": "the complement of A is - A",
    "△": "the symmetric difference is (A - B) ∪ (B - A)",
    "⟨": "the inner product of x and y is inner x y, in theories above HOL-Analysis; a pair is (x, y)",
    "·": _PRODUCT,
    "⋅": _PRODUCT,
    "∙": _PRODUCT,
    "∫": "integrals need the theory HOL-Analysis.Analysis: integral S f",
    "±": "write both cases, one with + and one with -",
    "∞": "infinity needs the theory HOL-Library.Extended_Real or Extended_Nat",
    "‖": "the norm of x is norm x",
    "∤": "'does not divide' is ¬ a dvd b",
    "⊢": "what follows from A is written A ⟹ B",
    "⊨": "what follows from A is written A ⟹ B",
    '"': "a string is ''abc''",
    "...": "the numbers from 1 to n are {1..n}",
    "…": "the numbers from 1 to n are {1..n}",
    "∖": "A without B is A - B",
    "_": "_ stands for a variable behind a binder only",
}
_RELATIONS = frozenset(("<", "≤", "<=", ">", "≥", ">=", "≠", "~=", "⊆", "⊂", "∈", "∉", "dvd"))


def advised(text: str, error: ReadError) -> ReadError:
    """The error with a hint, where what stands there is known from textbooks."""
    position, found = _written(text, error)
    around = text[max(0, position - 3) :]
    by_found = _BY_FOUND.get(found or "")
    hints = (_by_text(around), by_found, _by_text(text), _CHAIN if found in _RELATIONS else None)
    hint = next((hint for hint in hints if hint is not None), None)
    return ReadError(position, found, error.expected if hint is None else f"{error.expected}; {hint}")


def _by_text(text: str) -> str | None:
    return next((hint for pattern, hint in _BY_TEXT if pattern.search(text)), None)


def _written(text: str, error: ReadError) -> tuple[int, str | None]:
    """Where and what the mistake is in the text, where the error speaks of what a sign stands for or of no place."""
    position, found = error.position, error.found
    if found == "..." and found not in text:
        found = "…"
    if found is not None and not text.startswith(found, position):
        place = text.find(found)
        position, found = (place, found) if place >= 0 else (position, text[position : position + 1])
    return position, found


def explained(error: TypingError, language: Language) -> TypingError:
    """The clash in notation instead of tokens, with a hint where textbooks write so."""
    where = error.application
    if where is None or error.found is None:
        return error
    argument, function = (_shown(part, language) for part in (where.arg, where.fun))
    found = write_type(error.found, language)
    if head_name(where.fun) == language.judgment:
        says = f"{argument} is no statement, but of type {found}"
    elif head_name(where.fun) == CONSTRAINT:
        says = f"{argument} has type {found}, but {write_type(error.wanted or error.found, language)} is given for it"
    elif error.wanted is None:
        says = f"{function} is no function, but is applied to {argument}"
    else:
        says = f"{argument} has type {found}, but {function} wants {write_type(error.wanted, language)}"
    missing = re.findall(r"type (\S+) does not belong to ([^;]+)", str(error))
    if missing:
        says += f" ({missing[0][0].rpartition('.')[2]} is not of class {_short(missing[0][1])})"
    hint = next((hint for applies, hint in _BY_CLASH if applies(where, error.found)), None)
    return TypingError(says if hint is None else f"{says}; {hint}", where, error.wanted, error.found)


def _short(classes: str) -> str:
    return ", ".join(name.rpartition(".")[2] for name in classes.split(", "))


def _shown(term: Term, language: Language, limit: int = 80) -> str:
    inner = without_marks(term)
    for name in "xyzuvw":  # bound variables outside of what is shown
        if not loose(inner):
            break
        inner = instantiate(inner, Free(name))
    text = write_formula(inner, language, prop=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _is(*ends: str) -> Callable[[Term], bool]:
    """Has it a constant of such a name at its head? Without names: anything."""
    return lambda term: not ends or head_name(term).rpartition(".")[2] in ends


def _alone(says: Callable[[Term], bool]) -> Callable[[Term], bool]:
    """Is it a constant without arguments of which this is said?"""
    return lambda term: type(term) is Const and says(term)


def _applied(function: Callable[[Term], bool], argument: Callable[[Term], bool] = _is()) -> Callable[[Term], bool]:
    return lambda term: type(term) is App and function(term.fun) and argument(term.arg)


_number, _arithmetic = _is("numeral", "one", "zero"), _is("plus", "minus", "times", "inverse_divide", "power", "power2")
_of_two = _is("max", "min", "sup", "inf")
_product_compared = _applied(_is("eq"), _is("Times"))
_of_a_set = _applied(_alone(_of_two), _is("insert"))  # `max {a, b}`
_one_compared = _applied(_is(), _applied(_alone(_of_two)))  # `sup A = ...`: the least upper bound of two, of one thing
_to_number, _only_let = _applied(_alone(_is()), _number), _applied(_alone(_is("Let")))
_collected, _listed = _is("sum", "prod", "Union", "Inter", "Sup", "Inf"), _is("Cons", "Nil", "Pair")
_BRACKETS = "a sum or union reaches as far as it can: put it into brackets, (∑i<n. f i) = x"
_CONVERSE = "x^-1 is the converse of a relation; the inverse of a number is inverse x or 1 / x"
_TIMES = "× is the product of sets; numbers are multiplied by *"
_POSITIVE = "r⇧+ is the transitive closure of a relation; the positive elements of A are {x ∈ A. 0 < x}"
_FUNCTION = "a (b + c) is the function a of b + c; a product is written a * b"
_POWERS = "the exponent of ^ is a natural number; others are x powr (1/2), 1 / x^2"
_WORDS = ENGLISH | {"is"}
_PROSE = "a formula has no words: what holds beside it is a fact of its own"
_BY_CLASH: list[tuple[Callable[[App, Typ], bool], str]] = [
    (lambda at, _: any(type(node) is Free and node.name in _WORDS for node in subterms(at)), _PROSE),
    (lambda at, found: _is("implies")(at.fun) and _is_function(found), _LIMIT),
    (lambda at, found: _is("disj")(at.fun) and found != Type("HOL.bool"), _BAR),
    (lambda at, _: type(at.fun) is Const and _is("Pair")(at.arg), "arguments stand one behind the other: gcd a b"),
    (
        lambda at, _: any(_of_a_set(node) for node in subterms(at)) or _one_compared(at.fun),
        "of a set it is Max A, Min A, Sup A, Inf A",
    ),
    (lambda at, _: _is("trancl")(at.fun), _POSITIVE),
    (lambda at, _: _is("image")(at.fun) and _is("converse")(at.arg), "the preimage of B under f is f -` B"),
    (lambda at, _: _is("power")(at.fun) and _is("uminus", "inverse_divide")(at.arg), _POWERS),
    (lambda at, _: type(at.fun) is App and _only_let(at.fun.arg), "what x is equal to is a fact of its own: x = 1"),
    (lambda at, found: _arithmetic(at.fun) and _is_function(found) and _is_variable(at.arg), _FUNCTION),
    (
        lambda at, _: _is("matrix_matrix_mult")(at.fun) and _is("converse")(at.arg),
        "the inverse of a matrix is matrix_inv A",
    ),
    (lambda at, _: _is("member")(at.fun) and _listed(at.arg), f"{_INTERVAL}; the elements of a list are set xs"),
    (lambda at, found: _collected(at.fun) and (_is_function(found) or _is("range", "image")(at.arg)), _BRACKETS),
    (lambda at, _: _is("power")(at.fun) and _is("insert")(at.arg), "a power is x^2 or x²"),
    (lambda at, _: _is("converse")(at.fun) or _is("converse")(at.arg), _CONVERSE),
    (lambda at, _: _is("Times")(at.fun) or _is("Times")(at.arg) or _product_compared(at.fun), _TIMES),
    (lambda at, _: _is("not")(at.arg), "'not' is ¬ or ~"),
    (lambda at, _: _number(at.fun) or (_arithmetic(at.fun) and len(strip_comb(at.fun)[1]) > 1), _PRODUCT),
    (lambda at, _: not _arithmetic(at.fun) and _to_number(at.fun) and _is_variable(at.arg), _PRODUCT),
]


def _is_variable(term: Term) -> bool:
    return type(without_marks(term)) is Free


def _is_function(typ: Typ) -> bool:
    return type(typ) is Type and typ.name == "fun"
