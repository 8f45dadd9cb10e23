"""The checker without Isabelle: one example and one proposal in, a verdict out.

`reading.py` types the example, `gaps.py` closes a gap; here is which questions are asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.inference.typed_lines import fixed_in_lines, fixed_variables, line_of
from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.terms.hol import BOOL, PROP, as_formula, dest_trueprop, trueprop
from isarstep.isabelle.terms.terms import App, Const, Term, fun, head_name
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.premises.declared_rules import DeclaredRules
from isarstep.premises.example_reader import ExampleReader
from isarstep.premises.typed_example import Typed
from isarstep.prover.check.cases import by_induction, by_plain_induction
from isarstep.prover.check.obligations import GapCloser, OpenGap, unused
from isarstep.prover.check.single_rule_steps import OfferedRule, OneRule
from isarstep.prover.outcomes.likeness import likeness
from isarstep.prover.outcomes.step import Way
from isarstep.prover.outcomes.variants import sorted_text
from isarstep.prover.outcomes.verdict import (
    NOT_ASKED,
    Background,
    Gap,
    IllFormed,
    Proved,
    Unsupported,
    Verdict,
    WellFormed,
    proved,
)

RULES = 512  # facts of the library that may be one step away
FALSEHOOD = App(Const("HOL.Trueprop", fun(BOOL, PROP)), Const("HOL.False", BOOL))


class NearStep(NamedTuple):
    """A step that is one rule of the library away."""

    tokens: str
    way: Way


@dataclass(slots=True)
class Checker(GapCloser):
    """Checks proposals with one set of provers. What holds for an example alone is asked once.

    Examples are scored where they stand. Whoever asks about a proof of their own names a context instead, and may use
    all of it.
    """

    _backgrounds: dict[str, Background] = field(default_factory=dict, init=False)
    _bare: tuple[str, Typed] | None = field(default=None, init=False)  # of the example checked last

    def typed(self, example: Example, theory_context: TheoryContext | None = None) -> Typed:
        """The example with types, where it stands or in a context of the asker's. Raises UserError."""
        return ExampleReader(self.theory_contexts, self.available).typed(example, theory_context)

    def check(self, example: Example, proposal: str, rank: int = 0) -> Verdict:
        """The verdict on one proposal, given as a line of tokens."""
        if example.f3 is None:
            return Unsupported(example.id, rank, "nothing follows from the target (no F.3)")
        try:
            if self._bare is None or self._bare[0] != example.id:
                self._bare = (example.id, self.typed(example))
            bare = self._bare[1]
        except UserError as error:
            return Unsupported(example.id, rank, f"the example itself does not type: {error}")
        absence = bare.theory_context.absence(example, proposal)
        if absence is not None:
            return IllFormed(example.id, rank, example.target_kind, absence)
        try:
            context = bare.with_proposal(proposal)
        except UserError as error:
            return IllFormed(example.id, rank, example.target_kind, str(error))
        assert context.proposal is not None
        same = likeness(
            proposal,
            context.proposal,
            example.f1,
            context.reference if context.reference is not None else FALSEHOOD,
            [*example.f2, example.f3, *example.f4, *example.f5],
        )
        background = self._background(example, bare)
        first = self._first(example, context, proposal)
        second = self._second(example, context, proposal, proved(first), background)
        trivial: Gap = NOT_ASKED
        if proved(first):
            trivial = self.without_library(OpenGap("P from nothing", example, context, (), context.wanted))
        if proved(first) or proved(second):
            background = self._contradictions(example, bare, background)
        return WellFormed(example.id, rank, same, first, second, trivial, background)

    def _first(self, example: Example, context: Typed, proposal: str) -> Gap:
        asked = first_gap(example, context, proposal)
        if example.target_kind == "assumption":
            # Nothing justifies an assumption: its proof would be a proof from nothing.
            return self.without_library(asked)
        return self.gap(asked)

    def _second(
        self,
        example: Example,
        context: Typed,
        proposal: str,
        first: bool,
        background: Background | None = None,
    ) -> Gap:
        """`first`: the first gap was closed."""
        if background is not None and unused(background.direct, {"F.2"}):
            return background.direct  # F.4 was enough
        return self.gap(second_gap(example, context, proposal, first))

    def gaps(
        self, example: Example, proposal: str, theory_context: TheoryContext | None = None
    ) -> Iterator[tuple[Literal["first", "second"], Gap]]:
        """The two gaps and nothing else, each as soon as it is known, for people who wait. Raises UserError."""
        assert example.f3 is not None
        context = self.typed(example, theory_context).with_proposal(proposal)
        assert context.proposal is not None
        first = self._first(example, context, proposal)
        yield "first", first
        yield "second", self._second(example, context, proposal, proved(first))

    def direct(self, example: Example, theory_context: TheoryContext | None = None) -> Gap:
        """Does F.3 follow from F.2 and F.4, without any step between? Raises UserError."""
        return self.gap(self._given(example, theory_context))

    def simplified(self, example: Example, theory_context: TheoryContext | None = None) -> Proved | None:
        """The same by calculation and rewriting alone, by an induction if need be. Raises UserError."""
        return by_plain_induction(self, self._given(example, theory_context))

    def inductions(self, example: Example, theory_context: TheoryContext | None = None) -> Iterator[Gap]:
        """The same by induction and case distinction, an answer for each that is tried. Raises UserError."""
        yield from by_induction(self, self._given(example, theory_context))

    def simplified_forms(
        self, example: Example, lines: Sequence[str], theory_context: TheoryContext | None = None
    ) -> list[str | None]:
        """What rewriting by the declared simp rules leaves of statements about an example, without its facts; None of
        what has no type. Equal forms are the same statement up to simplification. Raises UserError."""
        bare = self.typed(example, theory_context)
        forms: list[str | None] = []
        for line in lines:
            try:
                context = bare.with_proposal(line)
            except UserError:
                forms.append(None)
                continue
            assert context.proposal is not None
            left = self.rewritten(OpenGap("P", example, context, (), context.proposal), ())[0]
            formula = dest_trueprop(context.proposal) if left is None else left
            forms.append(None if formula is None else sorted_text(formula))
        return forms

    def _given(self, example: Example, theory_context: TheoryContext | None) -> OpenGap:
        context = self.typed(example, theory_context)
        return replace(_direct(example, context), hints=context.f5_lemmas)

    def one_rule_away(
        self, example: Example, theory_context: TheoryContext | None, declared: DeclaredRules | None
    ) -> list[NearStep]:
        """What one fact of the library leads from to F.3, or to from F.2 and F.4. Raises UserError."""
        asked = _direct(example, self.typed(example, theory_context))
        goal, given = dest_trueprop(asked.goal), [as_formula(premise.prop) for premise in asked.local]
        if goal is None:
            return []
        known = [formula for formula in given if formula is not None]
        found = OneRule(known, goal, asked.signature).steps(self._offered(example, asked, known, goal, declared))
        language = asked.context.theory_context.language
        known_types = {v for typ in asked.context.types.values() for v in type_variables(typ)}
        known_types |= fixed_in_lines((*example.f2, example.f3 or "", *example.f4))

        def line(formula: Term) -> str:
            typed = canonical(trueprop(formula, typed=True), language)
            # Other type variables are those of this reading of the example alone.
            return line_of(typed, asked.signature) if fixed_variables([typed]) <= known_types else encode_line(typed)

        return [NearStep(line(each.formula), each.way) for each in found]

    def _offered(
        self,
        example: Example,
        asked: OpenGap,
        known: Sequence[Term],
        goal: Term,
        declared: DeclaredRules | None,
    ) -> Iterator[OfferedRule]:
        """Own facts, facts that look relevant, and rules that theories declare for such goals and facts."""
        available, theories = self.available, asked.context.theory_context.theories
        relevant = [*asked.given, *available.relevant(example, asked.context, asked.texts, RULES, asked.given)]
        kinds: Mapping[int, frozenset[str]] = {}
        if declared is not None and self.facts is not None and theories is not None:
            kinds = declared.about(theories, head_name(goal), {head_name(formula) for formula in known})
        for fact in asked.general:
            yield OfferedRule(fact, 0)
        for place, (number, fact) in enumerate(zip(relevant, available.named(relevant), strict=True)):
            yield OfferedRule(fact, place, kinds.get(number, frozenset()))
        others = sorted(kinds.keys() - set(relevant))
        for number, fact in zip(others, available.named(others), strict=True):
            yield OfferedRule(fact, len(relevant), kinds[number], relevant=False)

    def _background(self, example: Example, context: Typed) -> Background:
        """What holds without any proposal."""
        known = self._backgrounds.get(example.id)
        if known is None:
            asked = _direct(example, context)
            direct = self.gap(asked)
            paper = direct
            # What does not follow from F.2 and F.4 is not tried from F.2 alone.
            given = {"F.4", *(fact.name for fact in self.available.named(context.f4_lemmas))}
            if isinstance(direct, Proved) and not unused(direct, given):
                paper = self.gap(replace(asked, name="F.2 => F.3", premises=context.f2, given=()))
            known = self._backgrounds[example.id] = Background(example.target_kind, direct, paper)
        return known

    def _contradictions(self, example: Example, context: Typed, known: Background) -> Background:
        """The same with whether the premises contradict each other; asked only where something was proved."""
        if known.f2_contradictory == NOT_ASKED:
            f2 = OpenGap("F.2 => False", example, context, context.f2, FALSEHOOD)
            f4 = OpenGap("F.4 => False", example, context, context.f4, FALSEHOOD, given=context.f4_lemmas)
            known = replace(known, f2_contradictory=self.without_library(f2), f4_contradictory=self.without_library(f4))
            self._backgrounds[example.id] = known
        return known


def first_gap(example: Example, context: Typed, proposal: str) -> OpenGap:
    """Does the proposal follow from F.2?"""
    texts = [proposal, *context.texts["f2"]]
    hints, stated = context.f5_lemmas, context.f5
    return OpenGap("F.2 => P", example, context, context.f2, context.wanted, texts, hints, stated)


def second_gap(example: Example, context: Typed, proposal: str, first: bool) -> OpenGap:
    """Does F.3 follow from the proposal and F.4? `first`: the first gap was closed."""
    assert example.f3 is not None
    premises = (context.step(proved=first), *context.f4)
    texts = [example.f3, proposal, *context.texts["f4"]]
    return OpenGap("P, F.4 => F.3", example, context, premises, context.f3, texts, given=context.f4_lemmas)


def _direct(example: Example, context: Typed) -> OpenGap:
    assert example.f3 is not None
    both, texts = (*context.f2, *context.f4), [example.f3, *context.texts["f2"]]
    return OpenGap("F.2, F.4 => F.3", example, context, both, context.f3, texts, given=context.f4_lemmas)
