"""An example with types, in the context where it is asked about, and a proposal for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from isarstep.isabelle.context.monomorphisation import Named, term_type_variables
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.inference.typed_lines import TypedLine, fixed_variables
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.terms.terms import Term, TFree, TVar, Typ, substitute_types
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import map_type
from isarstep.premises.lemmas import at_any_type
from isarstep.premises.witnesses import existing

OWN = "~P"  # end of the names of types that a proposal leaves open


@dataclass(frozen=True, slots=True)
class Typed:
    """An example with typed propositions, in the context where it is asked about. Lemmas of F.4 and F.5 that the fact
    base knows stand apart with their own types.
    """

    theory_context: TheoryContext
    scored: bool  # only what comes before the example's theorem may be used, and no copy of it
    f2: tuple[Named, ...]
    f3: Term
    f4: tuple[Named, ...]
    f5: tuple[Named, ...]  # lemmas in the words of the context
    f4_lemmas: tuple[int, ...]
    f5_lemmas: tuple[int, ...]
    reference: Term | None
    # Of the variables; what the example leaves open is a fixed type variable.
    types: Mapping[str, Typ] = field(hash=False)
    texts: Mapping[str, tuple[str, ...]] = field(hash=False)  # of fields, for the relevance filter
    witnesses: frozenset[str]  # variables that the target's own step says exist
    proposal: Term | None = None
    own: tuple[Named, ...] = ()  # facts of the asker's theory, at all their types
    own_simp: frozenset[str] = frozenset()  # names of those that are simp rules

    @property
    def wanted(self) -> Term:
        """What must follow from F.2: the proposal, for some witnesses where the step introduces them."""
        assert self.proposal is not None
        return existing(self.proposal, self.witnesses, [fact.prop for fact in self.f4 if not fact.here])

    def step(self, *, proved: bool) -> Named:
        """The proposal as a premise. Types that it leaves open are fixed for it; a proof of it is one at all types, and
        what was proved may be used at all of them: `using sum.insert` is no other fact at each of its types.
        """
        assert self.proposal is not None
        step = Named("P", self.proposal)
        if not proved or not self.scored or self.witnesses:
            return step
        own = {v for v in term_type_variables(step.prop) if isinstance(v, TFree) and v.name.endswith(OWN)}
        return Named("P", at_any_type(step.prop, own), here=True) if own else step

    def with_proposal(self, line: str) -> Typed:
        """The same with a proposal, typed after all else: it may not narrow the types of the example. UserError."""
        signature = self.theory_context.signature
        if isinstance(line, TypedLine):
            return replace(self, proposal=expand(types_held(line.term, OWN), signature))
        fixed = fixed_variables([self.f3, *(fact.prop for fact in (*self.f2, *self.f4))])
        typed = infer([decode(line)], signature, self.types, fixed=fixed).propositions[0]
        own = {variable for typ in self.types.values() for variable in type_variables(typ)}
        return replace(self, proposal=expand(types_held(typed, OWN, own), signature))


def types_held(term: Term, suffix: str, shared: Collection[Typ] | None = None) -> Term:
    """Type variables that inference left open, fixed for this proposition: a local fact may not be used at other
    types. Where `shared` is given, they alone are the same as in other propositions.
    """

    def fixed(variable: TFree | TVar) -> Typ:
        if isinstance(variable, TVar) or (shared is not None and variable not in shared):
            return TFree(f"{variable.name}~{suffix}", variable.sort)  # no such name exists in Isabelle
        return variable

    return substitute_types(term, lambda typ: map_type(typ, fixed))
