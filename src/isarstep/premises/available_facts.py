"""What the fact base offers where a question is asked: the lemmas that an example names and facts that look useful,
none that would make the question vacuous.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from isarstep.benchmark.store.example import Example
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.context.uses_above import UsesAbove
from isarstep.isabelle.inference.typed_lines import is_general
from isarstep.premises.fact_base import BASE, DEFINING, Library
from isarstep.premises.selector.selected_premises import premises_read

if TYPE_CHECKING:
    from isarstep.isabelle.context.monomorphisation import Named
    from isarstep.premises.typed_example import Typed

# By rare constants in common, by the learned selector, or definitions first and then by the learned selector.
Order: TypeAlias = Literal["constants", "learned", "defined"]
CANDIDATES = 24  # for the model, of which it reads what is new and not too long, as in training
DEFINITIONS = 24  # at most, of what a question mentions
SPARE = 1.5  # candidates for every library fact that is wanted: not every one has an instance at the types of a query


@dataclass(frozen=True, slots=True)
class AvailableFacts:
    """The facts of a library, or none, as examples may use them."""

    facts: Library | None

    def named(self, numbers: Iterable[int]) -> tuple[Named, ...]:
        return tuple(self.facts.fact(n) for n in numbers) if self.facts is not None else ()

    def relevant(
        self,
        example: Example,
        context: Typed,
        texts: Sequence[str],
        size: int,
        known: tuple[int, ...],
        order: Order = "constants",
    ) -> list[int]:
        """The most relevant facts of a context that are not known yet: for a score those from before the step, for
        others all, and first of all a lemma that states the goal.
        """
        if self.facts is None or size == 0:
            return []
        from isarstep.premises.relevance import constants_of, relevance_of

        if context.scored:
            chosen: list[int] = []
            exclude = {*known, *self.copies(example)}
            mentioned = {name for text in (*example.f2, example.f3 or "", *example.f4) for name in constants_of(text)}
            before = self.facts.before(example.theory, example.name)
            own = self.facts.own(example.theory, example.name, mentioned)
        else:
            alike = self.facts.alike(texts[0], context.theory_context.theories)
            chosen = [n for n in alike if n not in known]
            exclude = {*known, *chosen}
            before, own = len(self.facts), ()
        wanted = int(SPARE * max(0, size - len(chosen)))
        theories = context.theory_context.theories
        if order == "defined":
            defined = self._definitions(texts, context, before, own)
            chosen += [n for n in defined if n not in exclude][:DEFINITIONS]
            exclude, wanted = {*exclude, *chosen}, max(0, wanted - len(chosen))
        if order != "constants":
            from isarstep.premises.learned_selection import SelectorQuestion, learned_selection

            step, *given = texts
            new, above = self._in_new_entry(example, context.scored), self._used_above(example, context.scored)
            question = SelectorQuestion(step, tuple(given), theory=example.theory, in_new_entry=new, used_above=above)
            return chosen + learned_selection(self.facts, kept=not context.scored).rank(
                question, wanted, before, exclude, own, theories
            )
        return chosen + relevance_of(self.facts).rank(texts, wanted, before, exclude, own, theories)

    def _definitions(self, texts: Sequence[str], context: Typed, before: int, own: Sequence[int]) -> Iterator[int]:
        """Definitions and equations of the constants that a question mentions, those of HOL's own theories aside."""
        from isarstep.premises.relevance import constants_of

        assert self.facts is not None
        within = context.theory_context.theories
        visible = None if within is None else self.facts.visible(within)
        for constant in constants_of(" ".join(texts)):
            for number in (n for ending in DEFINING for n in self.facts.rules(f"{constant}{ending}")):
                seen = visible is None or bool(visible[number])
                if seen and (number < before or number in own) and not self.facts.theory(number).startswith(BASE):
                    yield number

    def for_model(self, example: Example, theory_context: TheoryContext, *, scored: bool) -> tuple[str, ...]:
        """The facts that a model may read to find a step, best first: for a score those from before the step, and none
        that is the step."""
        if self.facts is None:
            return ()
        from isarstep.premises.learned_selection import SelectorQuestion, learned_selection

        question = SelectorQuestion(
            "", example.f2, example.f3 or "", example.f4, example.statement, example.earlier, example.theory,
            self._in_new_entry(example, scored), self._used_above(example, scored),
        )  # fmt: skip
        before = self.facts.before(example.theory, example.name) if scored else None
        selection = learned_selection(self.facts, kept=not scored)
        step = self.facts.alike(example.f1, theory_context.theories) if scored and example.f1 else ()
        theories = theory_context.theories
        chosen = selection.rank(question, CANDIDATES, before, step, (), theories)
        texts = (selection.text(number, theories) for number in chosen)
        return tuple(premises_read(texts, (*example.f2, example.f3 or "", *example.f4)))

    def _in_new_entry(self, example: Example, scored: bool) -> bool:
        """What people work on was not trained on."""
        return not scored or (self.facts is not None and self.facts.in_new_entry(example.theory))

    def _used_above(self, example: Example, scored: bool) -> UsesAbove:
        """People's own examples say it themselves."""
        return example.used_above if not scored or self.facts is None else self.facts.used_above(example)

    def copies(self, example: Example) -> list[int]:
        """What would make a gap vacuous: facts that state the consequence or the step's theorem itself, up to names
        of variables.
        """
        if self.facts is None:
            return []
        theorem = self.facts.statements(example.theory, example.name)
        texts = [example.f3 or "", *(self.facts.texts[number] for number in theorem)]
        return [number for text in texts for number in self.facts.alike(text)]

    def lemmas(
        self, example: Example, lines: Sequence[str], theory_context: TheoryContext, *, scored: bool
    ) -> tuple[tuple[int, ...], list[str]]:
        """Lines that the fact base knows, as numbers of facts of the context before the step, and the others."""
        if self.facts is None:
            return (), list(lines)
        before = self.facts.before(example.theory, example.name) if scored else len(self.facts)
        numbers: dict[int, None] = {}
        rest: list[str] = []
        for line in lines:
            tokens = str(line) if is_general(line) else line
            found = self.facts.find(tokens, theory_context.theories)
            earlier = [n for n in found if n < before]
            if not earlier and scored:
                # Of the step's own theory: the example used it, so it was there; never the theorem itself.
                copies = self.copies(example)
                earlier = [n for n in found if self.facts.theory(n) == example.theory and n not in copies]
            numbers.update(dict.fromkeys(earlier))
            if not earlier:
                rest.append(line)
        return tuple(numbers), rest
