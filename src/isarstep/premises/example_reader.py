"""Reading an example as typed propositions.

Local propositions get the recorded types of their variables, else those of joint inference over the example; type
variables that stay open are fixed, never generalised, so whatever is proved holds for every way to choose them.
Library lemmas are taken from the fact base with their own types and sorts (`check/lemmas.py`); one that is not there
counts as a local fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.context.theory_contexts import TheoryContext, TheoryContexts
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.inference.typed_lines import TypedLine, fixed_in_lines, term_of
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.terms.terms import Term, Typ, frees
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import parse_type, type_variables
from isarstep.premises.available_facts import AvailableFacts
from isarstep.premises.file_facts import own_facts_about
from isarstep.premises.lemmas import as_general
from isarstep.premises.typed_example import Typed, types_held
from isarstep.premises.witnesses import existing, witnesses


@dataclass(frozen=True, slots=True)
class ExampleReader:
    """Types examples in the contexts of a benchmark."""

    theory_contexts: TheoryContexts
    available: AvailableFacts

    def typed(self, example: Example, theory_context: TheoryContext | None = None) -> Typed:
        """Type the example, where it stands or in a context of the asker's. Raises UserError."""
        assert example.f3 is not None
        here, scored = theory_context or self.theory_contexts.at(example.theory), theory_context is None
        f4_lemmas, f4_local = self.available.lemmas(example, example.f4, here, scored=scored)
        f5_lemmas, f5_local = self.available.lemmas(example, example.f5, here, scored=scored)
        lines = [*example.f2, example.f3, *f4_local]
        types = {name: parse_type(text) for name, text in example.types.items()}
        reference = self._reference(example, types, here)
        typing = infer([term_of(line) for line in lines], here.signature, types, fixed=fixed_in_lines(lines))
        terms = [
            line.term if isinstance(line, TypedLine) else term
            for line, term in zip(lines, typing.propositions, strict=True)
        ]
        typed = [expand(types_held(term, f"~{n}"), here.signature) for n, term in enumerate(terms)]
        count = len(example.f2)
        new = witnesses(example.target_command, example.introduced)
        given = {node.name for fact in typed[:count] for node in frees(fact)}
        local = [Named(f"F.4({i})", term) for i, term in enumerate(typed[count + 1 :], 1)]
        if scored:  # only an example stands where its lemmas were proved
            local = [self._general(n, fact, typing.frees, here) for n, fact in zip(f4_local, local, strict=True)]
        own, own_simp = own_facts_about(here, typed)
        return Typed(
            here,
            scored,
            f2=tuple(Named(f"F.2({i})", term) for i, term in enumerate(typed[:count], 1)),
            f3=existing(typed[count], witnesses(example.consequence_command, example.introduced_after)),
            f4=tuple(local),
            f5=tuple(self._stated(example, f5_local, typing.frees, here)) if scored else (),
            f4_lemmas=f4_lemmas,
            f5_lemmas=f5_lemmas,
            reference=reference,
            types=typing.frees,
            texts={"f2": example.f2, "f4": tuple(f4_local)},
            witnesses=frozenset() if new & given else new,  # what F.2 speaks of is there already
            own=own,
            own_simp=own_simp,
        )

    def _stated(
        self, example: Example, lines: Sequence[str], types: Mapping[str, Typ], theory_context: TheoryContext
    ) -> Iterator[Named]:
        """Lemmas in the words of the context, typed after all else: what does not type is left out."""
        facts = self.available.facts
        for number, line in enumerate(lines, 1):
            try:
                term = infer([decode(line)], theory_context.signature, types).propositions[0]
            except UserError:
                continue
            own = {variable for typ in types.values() for variable in type_variables(typ)}
            fact = Named(f"F.5({number})", expand(types_held(term, f"~L{number}", own), theory_context.signature))
            if facts is not None and set(facts.in_context(line)) - set(self.available.copies(example)):
                yield replace(self._general(line, fact, types, theory_context), here=True)

    def _general(self, line: str, fact: Named, types: Mapping[str, Typ], theory_context: TheoryContext) -> Named:
        """The fact at all its types, where it is a lemma in the words of the context."""
        known_as = (
            self.available.named(self.available.facts.in_context(line)) if self.available.facts is not None else ()
        )
        fixed = {variable for typ in types.values() for variable in type_variables(typ)}
        general = as_general(fact, known_as, fixed, theory_context.signature)
        return general if general.prop != fact.prop else fact

    def _reference(self, example: Example, types: Mapping[str, Typ], theory_context: TheoryContext) -> Term | None:
        try:
            return expand(
                infer([decode(example.f1)], theory_context.signature, types).propositions[0], theory_context.signature
            )
        except UserError:
            return None
