"""Inside a class: operations whose type nothing settles are about the type of the class, as Isabelle's check has it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from isarstep.isabelle.inference.infer import Typing, TypingError
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.terms.terms import Const, Term, TFree, TVar, Typ, Type, substitute_types, subterms
from isarstep.isabelle.terms.types import map_type, match_type

_CLASS = "_class."


def improved(typing: Typing, own: TFree, settled: Collection[str], language: Language) -> Typing:
    """The typing with the class's type where an operation of the class has an open one. Raises TypingError where that
    type is not of the sort that is wanted there."""
    signature = language.signature
    (name,) = own.sort
    chosen: dict[str, Typ] = {}
    for term in typing.propositions:
        for node in subterms(term):
            for open_type in _types_of_operation(node, name, language):
                if isinstance(open_type, TFree | TVar) and open_type.name not in settled:
                    if not signature.subsort(own.sort, open_type.sort):
                        raise TypingError(f"an operation of {name} stands at a type that is not of this class")
                    chosen[open_type.name] = own
    if not chosen:
        return typing

    def put(typ: Typ) -> Typ:
        return map_type(typ, lambda variable: chosen.get(variable.name, variable))

    return Typing(
        tuple(substitute_types(term, put) for term in typing.propositions),
        {name: put(typ) for name, typ in typing.frees.items()},
    )


def _types_of_operation(node: Term, name: str, language: Language) -> Iterator[Typ]:
    """The type at which an operation of the class, or of one that it rests on, stands."""
    if not isinstance(node, Const) or _CLASS not in node.name or node.type is None:
        return
    constant = language.signature.constants.get(node.name)
    short = node.name.rpartition(_CLASS)[0].rpartition(".")[2]
    if constant is None:
        return
    found: dict[Typ, Typ] = {}
    match_type(constant.type, node.type, found)
    for general, typ in found.items():
        for each in () if isinstance(general, Type) else general.sort:
            if each.rpartition(".")[2] == short and language.signature.subclass(name, each):
                yield typ
