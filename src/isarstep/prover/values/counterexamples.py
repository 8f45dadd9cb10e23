"""Counterexamples to what somebody asks: values for the variables of a question under which its facts hold and its goal
does not, in the words of the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from isarstep.common.errors import UserError
from isarstep.isabelle.context.monomorphisation import term_type_variables
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.syntax.writing.writer import write_formula
from isarstep.isabelle.terms.hol import eq, trueprop
from isarstep.isabelle.terms.terms import Const, Free, Term, TVar, funs, rebuild
from isarstep.isabelle.terms.type_text import show_type
from isarstep.premises.fact_base import Library
from isarstep.prover.outcomes.verdict import EVALUATION, Refuted
from isarstep.prover.values.domains import COMPLEX, RAT, REAL
from isarstep.prover.values.equations import LibraryEquations
from isarstep.prover.values.refutation import Counterexample, Refuter

OF_FIELDS = frozenset(funs((typ, typ), typ) for typ in (RAT, REAL, COMPLEX))


class Counterexamples:
    """Looks for them with the equations of a library; what is compiled in a context is kept."""

    def __init__(self, facts: Library) -> None:
        self._facts = facts
        self._refuters: dict[frozenset[str] | None, Refuter] = {}

    def refuter(self, theory_context: TheoryContext) -> Refuter:
        if theory_context.theories not in self._refuters:
            self._refuters.clear()  # questions come context by context
            self._facts.rules("")  # their names are read here, not in the time of the first question
            meanings = LibraryEquations(self._facts, theory_context.signature, theory_context.theories)
            self._refuters[theory_context.theories] = Refuter(meanings, theory_context.signature)
        return self._refuters[theory_context.theories]

    def against(
        self,
        premises: Iterable[Term],
        goal: Term,
        theory_context: TheoryContext,
        names: Mapping[str, str],
        seconds: float,
    ) -> Refuted | None:
        """None where none was found. `names`: how the asker calls the variables."""
        given = list(premises)
        if theory_context.theories is None or any(
            isinstance(v, TVar) for term in given for v in term_type_variables(term)
        ):
            return None  # a fact about all types is not known to hold by looking at one
        found = self.refuter(theory_context).search(given, goal, seconds).counterexample
        return None if found is None else Refuted(EVALUATION, described(found, theory_context, names))


def with_fractions(value: Term) -> Term:
    """`1 / 2` in place of `1 div 2` in a field."""

    def leaf(node: Term, _: int) -> Term:
        if isinstance(node, Const) and node.name == "Rings.divide_class.divide" and node.type in OF_FIELDS:
            return Const("Fields.inverse_class.inverse_divide", node.type)
        return node

    return rebuild(value, leaf)


def described(found: Counterexample, theory_context: TheoryContext, names: Mapping[str, str]) -> str:
    """`n = 2, xs = [0]`."""
    language = theory_context.language
    parts = []
    for variable, value in found.values:
        name = names.get(variable.name, variable.name.partition("~")[0])
        try:
            equation = trueprop(eq(Free(name, variable.type), with_fractions(value), variable.type), typed=True)
            parts.append(write_formula(equation, language))
        except UserError:
            parts.append(f"{name} = a value without notation here")
    at = sorted({f"{v.name.partition('~')[0]} is {show_type(t)}" for v, t in found.types})
    if not parts:
        return "it has no variables"
    return ", ".join(parts) + (f" ({', '.join(at)})" if at else "")
