"""Do two lines of tokens stand for one term?"""

from __future__ import annotations

from isarstep.common.errors import UserError
from isarstep.isabelle.terms.terms import Term, Var, rebuild
from isarstep.isabelle.terms.tokens import decode


def same_term(left: str, right: str) -> bool:
    """Do both stand for one term, schematic variables renumbered? What doesn't decode equals nothing."""
    try:
        return numbered_schematics(decode(left, strict=False)) == numbered_schematics(decode(right, strict=False))
    except UserError:
        return False


def numbered_schematics(term: Term) -> Term:
    """A term without types with its schematic variables numbered by first occurrence: their names mean nothing."""
    numbers: dict[Term, int] = {}
    return rebuild(
        term, lambda node, _: Var("v", numbers.setdefault(node, len(numbers))) if type(node) is Var else node
    )
