"""Textbook unification with sorts, slow and obvious: what inference is compared with."""

from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import TFree, TVar, Typ, Type


def can_unify(left: Typ, right: Typ, signature: Signature) -> bool:
    """Do two types have a common instance? Variables of the two sides are different, and all may be instantiated."""
    substitution: dict[tuple[str, str], Typ] = {}
    try:
        _unify(_mark(left, "l"), _mark(right, "r"), substitution)
    except ValueError:
        return False
    needs = {**_sorts(left, "l"), **_sorts(right, "r")}
    roots: dict[Typ, set[str]] = {}
    for key, sort in needs.items():
        if not _has_sort(_apply(TFree("".join(key)), substitution), sort, signature, roots):
            return False
    return True


def _mark(typ: Typ, side: str) -> Typ:
    return Type(typ.name, tuple(_mark(a, side) for a in typ.args)) if isinstance(typ, Type) else TFree(side + typ.name)


def _sorts(typ: Typ, side: str) -> dict[tuple[str, str], tuple[str, ...]]:
    if isinstance(typ, Type):
        return {k: v for a in typ.args for k, v in _sorts(a, side).items()}
    assert isinstance(typ, TFree | TVar)
    return {(side, typ.name): typ.sort}


def _apply(typ: Typ, substitution: dict[tuple[str, str], Typ]) -> Typ:
    if isinstance(typ, Type):
        return Type(typ.name, tuple(_apply(a, substitution) for a in typ.args))
    found = substitution.get((typ.name[0], typ.name[1:]))
    return typ if found is None else _apply(found, substitution)


def _unify(left: Typ, right: Typ, substitution: dict[tuple[str, str], Typ]) -> None:
    left, right = _apply(left, substitution), _apply(right, substitution)
    if left == right:
        return
    if not isinstance(left, Type):
        if left in _variables(right):
            raise ValueError("occurs")
        substitution[left.name[0], left.name[1:]] = right
    elif not isinstance(right, Type):
        _unify(right, left, substitution)
    else:
        if left.name != right.name or len(left.args) != len(right.args):
            raise ValueError("clash")
        for a, b in zip(left.args, right.args, strict=True):
            _unify(a, b, substitution)


def _variables(typ: Typ) -> set[Typ]:
    return set().union(*(_variables(a) for a in typ.args)) if isinstance(typ, Type) else {typ}


def _has_sort(typ: Typ, sort: tuple[str, ...], signature: Signature, variables: dict[Typ, set[str]]) -> bool:
    """A variable can still be given any sort; a type must have an arity for every class."""
    if not isinstance(typ, Type):
        variables.setdefault(typ, set()).update(sort)
        return True
    for class_ in sort:
        arity = signature.arities.get(typ.name, {}).get(class_)
        if arity is None:
            return False
        if not all(_has_sort(a, s, signature, variables) for a, s in zip(typ.args, arity, strict=True)):
            return False
    return True
