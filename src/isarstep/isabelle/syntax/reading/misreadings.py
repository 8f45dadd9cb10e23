"""Texts that Isabelle reads as something else than most people who write them mean: refused, and said what to write.

Only variables that nobody has fixed give doubts: whoever fixes them, as a theory does, knows what the text means.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

from isarstep.isabelle.syntax.grammar.inner_tokens import InnerTokens
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.symbols import from_isabelle
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.terms import Term, Type, subterms
from isarstep.isabelle.terms.types import first_argument_type

_CONNECTIVES = {"and": "∧ or &", "or": "∨ or |", "implies": "⟶ or -->", "iff": "⟷", "xor": "≠", "divides": "dvd"}
_OPENING, _CLOSING = "([{⟦⦇", ")]}⟧⦈"  # a delimiter may have more around them: {.., <..}, (|
_SEPARATE = frozenset("∧ & ∨ | ⟶ --> ⟷ ⟹ ==> ≡ == ¬ ~ , ; . of then else in ⇒ =>".split())
_ELEMENTS = "elements of a list are xs ! i, an image is f ` A"
_CHAIN = "'and' between equations (a = b ∧ b = c), or brackets: a = b = c is (a = b) = c"
# Letters that are names of constants in textbooks and variables in Isabelle.
_LETTERS = {
    "ℂ": "a set of this context; complex numbers are a type: z :: complex",
    "ℙ": "a set of this context; that p is prime is prime p",
    "𝒫": "a constant of this context; the power set of A is Pow A",
}
ENGLISH = frozenset(("where", "such", "that", "suppose", "then"))
_NUMBERS = frozenset("abcdklmnxyz")  # letters that stand for numbers, not for statements
_JOINTS = frozenset("∧ & ∨ | ⟶ -->".split())
_IF_VARIABLE = "if a variable is meant, give its type"
_WITH_BASE = re.compile(r"([a-z]{2,})(?:_|⇩)[0-9⇩]+$")  # log_2
_LONG_ENOUGH = 4  # letters of a name that may be a constant written wrongly


class LikelyMisreading(ReadError):
    """A text that has a meaning, but probably another one than its writer thinks."""


def doubt(
    text: str, tokens: InnerTokens, term: Term, frees: Iterable[str], fixed: Container[str], language: Language
) -> LikelyMisreading | None:
    """Why the text probably means something else, if one of its variables is nobody's; the term has its types."""
    unknown = {from_isabelle(name) for name in frees if name not in fixed}
    if not unknown:
        return None
    found = (
        *_sets_with_bars(text, tokens, unknown),
        *_chained_equations(tokens, term),
        *_words(text, tokens, unknown),
        *_signs(text, tokens, unknown),
        *_behind(tokens, unknown, language),
        *_equal_statements(tokens, unknown),
        *_names(tokens, unknown, language),
    )
    return min(found, key=lambda error: error.position) if found else None


def _sets_with_bars(text: str, tokens: InnerTokens, unknown: Container[str]) -> Iterator[LikelyMisreading]:
    """`{x | P x}` is a set of one truth value."""
    texts, starts = tokens.texts, tokens.starts
    for i, word in enumerate(texts[:-1]):
        if word != "{" or texts[i + 1] not in unknown:
            continue
        inside = list(_same_depth(tokens, i + 1))
        bars = [j for j in inside if texts[j] in ("|", ":") or text[starts[j]] == "∣"]
        if bars and not any(texts[j] == "." for j in inside):
            bar = bars[0]
            yield LikelyMisreading(
                starts[bar], text[starts[bar]], "'.': the set of all x with P x is {x. P x} or {x ∈ A. P x}"
            )


def _same_depth(tokens: InnerTokens, start: int) -> Iterator[int]:
    """Tokens from here to the end of the bracket in which they are, without those of inner brackets."""
    depth = 0
    for j in range(start, len(tokens.texts)):
        word = tokens.texts[j] if tokens.kinds[j] == "delimiter" else " "
        opens, closes = word[:1] in _OPENING, word[-1:] in _CLOSING
        if closes and not opens and depth == 0:
            return
        if depth == 0 and not opens:
            yield j
        depth += opens - closes


def _chained_equations(tokens: InnerTokens, term: Term) -> Iterator[LikelyMisreading]:
    """`a = b = c` is `(a = b) = c`, and `x : xs = ys` is `(x ∈ xs) = ys`."""
    if not any(_compares_an_equation(node) for node in subterms(term)):
        return
    begins = [0, *(i + 1 for i, word in enumerate(tokens.texts) if word and word[0] in _OPENING)]
    for begin in begins:
        equation = False
        for j in _same_depth(tokens, begin):
            word = tokens.texts[j]
            if word == "=" and equation:
                yield LikelyMisreading(tokens.starts[j], "=", _CHAIN)
            equation = word in ("=", ":") or (equation and word not in _SEPARATE)


def _compares_an_equation(node: Term) -> bool:
    """Is it an equation whose left side is one between things other than truth values, or says what a set has?"""
    sides = hol.dest_binary(hol.EQ, node)
    if sides is None:
        return False
    if hol.dest_binary(hol.MEMBER, sides[0]) is not None:
        return True
    return hol.dest_binary(hol.EQ, sides[0]) is not None and first_argument_type(sides[0]) != hol.BOOL


def _words(text: str, tokens: InnerTokens, unknown: Container[str]) -> Iterator[LikelyMisreading]:
    """`P and Q` is P applied to two things; `xs[0]` is xs applied to a list."""
    kinds, texts, starts = tokens.kinds, tokens.texts, tokens.starts
    for i in range(1, len(texts) - 1):
        before = texts[i - 1]
        if kinds[i] == "name" and texts[i] in _CONNECTIVES and (before in unknown or before == ")"):
            yield LikelyMisreading(starts[i], texts[i], f"{_CONNECTIVES[texts[i]]} for '{texts[i]}'")
        if kinds[i] == "name" and texts[i] in ENGLISH and texts[i] in unknown:
            yield LikelyMisreading(
                starts[i], texts[i], "signs: a formula has no words; what holds beside it is a fact of its own"
            )
        applied = texts[i] == "[" and before in unknown and starts[i] == starts[i - 1] + len(before)
        if applied and not any(texts[j] == ":=" for j in _same_depth(tokens, i + 1)):
            yield LikelyMisreading(starts[i], "[", f"a blank if the function {before} of a list is meant; {_ELEMENTS}")


def _signs(text: str, tokens: InnerTokens, unknown: Container[str]) -> Iterator[LikelyMisreading]:
    """`x ⊥ y` is x applied to the least element, `P(A|B)` P of a disjunction, `d/dx f` a quotient."""
    kinds, texts, starts = tokens.kinds, tokens.texts, tokens.starts
    for i in range(1, len(texts) - 1):
        before, behind = texts[i - 1], texts[i + 1]
        if texts[i] == "⊥" and before in unknown and (kinds[i + 1] == "name" or behind == "("):
            yield LikelyMisreading(
                starts[i], "⊥", "a relation; ⊥ is the least element, that x and y are orthogonal is inner x y = 0"
            )
        close = text[starts[i] - 1] != " " and starts[i + 1] == starts[i] + 1
        if texts[i] == "|" and close and i > 2 and texts[i - 2] == "(" and texts[i - 3] in unknown:
            yield LikelyMisreading(
                starts[i], "|", "∨ if 'or' is meant; the probability of A under B is P (A ∩ B) / P B"
            )
        if texts[i] == "|" and before in _NUMBERS and behind in _NUMBERS and before in unknown and behind in unknown:
            yield LikelyMisreading(starts[i], "|", "∨ for 'or'; that a divides b is a dvd b")
        if texts[i] == "^" and behind == "T" and behind in unknown:
            yield LikelyMisreading(
                starts[i + 1], "T", f"a natural number; the transpose of A is transpose A; {_IF_VARIABLE}"
            )
        last = kinds[i + 1] == "delimiter" and behind not in ("(", "{", "[")
        if before in ("max", "min", "sup", "inf") and texts[i] in unknown and texts[i][0].isupper() and last:
            yield LikelyMisreading(
                starts[i - 1], before, f"{before.capitalize()} for a set; {before} has two arguments"
            )
        if texts[i] in ("≡", "==") and any(texts[j] == "mod" for j in _same_depth(tokens, i)):
            yield LikelyMisreading(
                starts[i], texts[i], "= for an equation; a congruence is [a = b] (mod n), of HOL-Number_Theory.Cong"
            )
        if texts[i] == "/" and before == "d" and len(behind) == 2 and behind[0] == "d" and behind in unknown:
            yield LikelyMisreading(starts[i - 1], f"d/{behind}", "a function: the derivative of f at x is deriv f x")


def _behind(tokens: InnerTokens, unknown: Container[str], language: Language) -> Iterator[LikelyMisreading]:
    """`n even` and `n is even` are n applied to something; what is said of n stands before it."""
    kinds, texts = tokens.kinds, tokens.texts
    for i in range(len(texts) - 2):
        said = i + 2 if texts[i + 1] == "is" and "is" in unknown else i + 1
        first = i == 0 or (kinds[i - 1] == "delimiter" and texts[i - 1] in _SEPARATE)
        if first and texts[i] in unknown and kinds[said] == "name" and kinds[said + 1] not in ("name", "number"):
            word = texts[said]
            known = said == i + 2 and language.constants.resolve(word) is not None
            if word == "prime" or known or _is_predicate(word, language):
                yield LikelyMisreading(
                    tokens.starts[said], word, f"{word} {texts[i]}: what is said of something stands before it"
                )


def _equal_statements(tokens: InnerTokens, unknown: Container[str]) -> Iterator[LikelyMisreading]:
    """`P ∨ Q = Q ∨ P` is `P ∨ (Q = Q) ∨ P`."""
    texts = tokens.texts
    for i in range(3, len(texts) - 3):
        left, right = texts[i - 3 : i], texts[i + 1 : i + 4]
        joined = texts[i] == "=" and left[1] in _JOINTS and right[1] in _JOINTS
        alone = (
            i == 3 or texts[i - 4] in _SEPARATE or texts[i - 4][-1:] in _OPENING
        )  # x < y ∨ x = y ∨ x > y is meant so
        if (
            joined
            and alone
            and {left[0], left[2]} == {right[0], right[2]}
            and left[0] in unknown
            and left[2] in unknown
        ):
            yield LikelyMisreading(tokens.starts[i], "=", "⟷ between statements: = binds more closely than ∧, ∨ and ⟶")


def _is_predicate(word: str, language: Language) -> bool:
    constant = language.signature.constants.get(language.constants.resolve(word) or "")
    typ = constant.type if constant is not None else None
    return type(typ) is Type and typ.name == "fun" and typ.args[1] == Type("HOL.bool")


def _names(tokens: InnerTokens, unknown: Container[str], language: Language) -> Iterator[LikelyMisreading]:
    """Variables that look like constants written wrongly: `true`, `Lenght xs`."""
    for i, name in enumerate(tokens.texts):
        if tokens.kinds[i] != "name" or name not in unknown:
            continue
        if name in _LETTERS:
            yield LikelyMisreading(tokens.starts[i], name, _LETTERS[name])
        elif name == "π" and language.constants.resolve("pi") is not None:
            yield LikelyMisreading(tokens.starts[i], name, "pi; a variable needs another name")
        elif name == "e" and tokens.texts[i + 1] == "^" and tokens.kinds[i + 2] != "number":
            yield LikelyMisreading(tokens.starts[i], name, f"exp x for a power of the number e; {_IF_VARIABLE}")
        elif (base := _WITH_BASE.match(name)) and language.constants.resolve(base[1]) is not None:
            yield LikelyMisreading(tokens.starts[i], name, f"{base[1]!r}, with its base behind it; {_IF_VARIABLE}")
        elif len(name) >= _LONG_ENOUGH and (meant := language.constants.like(name)) is not None:
            applied = tokens.kinds[i + 1] in ("name", "number") or tokens.texts[i + 1] == "("
            if applied or meant in ("True", "False"):
                yield LikelyMisreading(tokens.starts[i], name, f"{meant!r}, which is like it; {_IF_VARIABLE}")
