"""Library lemmas in the words of a context.

Inside a locale a lemma speaks of the locale's fixed variables, and the assumption that they are such is no part of it.
The benchmark says which fact it is; so it holds where the step stands, and at every type at which the fact itself does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from isarstep.isabelle.context.matching import Matching
from isarstep.isabelle.context.monomorphisation import Named, term_type_variables
from isarstep.isabelle.terms.hol import list_pure_imp, strip_pure_imp
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Term, TFree, TVar, Typ, substitute_types
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import instantiate_type


def as_general(fact: Named, known_as: Iterable[Named], fixed: Collection[Typ], signature: Signature) -> Named:
    """A lemma of the context, at all types at which the fact of the library holds that it is. `fixed` are the types of
    the context: they stay, and so does everything where no such fact is found."""
    for general in known_as:
        premises, conclusion = strip_pure_imp(general.prop)
        for start in range(len(premises) + 1):
            matching = Matching(signature)
            if matching.fits(list_pure_imp(premises[start:], conclusion, typed=True), fact.prop):
                # What the context assumes may hold at its own types only.
                assumed = {variable for premise in premises[:start] for variable in term_type_variables(premise)}
                return replace(fact, prop=at_any_type(fact.prop, _own(matching, fixed, assumed)), here=True)
    return replace(fact, here=True)


def _own(matching: Matching, fixed: Collection[Typ], assumed: Collection[Typ]) -> set[TFree]:
    """The types that stand for one type variable of the fact, of which nothing is assumed, and for nothing else."""
    images = matching.types.values()
    return {
        image
        for variable, image in matching.types.items()
        if isinstance(image, TFree) and image not in fixed and variable not in assumed
        and sum(image in type_variables(other) for other in images) == 1
    }  # fmt: skip


def at_any_type(prop: Term, variables: Collection[TFree]) -> Term:
    """The proposition with these fixed type variables schematic."""
    schematic: dict[Typ, Typ] = {variable: TVar(variable.name, 0, variable.sort) for variable in variables}
    return substitute_types(prop, lambda typ: instantiate_type(typ, schematic)) if variables else prop
