"""Do two lines of tokens stand for one term?"""

from __future__ import annotations

from isarstep.errors import UserError
from isarstep.logic.terms import Term, Var, rebuild
from isarstep.logic.tokens import decode


def same_term(left: str, right: str) -> bool:
    """Do both stand for one term, schematic variables renumbered? What doesn't decode equals nothing."""
    try:
        return _renumbered(left) == _renumbered(right)
    except UserError:
        return False


def _renumbered(tokens: str) -> Term:
    numbers: dict[tuple[str, int], int] = {}

    def leaf(node: Term, _depth: int) -> Term:
        if type(node) is Var:
            return Var("v", numbers.setdefault((node.name, node.index), len(numbers)))
        return node

    return rebuild(decode(tokens, strict=False), leaf)
