"""Facts that a proof names: of the proof, of the file, or of the library, chosen by number and with attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from isarstep.common.errors import UserError
from isarstep.isabelle.terms.terms import Free, Term, Var, substitute
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.environment.locale_tables import OwnFact, numbered_names
from isarstep.isabelle.theory.proofs.proof_block import LOST, Block, chosen_facts
from isarstep.isabelle.theory.rules.fact_attributes import with_attribute
from isarstep.isabelle.theory.rules.resolution import NotComputed
from isarstep.isabelle.theory.text.source import SourceToken, split_at
from isarstep.isabelle.theory.text.statements import NotRead, Scope, read_together, too_large

MOST_FACTS = 1_000
_NUMBERED = re.compile(r"<V(\d+)>")


@dataclass
class FactNames:
    """What names of facts mean at a place of a proof."""

    context: OwnContext
    block: Block
    scope: Scope

    def read(self, tokens: Sequence[SourceToken]) -> tuple[tuple[OwnFact, ...], list[str]]:
        """Facts that are named, and the texts of those that are not read, each with its line."""
        facts: list[OwnFact] = []
        unread: list[str] = []
        for found, text, place in self._each(tokens):
            if found is None:
                unread.append(f"{text} (line {self.context.source.line(place)})")
            else:
                facts += found
            if len(facts) > MOST_FACTS:
                raise NotRead(self.context.source, place, f"more than {MOST_FACTS} facts at once are not read")
        return tuple(facts), unread

    def _each(self, tokens: Sequence[SourceToken]) -> list[tuple[tuple[OwnFact, ...] | None, str, int]]:
        source = self.context.source
        reader = TokenReader(tokens, source, tokens[0].start if tokens else 0)
        made = []
        while reader.here is not None:
            token = reader.take()
            if token.keyword("and"):
                continue
            index = "".join(t.text for t in reader.bracket()) if reader.is_keyword("(") else ""
            attributes: list[list[SourceToken]] = []
            written = ""
            if reader.is_keyword("["):
                start = reader.here.start
                attributes = split_at(",", reader.bracket())
                written = " ".join(source.text[start : reader.tokens[reader.at - 1].end].split())
            text = token.text + (f"({index})" if index else "")
            made.append((self._fact_with(token, index, attributes, written), text + written, token.start))
        return made

    def _fact_with(
        self, token: SourceToken, index: str, attributes: Sequence[Sequence[SourceToken]], written: str
    ) -> tuple[OwnFact, ...] | None:
        """None where it is not read."""
        if token.keyword("[") and not index:  # `[[...]]` sets an option
            return ()
        quoted = token.kind in ("open", "back")  # a text in quotation marks is a name
        found = self._quoted(token) if quoted else self.called(token.text)
        if found is None or LOST in found:
            return None
        chosen = tuple(chosen_facts(found, index))
        if not attributes:
            return chosen
        try:
            made = tuple(each for fact in chosen for each in self._changed(fact, attributes))
        except (NotComputed, UserError):
            return None
        if made == chosen:
            return made
        if quoted:
            return tuple(replace(fact, name="") for fact in made)
        base = token.text + (f"({index})" if index else "")
        if len(made) == 1:
            return (replace(made[0], name=f"{base}{written}"),)
        names = [f"{token.text}({n}){written}" if not index else "" for n in range(1, len(made) + 1)]
        return tuple(replace(fact, name=name) for fact, name in zip(made, names, strict=True))

    def _changed(self, fact: OwnFact, attributes: Sequence[Sequence[SourceToken]]) -> tuple[OwnFact, ...]:
        for attribute in attributes:
            (fact,) = with_attribute(fact, attribute, self.scope, self._given)
            if too_large(fact.prop):
                raise NotComputed
        return (fact,)

    def _given(self, tokens: Sequence[SourceToken]) -> list[OwnFact | None] | None:
        """Facts behind `OF`; `_` leaves a premise as it is. None where one is not read."""
        made: list[OwnFact | None] = []
        for found, text, _ in self._each(tokens):
            if text == "_":
                made.append(None)
            elif found is None:
                return None
            else:
                made += found
        return made

    def called(self, name: str) -> tuple[OwnFact, ...] | None:
        """What a name means: facts of the proof come first, then those of the file, then those of the library."""
        block = self.block
        if name in block.lost or name == "_":
            return None
        if name == "this":
            return block.this
        if name == "calculation":
            return block.calculation
        return block.facts.get(name) or self.context.find_facts(name) or self._of_library(name)

    def _of_library(self, name: str) -> tuple[OwnFact, ...] | None:
        context = self.context
        if f"fact {name}" in context.unread.names or (
            context.in_locale and context.theory_context.in_some_locale(name)
        ):
            return None
        found = context.theory_context.library_facts(name)
        named = zip(numbered_names(name, len(found)), found, strict=True)
        return tuple(OwnFact(each, _with_names(prop), library=True) for each, (_, prop) in named) or None

    def _quoted(self, token: SourceToken) -> tuple[OwnFact, ...]:
        term = read_together([token], self.scope).terms[0]
        known = [fact for fact in self.block.known if fact.prop == term]
        if not known:
            raise NotRead(self.context.source, token.start, "no fact of the proof says this")
        return tuple(known[:1])


def _with_names(prop: Term) -> Term:
    """Variables of the library's facts are numbered; the author's names are not kept there."""

    def named(leaf: Free | Var) -> Term | None:
        number = _NUMBERED.fullmatch(leaf.name)
        return Var(f"v{number[1]}", 0, leaf.type) if number is not None else None

    return substitute(prop, named)
