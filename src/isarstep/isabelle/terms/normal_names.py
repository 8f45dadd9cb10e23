"""Names of variables that mean nothing become numbers: `<Xn>` for free, `<Vn>` for schematic variables, and back again.

`<Xn>` is the place in a list of variables that all propositions of an example share (`variable_order`); `<Vn>` counts
first occurrences in the tokens of one proposition. Isabelle's own names never look like `<Xn>`: a variable that does,
and is not in the list, has been numbered before and keeps its number, so that normalising twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from isarstep.common.errors import UserError
from isarstep.isabelle.terms.terms import Free, Term, Var, rebuild, subterms
from isarstep.isabelle.terms.variables import rename_frees

_FREE = re.compile(r"<X(0|[1-9][0-9]{0,8})>")


def variable_order(propositions: Iterable[Term], fixed: Sequence[str] = ()) -> list[str]:
    """The list that numbers an example's free variables: those fixed at the consequence, in order of introduction, then
    all others by first occurrence. The propositions go in the order F.2, F.3, F.4, F.5, F.1."""
    order = dict.fromkeys(fixed)
    for proposition in propositions:
        order.update(dict.fromkeys(node.name for node in subterms(proposition) if type(node) is Free))
    return list(order)


def normalise(proposition: Term, order: Sequence[str]) -> Term:
    """Number the variables of a proposition; types and abstractions stay as they are."""
    places = {name: f"<X{place}>" for place, name in enumerate(order)}
    schematics: dict[tuple[str, int], str] = {}

    def leaf(node: Term, _depth: int) -> Term:
        if type(node) is Free:
            name = places.get(node.name)
            if name is None:
                if not _FREE.fullmatch(node.name):
                    raise UserError(f"free variable {node.name} is not in the list of the example's variables")
                return node
            return Free(name, node.type)
        if type(node) is Var:
            name = schematics.setdefault((node.name, node.index), f"<V{len(schematics)}>")
            return Var(name, 0, node.type)
        return node

    return rebuild(proposition, leaf)


def restore(proposition: Term, order: Sequence[str]) -> Term:
    """Undo `normalise` of free variables: `<Xn>` is the n-th name of the list again. A number outside the list keeps
    its name, because a model may well invent a variable."""
    return rename_frees(proposition, {f"<X{place}>": name for place, name in enumerate(order)})
