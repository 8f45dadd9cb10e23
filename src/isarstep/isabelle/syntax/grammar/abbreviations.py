"""Abbreviations unfolded in typed terms: provers know `power x 2` but not `power2 x`.

Unfolding goes by types: the body of an abbreviation is typed once against the abbreviation's most general type, and an
occurrence instantiates it. So `real :: nat ⇒ real` becomes `of_nat` at exactly that type.
"""

from __future__ import annotations

from isarstep.common.errors import UserError
from isarstep.common.memo import memo
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.terms.normal_forms import MOST_PARTS, TooLargeError, beta_normal, refuse_growth
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Const, Term, Typ, constants, rebuild, size, substitute_types
from isarstep.isabelle.terms.types import instantiate_type, match_type


def _bodies(signature: Signature) -> dict[str, Term]:
    return {}


def typed_body(name: str, signature: Signature) -> Term:
    """What an abbreviation stands for, typed, other abbreviations inside it unfolded. Raises TooLargeError where each
    of several abbreviations mentions another one more than once, so that this doubles."""
    known = memo(signature, _bodies)
    path = [] if name in known else [name]
    while path:
        constant = signature.constants[path[-1]]
        assert constant.abbreviates is not None
        names = (inner.name for inner in constants(constant.abbreviates))
        inner = [name for name in names if _is_abbreviation(name, signature) and name not in known]
        if inner:
            if inner[0] in path:
                raise UserError(f"abbreviation {inner[0]} is defined by itself")
            path.append(inner[0])
            continue
        typed = infer([constant.abbreviates], signature, wanted=constant.type).propositions[0]
        known[path.pop()] = _unfold(typed, signature)
    return known[name]


def expand(term: Term, signature: Signature) -> Term:
    """A typed term without abbreviations, beta-normal where one was unfolded. Raises TooLargeError."""
    for constant in constants(term):
        if _is_abbreviation(constant.name, signature):
            typed_body(constant.name, signature)
    return _unfold(term, signature)


def unfolded(term: Term, signature: Signature, inside: tuple[str, ...] = ()) -> Term:
    """The same of a term without types, which takes a tenth of the time."""

    def leaf(node: Term, _depth: int) -> Term:
        if type(node) is not Const or not _is_abbreviation(node.name, signature):
            return node
        if node.name in inside:
            raise UserError(f"abbreviation {node.name} is defined by itself")
        body = signature.constants[node.name].abbreviates
        assert body is not None
        return unfolded(body, signature, (*inside, node.name))

    whole = rebuild(term, leaf)
    return term if whole is term else beta_normal(whole)


def meaning(name: str, signature: Signature) -> frozenset[str]:
    """The constants that a name stands for: its own, or those of what it abbreviates."""
    found: set[str] = set()
    todo, seen = [name], {name}
    while todo:
        here = todo.pop()
        constant = signature.constants.get(here)
        if constant is None or constant.abbreviates is None:
            found.add(here)
            continue
        inside = {inner.name for inner in constants(constant.abbreviates)} - seen
        seen |= inside
        todo += sorted(inside)
    return frozenset(found)


def _is_abbreviation(name: str, signature: Signature) -> bool:
    constant = signature.constants.get(name)
    return constant is not None and constant.abbreviates is not None


def _unfold(term: Term, signature: Signature) -> Term:
    added = 0  # parts of what abbreviations stand for

    def leaf(node: Term, _depth: int) -> Term:
        if type(node) is not Const or not _is_abbreviation(node.name, signature):
            return node
        body = memo(signature, _bodies)[node.name]
        nonlocal added
        added += size(body)
        if added > MOST_PARTS:
            raise TooLargeError
        if node.type is None:
            raise UserError(f"abbreviation {node.name} can only be unfolded in a typed term")
        replacement: dict[Typ, Typ] = {}
        if not match_type(signature.constants[node.name].type, node.type, replacement):
            raise UserError("a constant's type is not an instance of its most general type")
        return substitute_types(body, lambda typ: instantiate_type(typ, replacement))

    unfolded = rebuild(term, leaf)
    return term if unfolded is term else refuse_growth(beta_normal(unfolded), MOST_PARTS + size(term))
