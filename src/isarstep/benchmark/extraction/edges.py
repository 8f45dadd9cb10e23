"""The edges of one proof, seen as the task needs them: what justifies a fact, and what a consequence follows from.

Which facts a step uses is the miner's word. These need thought:

- A calculation (also/finally, moreover/ultimately) is transparent: what uses it uses the steps it was composed of.
- A `show` that says the same as the statement whose block it closes is one node with it, or the answer would stand in
  its own source. Where several do (one in each case), each has its own premises, so that cases do not mix; the
  statement follows from what its own proof names (that one of the cases holds) and from each case under its premises.
- A `show` that says something else (a case, a subgoal) is a fact from which the statement follows; with several
  statements, that one which it belongs to (see belonging).
- `obtain x where P x proof ... show thesis` proves `thesis` from `that: P x ==> thesis`. Both are bookkeeping (and
  `that` would tell the answer): the obtained facts follow from what `show thesis` uses, without `that`. The same
  holds where `that` is used without a block, as in `obtain x where P x using that[OF ...]`.
- A lemma with `obtains x where P x` states `thesis` likewise: as a consequence it reads `EX x. P x` (see obtains).
- A `show` under what its block fixes and assumes says more around the block (`P n ==> P (Suc n)` for all n, in an
  induction): the statement follows from that. A target that is seen from outside its block, or is proved by cases,
  has as F.2 only what can be seen there too: facts of the block speak of its own variables and cases. Of a compound
  that is made in the block from what is seen outside, the parts are F.2.
- `have A if B for x` says `A x` inside its proof, where B is a fact; later steps use `B ?x ==> A ?x`. What it follows
  from is asked of the first, what follows from it uses the second.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from isarstep.benchmark.extraction.obtains import thesis_of
from isarstep.benchmark.extraction.texts import Texts, alike
from isarstep.benchmark.store.show_owner import owning_statements
from isarstep.isabelle.process.proof_graph import Proof, Use
from isarstep.isabelle.terms.hol import dest_trueprop, strip_pure_imp
from isarstep.isabelle.terms.terms import App, Free, Term

OBTAINING = ("obtain", "guess")
BY_CASES = (*OBTAINING, "consider")  # what they state inside their proof is a variable, `thesis`


@dataclass(slots=True)
class Sources:
    """What justifies a fact: local facts with what they say to it, and lemmas, by index, each once, in order."""

    facts: dict[int, Term] = field(default_factory=dict)
    lemmas: dict[int, None] = field(default_factory=dict)


class ProofReader:
    """The edges of one proof, seen as the task needs them."""

    def __init__(self, proof: Proof, texts: Texts) -> None:
        self.proof = proof
        self._texts = texts
        self._sources: dict[tuple[int, bool], Sources] = {}
        self._premises: dict[int, Sources] = {}
        self.hidden: set[int] = set()  # what is no fact of the proof: the rules of obtaining steps
        self._thesis = thesis_of(proof)
        self._carriers = self._thesis_carriers()
        self._foreign = self._shows_of_siblings()
        self._restating = [self._restating_shows(number) for number in range(len(proof.facts))]
        # A show that alone restates its statement is that statement: only the statement is a consequence.
        self.merged = {shows[0] for shows in self._restating if len(shows) == 1} | self._carriers
        if self._thesis is not None:
            self.merged.update(number for number in range(len(proof.facts)) if self._applies_thesis(number))

    @property
    def bookkeeping(self) -> set[int]:
        """What is no fact on the page: rules of obtaining steps, and what `obtains` assumes of the thesis."""
        return self.hidden | (self._thesis.assumed if self._thesis is not None else set())

    def _restating_shows(self, number: int) -> list[int]:
        facts = self.proof.facts
        shows = [use.fact for use in facts[number].uses if use.how == "block" and use.fact is not None]
        shows = [show for show in shows if (number, show) not in self._foreign]
        if not shows:
            return []
        if self.proof.steps[facts[number].step].command in BY_CASES:
            for show in shows:
                self._hide_thesis(facts[number].step, facts[show].prop)
            return shows
        # The marks around names are characters of their names here, which does no harm.
        goal = self._texts.of(self.stated(number))
        return [show for show in shows if show != number and alike(self._texts.of(facts[show].prop), goal)]

    def _shows_of_siblings(self) -> set[tuple[int, int]]:
        """(statement, show) where the show belongs to another statement of the same command."""
        facts = self.proof.facts
        together: dict[int, list[int]] = {}
        for number, fact in enumerate(facts):
            if fact.kind == "goal" and self.proof.steps[fact.step].command not in OBTAINING:
                together.setdefault(fact.step, []).append(number)
        found: set[tuple[int, int]] = set()
        for statements in together.values():
            if len(statements) > 1:
                shows = {use.fact for n in statements for use in facts[n].uses if use.how == "block"}
                inner = sorted(show for show in shows - {*statements} if show is not None)
                whose = owning_statements([facts[show].prop for show in inner], [self.stated(n) for n in statements])
                for show, places in zip(inner, whose, strict=True):
                    found.update((n, show) for place, n in enumerate(statements) if place not in places)
        return found

    def _thesis_carriers(self) -> set[int]:
        """Facts such as `that[OF ...]`, made in obtaining steps; the rules `that` of these steps are hidden."""
        facts = self.proof.facts
        bare: set[Term] = set()
        own = {variable.name for variable in self.proof.variables if variable.own == "thesis"}
        for number, fact in enumerate(facts):
            if fact.kind == "assumption" and self.proof.steps[fact.step].command in BY_CASES:
                premises, conclusion = strip_pure_imp(fact.prop)
                variable = dest_trueprop(conclusion)
                if premises and type(variable) is Free and variable.name in own:
                    self.hidden.add(number)
                    bare.add(conclusion)
        made = (number for number, fact in enumerate(facts) if fact.kind == "compound")
        return {number for number in made if strip_pure_imp(facts[number].prop)[1] in bare}

    def _hide_thesis(self, step: int, thesis: Term) -> None:
        """What an obtaining step assumes about its thesis is no fact of the proof."""
        if isinstance(thesis, App) and type(thesis.arg) is Free:
            mark = self._texts.of(thesis.arg)
            for number, fact in enumerate(self.proof.facts):
                if fact.step == step and fact.kind == "assumption" and mark in self._texts.of(fact.prop):
                    self.hidden.add(number)

    def _applies_thesis(self, number: int) -> bool:
        """Is this a fact such as `that[OF ...]`?"""
        fact = self.proof.facts[number]
        thesis = None if self._thesis is None else self._thesis.bare
        return fact.kind == "compound" and strip_pure_imp(fact.prop)[1] == thesis

    def stated(self, number: int) -> Term:
        """What a fact says inside its own proof."""
        fact = self.proof.facts[number]
        by_cases = self.proof.steps[fact.step].command in BY_CASES
        return fact.prop if fact.stated is None or by_cases else fact.stated

    def statement(self, number: int) -> Term:
        """What a consequence says: its proposition, or what the thesis of the lemma stands for."""
        own = self.stated(number)
        return self._thesis.meaning if self._thesis is not None and own == self._thesis.bare else own

    def sources(self, number: int, seen: Term) -> Sources:
        """Everything that justifies a fact, as F.2 and F.5 of a target need it; `seen` is what it says to its user."""
        outside = seen is self.proof.facts[number].outside
        known = self._sources.get((number, outside))
        if known is None:
            known = self._sources[number, outside] = self._collect(number, with_cases=True)
            block, with_premises = self._block_of(number, outside)
            if block is not None:
                self._leave(known, block, with_premises)
        return known

    def _leave(self, known: Sources, block: int, with_premises: bool) -> None:
        """Take out what stands in the proof of a step; of a compound there (`rule[OF fact]`) its parts stay."""
        facts = self.proof.facts
        todo, seen = list(known.facts), set(known.facts)
        for number in todo:
            if not self._is_inside(number, block, with_premises):
                known.facts.setdefault(number, facts[number].prop)
                continue
            known.facts.pop(number, None)
            if facts[number].kind == "compound":
                known.lemmas.update((use.lemma, None) for use in facts[number].uses if use.lemma is not None)
                parts = [use.fact for use in facts[number].uses if use.fact is not None]
                fresh = [part for part in parts if part not in seen and part not in self.hidden]
                seen.update(fresh)
                todo.extend(fresh)

    def _block_of(self, number: int, outside: bool) -> tuple[int | None, bool]:
        """The step whose proof a target is seen from outside of, and whether its own premises are inside too."""
        fact = self.proof.facts[number]
        if outside:
            return self.proof.steps[fact.step].parent, False
        if fact.stated is not None:
            return fact.step, True
        by_cases = any(self.proof.facts[show].outside is not None for show in self._restating[number])
        return (fact.step if by_cases else None), False

    def _is_inside(self, number: int, block: int, with_premises: bool) -> bool:
        """Does a fact stand in the proof of a step?"""
        fact = self.proof.facts[number]
        step: int | None = fact.step
        parts = [use.fact for use in fact.uses if use.fact is not None] if fact.kind == "compound" else []
        if any(self._is_inside(part, block, with_premises) for part in parts):
            return True  # wherever its `using` stands, it is of the block
        if step == block:
            return with_premises and fact.kind == "assumption"
        while step is not None and step != block:
            step = self.proof.steps[step].parent
        return step is not None

    def premises(self, number: int) -> Sources:
        """What a consequence follows from; where several cases restate it, they are consequences of their own."""
        known = self._premises.get(number)
        if known is None:
            known = self._premises[number] = self._collect(number, with_cases=False)
        return known

    def end(self, number: int) -> int:
        """The step at which a consequence is reached: of the show that closes its block, else its own."""
        if self.proof.steps[self.proof.facts[number].step].command in OBTAINING:
            return self.proof.facts[number].step  # which has fixed what it obtained
        shows = self._restating[number]
        seen = {number}
        while len(shows) == 1 and shows[0] not in seen:
            number = shows[0]
            seen.add(number)
            shows = self._restating[number]
        return self.proof.facts[number].step

    def _collect(self, number: int, *, with_cases: bool) -> Sources:
        found = Sources()
        facts = self.proof.facts
        seen = {number}
        cases: dict[int, Term] = {}  # of a statement that several shows restate: what each says around its block
        thesis = self._thesis if self._thesis is not None and facts[number].prop == self._thesis.bare else None
        todo: list[tuple[Use, int]] = [(use, number) for use in reversed(facts[number].uses)]
        while todo:
            use, user = todo.pop()
            if use.lemma is not None:
                found.lemmas[use.lemma] = None
            elif use.fact is not None and (user, use.fact) not in self._foreign:
                restates = use.how == "block" and use.fact in self._restating[user]
                one_with_it = restates and (with_cases or len(self._restating[user]) == 1)
                kind = facts[use.fact].kind
                if thesis is not None:
                    if use.fact in thesis.assumed:
                        continue
                    one_with_it |= self._applies_thesis(use.fact)
                if kind == "calculation" or one_with_it or use.fact in self._carriers:
                    if use.fact not in seen:
                        seen.add(use.fact)
                        todo.extend((inner, use.fact) for inner in reversed(facts[use.fact].uses))
                elif use.fact not in self.hidden:
                    fact = facts[use.fact]
                    around = fact.outside if use.how == "block" else None
                    if not restates:
                        found.facts.setdefault(use.fact, around or fact.prop)
                    elif around is not None and self.proof.steps[facts[user].step].command not in BY_CASES:
                        cases[use.fact] = around
        found.facts.pop(number, None)
        if found.facts:  # else each case is a consequence of its own, and that is all there is to say
            found.facts.update(cases)
        return found
