"""Names of facts that proofs cite above a place of a theory file: what an author has used is often used again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.context.uses_above import UsesAbove
from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.theory.text.source import OuterCommand

_METHODS = frozenset("by apply apply_end proof qed".split())
_CITING = _METHODS | frozenset("using unfolding from with note supply".split())


@dataclass(frozen=True, slots=True)
class CitedNames:
    """Names, and how many commands cite each."""

    proof: Mapping[str, int] = field(hash=False)
    theory: Mapping[str, int] = field(hash=False)  # proofs of the file above this one
    files: Mapping[str, int] = field(hash=False)  # other files of the folder, which this one imports

    @staticmethod
    def above(
        place: int, proof: int, commands: Sequence[OuterCommand], files: Iterable[Sequence[OuterCommand]]
    ) -> CitedNames:
        """Those before a place, in a proof that begins at `proof`."""
        earlier = [each for each in commands if each.start < place]
        return CitedNames(
            _cited(each for each in earlier if each.start >= proof),
            _cited(each for each in earlier if each.start < proof),
            _cited(each for file in files for each in file),
        )

    def of_library(self, theory_context: TheoryContext, hidden: Set[str]) -> UsesAbove:
        """The library's facts among them; what the file's own facts are called is hidden."""
        found = theory_context.numbers_of_facts({*self.proof, *self.theory, *self.files} - hidden)

        def uses(names: Mapping[str, int]) -> Mapping[int, int]:
            counted = Counter[int]()
            for name, times in names.items():
                counted.update(dict.fromkeys(found.get(name, ()), times))
            return counted

        return UsesAbove(uses(self.proof), uses(self.theory), uses(self.files))


NOTHING_CITED = CitedNames({}, {}, {})


def _cited(commands: Iterable[OuterCommand]) -> Mapping[str, int]:
    """Each once a command."""
    names = Counter[str]()
    for command in commands:
        if command.name in _CITING:
            names.update(_names(command))
    return names


def _names(command: OuterCommand) -> set[str]:
    """All but those of methods, their modifiers (`intro:`) and attributes: `subst` is the name of a fact, too. What
    `del:` takes away is not used."""
    before = ("[", ",", *(("(", ";", "|") if command.name in _METHODS else ()))
    found, named, taken_away = set(), command.name not in _METHODS, False
    for token, following in zip(command.tokens, (*command.tokens[1:], None), strict=False):
        if following and following.keyword(":", "!", "?", "="):
            taken_away = token.keyword("del")
        elif token.kind == "name" and named and not taken_away:
            found.add(to_isabelle(token.text))
        named = not token.keyword(*before)
        taken_away &= named
    return found
