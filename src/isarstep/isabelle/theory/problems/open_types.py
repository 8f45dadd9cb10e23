"""Types that a problem gives, and those that it leaves open."""

from __future__ import annotations

from dataclasses import dataclass

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import Context, refuse_large
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.reading.reader import read_type
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import TFree, TVar, Typ, Type
from isarstep.isabelle.terms.type_text import parse_type, show_type
from isarstep.isabelle.terms.types import fixed_type, map_type


def read_given_type(text: str, language: Language) -> Typ:
    """As people write it, `nat ⇒ 'a list`; or in full, as benchmarks do."""
    try:
        full = parse_type(text)
        refuse_large(full)
        if _is_known(full, language.signature):
            return full
    except UserError:
        pass
    try:
        typ = read_type(text, language)
        refuse_large(typ)
        return typ
    except RecursionError:
        raise UserError(f"type {text[:80]!r}: it is nested too deeply") from None
    except UserError as error:
        raise UserError(f"type {text[:80]!r}: {str(error).removeprefix('notation: ')}") from None


def _is_known(typ: Typ, signature: Signature) -> bool:
    if isinstance(typ, Type):
        return signature.types.get(typ.name) == len(typ.args) and all(_is_known(arg, signature) for arg in typ.args)
    # Benchmarks write 'a :: C with blanks; without them it would all be the variable's name.
    return ":" not in typ.name and all(class_ in signature.classes for class_ in typ.sort)


USUAL_TYPES = {"nat": Type("Nat.nat"), "int": Type("Int.int"), "real": Type("Real.real")}


@dataclass(frozen=True)
class GeneralType:
    """Variables of one open type, and the usual types that it may have been meant to be."""

    variables: tuple[str, ...]
    type: TFree
    readings: tuple[str, ...]

    def __str__(self) -> str:
        shown, first = show_type(self.type), self.variables[0]
        classes = ", ".join(name.rpartition(".")[2] for name in self.type.sort)
        offers = " or ".join(f"'{first} :: {typ}'" for typ in self.readings)
        return f"{', '.join(self.variables)} :: {shown} of any type with {classes}; if numbers are meant, say {offers}"


def open_types(types: Context, signature: Signature) -> list[GeneralType]:
    """Types that a problem leaves open though not everything has them: what is proved of one is proved of all that
    belong to its classes, and the asker may have meant numbers."""
    variables: dict[TFree, list[str]] = {}
    for name, typ in types.items():
        if isinstance(typ, TFree) and set(typ.sort) - {"HOL.type"}:
            variables.setdefault(typ, []).append(name)
    found = []
    for typ, names in variables.items():
        readings = tuple(text for text, usual in USUAL_TYPES.items() if signature.of_sort(usual, typ.sort))
        if readings:
            found.append(GeneralType(tuple(names), typ, readings))
    return found


def of_some_sort(typ: Typ) -> Typ:
    """Whoever writes 'a means a type of HOL."""
    anything = ("HOL.type",)

    def of_hol(variable: TFree | TVar) -> Typ:
        if variable.sort:
            return variable
        return (
            TFree(variable.name, anything)
            if isinstance(variable, TFree)
            else TVar(variable.name, variable.index, anything)
        )

    return map_type(typ, of_hol)


def fixed_types(context: Context) -> Context:
    """With type variables that are not yet known fixed: from now on they stand for any type, but always the same."""
    return {name: fixed_type(typ) for name, typ in context.items()}
