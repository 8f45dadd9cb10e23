"""Abbreviations as Isabelle shows them: those meant for input only are unfolded, all others folded, as in mined terms.

So what somebody types and what was mined from a theory are the same tokens: `x > y` is `less y x`, `x^2` is `power2 x`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from isarstep.common.errors import UserError
from isarstep.common.memo import memo
from isarstep.isabelle.syntax.grammar.abbreviations import expand, typed_body
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.terms.normal_forms import TooLargeError
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Term,
    Typ,
    Type,
    Var,
    head_name,
    increase,
    instantiate,
    list_comb,
    occurs_bound,
    rebuilt,
    size,
    strip_comb,
    strip_fun,
    subterms,
)
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import applied_type, instantiate_type, match_type


@dataclass(frozen=True, slots=True)
class _Abbreviation:
    name: str
    type: Typ
    pattern: Term  # what it stands for, its arguments as schematic variables
    arguments: int


def canonical(term: Term, language: Language) -> Term:
    """A typed term in the form in which it would have been mined. Raises TooLargeError where abbreviations stand for
    too much."""
    try:
        return fold(expand(term, language.signature), language)
    except TooLargeError:
        raise
    except UserError:  # an abbreviation that cannot be typed stays as it is
        return term


def fold(term: Term, language: Language) -> Term:
    """Fold abbreviations in a term without any."""
    rules = memo(language, _Abbreviations)
    if not any(type(node) is Const and rules.of(node.name) for node in subterms(term)):
        return term
    # From the outside in, as what an abbreviation stands for has no abbreviations inside.
    return rebuilt(term, lambda node: _folded(node, rules, language))


def _folded(term: Term, rules: _Abbreviations, language: Language) -> Term:
    for rule in rules.of(head_name(term)):
        arguments: dict[int, Term] = {}
        types: dict[Typ, Typ] = {}
        fits = _match(rule.pattern, term, arguments, types) and len(arguments) == rule.arguments
        if fits and all(type(v) is Type or language.signature.of_sort(typ, v.sort) for v, typ in types.items()):
            typ = instantiate_type(rule.type, types)
            values = [arguments[i] for i in range(rule.arguments)]
            if not any(map(_differ, strip_fun(typ)[0], values)):
                return list_comb(Const(rule.name, typ), values)
    return term


def _differ(wanted: Typ, argument: Term) -> bool:
    """Is the argument surely of another type? It is where what the abbreviation stands for is more general than its
    type."""
    head, arguments = strip_comb(argument)
    typ = None if isinstance(head, App | Abs | Bound) else applied_type(head.type, len(arguments))
    return typ is not None and typ != wanted and not (type_variables(typ) or type_variables(wanted))


def _match(pattern: Term, term: Term, arguments: dict[int, Term], types: dict[Typ, Typ]) -> bool:
    """First-order matching; an argument of the abbreviation must not mention what is bound inside the pattern."""
    todo = [(pattern, term, 0)]
    while todo:
        left, right, depth = todo.pop()
        if type(left) is Var:
            if depth:
                if any(occurs_bound(right, index) for index in range(depth)):
                    return False
                right = increase(right, -depth)
            if arguments.setdefault(left.index, right) != right:
                return False
        elif type(left) is App:
            if type(right) is not App:
                return False
            todo += ((left.arg, right.arg, depth), (left.fun, right.fun, depth))
        elif type(left) is Abs:
            if type(right) is not Abs:
                return False
            todo.append((left.body, right.body, depth + 1))
        elif type(left) is Const:
            if type(right) is not Const or left.name != right.name or not match_type(left.type, right.type, types):
                return False
        elif left != right:
            return False
    return True


class _Abbreviations:
    """Those of a language by the head of what they stand for. To type them takes long, and a term has few heads: only
    those of a head that somebody asks for are typed."""

    def __init__(self, language: Language) -> None:
        self._signature = language.signature
        self._names: dict[str, list[str]] = {}
        for name in _foldable(language):
            head = _unfolded_head(name, language.signature)
            if head is not None:
                self._names.setdefault(head, []).append(name)
        self._known: dict[str, tuple[_Abbreviation, ...]] = {}

    def of(self, head: str) -> tuple[_Abbreviation, ...]:
        """The more special first: incseq before mono, subset_eq before less_eq; else later ones first."""
        if head not in self._names:
            return ()
        if head not in self._known:
            found = [rule for name in reversed(self._names[head]) if (rule := self._typed(name)) is not None]
            found.sort(key=lambda rule: (-size(rule.pattern), len(type_variables(rule.type)), len(rule.name)))
            self._known[head] = tuple(found)
        return self._known[head]

    def _typed(self, name: str) -> _Abbreviation | None:
        try:
            body = typed_body(name, self._signature)
        except UserError:
            return None
        count = 0
        while type(body) is Abs:
            body = instantiate(body.body, Var("", count, body.type))
            count += 1
        if _swaps(body) or _is_alias(body, self._signature):
            return None
        return _Abbreviation(name, self._signature.constants[name].type, body, count)


def _unfolded_head(name: str, signature: Signature) -> str | None:
    """The constant at the head of what an abbreviation stands for, others in it unfolded; None: it is none."""
    seen = {name}
    while True:
        head = signature.constants[name].abbreviates
        while type(head) is Abs:
            head = head.body
        name = "" if head is None else head_name(head)
        constant = signature.constants.get(name)
        if constant is None or constant.abbreviates is None:
            return name or None
        if name in seen:
            return None  # defined by itself, and nothing that anybody can type
        seen.add(name)


def _is_alias(body: Term, signature: Signature) -> bool:
    """A second name of a constant at its most general type, as interpretations make them."""
    if type(body) is not Const or body.type is None:
        return False
    types: dict[Typ, Typ] = {}
    if not match_type(body.type, signature.constants[body.name].type, types):
        return False
    return all(type(v) is not Type and type(w) is not Type and v.sort == w.sort for v, w in types.items())


def _swaps(body: Term) -> bool:
    """A constant with its arguments in another order, as `x > y` is: always for input only."""
    arguments = strip_comb(body)[1]
    indices = [argument.index for argument in arguments if type(argument) is Var]
    return len(indices) == len(arguments) and indices != sorted(indices)


def _foldable(language: Language) -> Iterable[str]:
    """Abbreviations that are not for input only: their notation, if they have one, is also printed.

    Those that an interpretation makes (`card.F`, which must be called so) are never shown.
    """
    heads: dict[str, bool] = {}
    for rows in language.notations:
        heads.update((name, False) for name, optional, _ in rows.get("names", ()) if "0" in optional[:-1])
        for _, _, head, _, printed in rows.get("productions", ()):
            if head.startswith("\\<^const>"):
                name = head[len("\\<^const>") :]
                heads[name] = heads.get(name, False) or bool(printed)
    return [name for name in sorted(language.abbreviations) if heads.get(name, True)]
