"""Variables of terms replaced and matched: free, schematic, and bound ones whose binder is taken away."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.terms import Abs, App, Bound, Free, MaybeTyp, Term, Var, rebuild, strip_comb, substitute


def with_bound(term: Term, index: int, value: Term) -> Term:
    """The term with a closed one in place of the bound variable that points `index` abstractions outside of it; what
    others point to stays."""
    return rebuild(term, lambda leaf, depth: value if type(leaf) is Bound and leaf.index == index + depth else leaf)


def as_function(term: Term, places: Sequence[int], types: Sequence[MaybeTyp]) -> Term | None:
    """What gives the term when applied to the bound variables that point to these places outside of it, whose types are
    given; None where it mentions others, or where two of the places are the same."""
    count, foreign = len(places), len(set(places)) < len(places)

    def leaf(node: Term, depth: int) -> Term:
        nonlocal foreign
        if type(node) is not Bound or node.index < depth:
            return node
        foreign |= node.index - depth not in places
        return node if foreign else Bound(depth + count - 1 - places.index(node.index - depth))

    body = rebuild(term, leaf)
    for typ in reversed(types):
        body = Abs("x", typ, body)
    return None if foreign else body


def match_term(pattern: Term, term: Term, *, eta: bool = False) -> dict[Var, Term] | None:
    """What the pattern's schematic variables stand for; None where it does not match. First-order, and a variable
    applied to bound variables stands for a function of them; with `eta` it may stand elsewhere without arguments."""
    found: dict[Var, Term] = {}
    todo = [(pattern, term)]
    while todo:
        general, special = todo.pop()
        head, arguments = strip_comb(general)
        if type(head) is Var and all(type(argument) is Bound for argument in arguments):
            places = [argument.index for argument in arguments if type(argument) is Bound]
            value = as_function(special, places, [None] * len(places))
            value = beta_eta_normal(value) if eta and value is not None else value
            if value is None or value != found.setdefault(head, value):
                return None
        elif type(general) is App and type(special) is App:
            todo += [(general.fun, special.fun), (general.arg, special.arg)]
        elif type(general) is Abs and type(special) is Abs:
            todo.append((general.body, special.body))
        elif general != special:
            return None
    return found


def substitute_frees(term: Term, values: Mapping[str, Term]) -> Term:
    """Replace the free variables of these names."""
    return substitute(term, lambda leaf: values.get(leaf.name) if type(leaf) is Free else None)


def rename_frees(term: Term, names: Mapping[str, str]) -> Term:
    """With other names for free variables."""
    return substitute(
        term, lambda leaf: Free(names[leaf.name], leaf.type) if type(leaf) is Free and leaf.name in names else None
    )


def as_schematic(term: Term, names: Container[str]) -> Term:
    """The term whose free variables of these names are schematic."""
    return substitute(
        term, lambda leaf: Var(leaf.name, 0, leaf.type) if type(leaf) is Free and leaf.name in names else None
    )
