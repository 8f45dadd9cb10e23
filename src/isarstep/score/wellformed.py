"""Which outputs are terms, and which of those are well-typed propositions where they are to stand.

The types of an example's variables are the recorded ones; imported data have none, and there all propositions of the
source are typed together. Constants and variables must exist where the example stands. `TypeChecker.rule` says which
types were used, and every score's signature repeats it.
"""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import TheoryContexts
from isarstep.isabelle.inference.infer import infer_context, well_formed
from isarstep.isabelle.terms.terms import Term, Typ
from isarstep.isabelle.terms.tokens import decode
from isarstep.model.decode.variable_types import recorded_type

Outcome = str
UNREADABLE, ILL_TYPED, WELL_TYPED = "not a term", "ill-typed", "well-typed"


class TypeChecker:
    """Judges outputs for examples of one benchmark; the types of an example are worked out once."""

    def __init__(self, theory_contexts: TheoryContexts, examples: Sequence[Example]) -> None:
        self._theory_contexts = theory_contexts
        self._contexts: dict[str, dict[str, Typ]] = {}
        recorded = sum(bool(example.types) for example in examples)
        # An example without variables has no types to record.
        needs = sum(bool(example.types) or "<X" in example.f1 for example in examples)
        rules = {needs: "recorded types", 0: "joint inference"}
        self.rule = rules.get(recorded, "recorded types, else joint inference")

    def outcome(self, example: Example, tokens: str) -> Outcome:
        try:
            term = decode(tokens)
        except UserError:
            return UNREADABLE
        return WELL_TYPED if self.objection(example, tokens, term) is None else ILL_TYPED

    def objection(self, example: Example, tokens: str, term: Term | None = None) -> str | None:
        """Why an output (and the term that it is, where known) is no proposition there; None: it is one."""
        theory_context = self._theory_contexts.at(example.theory)
        absence = theory_context.absence(example, tokens)
        return absence or well_formed(term or tokens, theory_context.signature, self._context(example)).reason

    def _context(self, example: Example) -> dict[str, Typ]:
        known = self._contexts.get(example.id)
        if known is None:
            known = {name: recorded_type(text) for name, text in example.types.items()} or self._joint(example)
            self._contexts[example.id] = known
        return known

    def _joint(self, example: Example) -> dict[str, Typ]:
        signature = self._theory_contexts.at(example.theory).signature
        try:
            return infer_context([decode(text) for _, text in example.source()], signature)
        except UserError:
            return {}  # a source that has no types itself constrains nothing
