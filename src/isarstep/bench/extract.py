"""Examples from proof graphs: for each local fact T and each fact C that uses it, T is the missing proposition.

Which facts a step uses is the miner's word; here they become F.1-F.5. Three kinds of edges need thought:

- A calculation (also/finally, moreover/ultimately) is transparent: what uses it uses the steps it was composed of.
- A `show` that says the same as the statement whose block it closes is one node with it, or the answer would stand in
  its own source. Where several do (one in each case), each has its own premises, so that cases do not mix.
- A `show` that says something else (a case, a subgoal) is a fact from which the statement follows.
- `obtain x where P x proof ... show thesis` proves `thesis` from `that: P x ==> thesis`. Both are bookkeeping (and
  `that` would tell the answer): the obtained facts follow from what `show thesis` uses, without `that`.
- A lemma with `obtains x where P x` states `thesis` likewise: as a consequence it reads `EX x. P x` (see obtains).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from isarstep.bench.clashes import NOTHING, Renaming
from isarstep.bench.ids import theorem_identity
from isarstep.bench.layout import UNTYPED
from isarstep.bench.obtains import thesis_of
from isarstep.bench.shards import ShardBuilder
from isarstep.bench.texts import Template, Texts, alike
from isarstep.logic.terms import Abs, App, Free, Term, Typ, Type, subterms
from isarstep.logic.typestrings import format_type
from isarstep.mine.graph import Graph, Proof, Use

OBTAINING = ("obtain", "guess")
KINDS = {"assumption": "assumption", "definition": "assumption", "compound": "compound"}  # all else is a step
UNKNOWN = Type(UNTYPED)


@dataclass(frozen=True)
class Rules:
    """What becomes an example. The defaults are the paper's numbers and its demand for a consequence."""

    max_source: int = 800
    max_target: int = 200
    keep_open: bool = False  # targets from which nothing follows
    keep_restated: bool = False


@dataclass(slots=True)
class Sources:
    """What justifies a fact: indices of local facts and of lemmas, each once, in order."""

    facts: dict[int, None] = field(default_factory=dict)
    lemmas: dict[int, None] = field(default_factory=dict)


class ProofReader:
    """The edges of one proof, seen as the task needs them."""

    def __init__(self, proof: Proof, texts: Texts) -> None:
        self.proof = proof
        self._texts = texts
        self._sources: dict[int, Sources] = {}
        self._premises: dict[int, Sources] = {}
        self._hidden: set[int] = set()
        self._thesis = thesis_of(proof)
        self._restating = [self._restating_shows(number) for number in range(len(proof.facts))]
        # A show that alone restates its statement is that statement: only the statement is a consequence.
        self.merged = {shows[0] for shows in self._restating if len(shows) == 1}
        if self._thesis is not None:
            self.merged.update(number for number in range(len(proof.facts)) if self._applies_thesis(number))

    def _restating_shows(self, number: int) -> list[int]:
        facts = self.proof.facts
        shows = [use.fact for use in facts[number].uses if use.how == "block" and use.fact is not None]
        if not shows:
            return []
        if self.proof.steps[facts[number].step].command in OBTAINING:
            for show in shows:
                self._hide_thesis(facts[number].step, facts[show].prop)
            return shows
        # The marks around names are characters of their names here, which does no harm.
        goal = self._texts.of(facts[number].prop)
        return [show for show in shows if show != number and alike(self._texts.of(facts[show].prop), goal)]

    def _hide_thesis(self, step: int, thesis: Term) -> None:
        """What an obtaining step assumes about its thesis is no fact of the proof."""
        if isinstance(thesis, App) and type(thesis.arg) is Free:
            mark = self._texts.of(thesis.arg)
            for number, fact in enumerate(self.proof.facts):
                if fact.step == step and fact.kind == "assumption" and mark in self._texts.of(fact.prop):
                    self._hidden.add(number)

    def _applies_thesis(self, number: int) -> bool:
        """Is this a fact such as `that[OF ...]`?"""
        fact = self.proof.facts[number]
        return fact.kind == "compound" and self._thesis is not None and self._thesis.ends(fact.prop)

    def statement(self, number: int) -> Term:
        """What a consequence says: its proposition, or what the thesis of the lemma stands for."""
        own = self.proof.facts[number].prop
        return self._thesis.meaning if self._thesis is not None and own == self._thesis.bare else own

    def sources(self, number: int) -> Sources:
        """Everything that justifies a fact, as F.2 and F.5 of a target need it."""
        known = self._sources.get(number)
        if known is None:
            known = self._sources[number] = self._collect(number, with_cases=True)
        return known

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
        thesis = self._thesis if self._thesis is not None and facts[number].prop == self._thesis.bare else None
        todo: list[tuple[Use, int]] = [(use, number) for use in reversed(facts[number].uses)]
        while todo:
            use, user = todo.pop()
            if use.lemma is not None:
                found.lemmas[use.lemma] = None
            elif use.fact is not None:
                restates = use.how == "block" and use.fact in self._restating[user]
                one_with_it = restates and (with_cases or len(self._restating[user]) == 1)
                kind = facts[use.fact].kind
                if thesis is not None:
                    if use.fact in thesis.assumed:
                        continue
                    one_with_it |= self._applies_thesis(use.fact)
                if kind == "calculation" or one_with_it:
                    if use.fact not in seen:
                        seen.add(use.fact)
                        todo.extend((inner, use.fact) for inner in reversed(facts[use.fact].uses))
                elif not restates and use.fact not in self._hidden:
                    found.facts[use.fact] = None
        found.facts.pop(number, None)
        return found


class Contexts:
    """Numbers of variables: those fixed at a step in order of introduction, then all others in order."""

    def __init__(self, proof: Proof) -> None:
        self._proof = proof
        # What no command fixed comes last.
        self._order = list(dict.fromkeys([*(v for s in proof.steps for v in s.fixed), *range(len(proof.variables))]))
        self._known: dict[tuple[int, ...], tuple[dict[str, int], dict[int, int]]] = {}

    def at(self, step: int) -> tuple[dict[str, int], dict[int, int]]:
        """For consequences at this step: name of variable -> number, and identity of term -> proposition, yet empty."""
        here = self._proof.steps[step].fixed
        known = self._known.get(here)
        if known is None:
            order = dict.fromkeys([*here, *self._order])
            known = self._known[here] = {self._proof.variables[v].name: place for place, v in enumerate(order)}, {}
        return known


@dataclass(frozen=True, slots=True)
class View:
    """A proof as seen from one consequence: its variables have numbers, in the order of the dictionary."""

    proof: Proof
    reader: ProofReader
    identity: str
    end: int  # the step at which the consequence is reached
    numbers: dict[str, int]
    rendered: dict[int, int]  # what has been rendered with these numbers: identity of term -> proposition
    types: dict[str, Typ]


class Extractor:
    """All examples of one graph."""

    def __init__(self, graph: Graph, rules: Rules | None = None, renaming: Renaming = NOTHING) -> None:
        self.graph = graph
        self._renaming = renaming  # what has been done to the names of the graph
        self.rules = rules or Rules()
        self.builder = ShardBuilder()
        self.counts: Counter[str] = Counter()
        self.variable_names: set[str] = set()
        # Terms and types of one graph are shared objects and stay alive with it, so their identity is a key.
        self.texts = Texts(graph.terms)
        self._templates: dict[int, Template] = {}
        self._outlines: dict[int, tuple[int, int, int]] = {}  # of propositions, see Template
        self._order: dict[int, tuple[int, str]] = {}  # of propositions inside a field
        self._type_numbers: dict[int, int] = {}
        self._made: list[Term] = []  # terms of ours must stay alive too

    def run(self) -> None:
        for proof in self.graph.proofs:
            self.counts["proofs"] += 1
            if proof.complete:
                self._proof(proof)
            else:
                self.counts["incomplete proofs"] += 1

    def _template(self, term: Term) -> Template:
        template = self._templates.get(id(term))
        if template is None:
            template = self._templates[id(term)] = Template(self.texts.of(term))
            self.variable_names.update(template.names)
            self.variable_names.update(template.schematics)
        return template

    def _render(self, term: Term, view: View) -> int:
        number = view.rendered.get(id(term))
        if number is None:
            number = view.rendered[id(term)] = self._rendered(term, view)
        return number

    def _rendered(self, term: Term, view: View) -> int:
        template = self._template(term)
        numbers = view.numbers
        try:
            key = tuple([numbers[name] for name in template.names])
        except KeyError:
            # A lemma of an enclosing context may mention variables that this proof does not know.
            for node in subterms(term):
                if type(node) is Free and node.name not in numbers:
                    numbers[node.name] = len(numbers)
                    if node.type is not None:
                        view.types[node.name] = node.type
            key = tuple([numbers[name] for name in template.names])
        number = template.rendered.get(key)
        if number is None:
            own_pattern = key == tuple(range(len(key)))
            text = template.text(numbers)
            number = self.builder.proposition(text, key, b"" if own_pattern else template.pattern)
            template.rendered[key] = number
            self._outlines[number] = template.outline
            # Longest first, then by Isabelle's own text: the order stays when other theories make names longer.
            self._order[number] = (-self.builder.lengths[number], self._renaming.undone(text))
        return number

    def _proof(self, proof: Proof) -> None:
        reader = ProofReader(proof, self.texts)
        contexts = Contexts(proof)
        types = variable_types(proof)
        identity = identity_of(proof, self.texts, self._renaming)
        used: set[int] = set()
        for number, fact in enumerate(proof.facts):
            if fact.kind == "calculation" or number in reader.merged:
                continue
            premises = reader.premises(number)
            if not premises.facts:
                continue
            used.update(premises.facts)
            end = reader.end(number)
            view = View(proof, reader, identity, end, *contexts.at(end), types)
            statement = reader.statement(number)
            self._made.append(statement)
            f3 = self._render(statement, view)
            # The same for every target: rendered once.
            local = {i: self._render(proof.facts[i].prop, view) for i in premises.facts}
            library = self._ordered([self._render(self.graph.lemmas[i].prop, view) for i in premises.lemmas])
            for target, f1 in local.items():
                # Whatever else says the same as the target would give it away.
                f4 = self._ordered([n for n in local.values() if n != f1])
                f4 += [n for n in library if n not in f4]
                self._example(view, target, f1, number, f3, f4)
        if self.rules.keep_open:
            for number, fact in enumerate(proof.facts):
                if number not in used and fact.kind != "calculation" and number not in reader.merged:
                    view = View(proof, reader, identity, fact.step, *contexts.at(fact.step), types)
                    if reader.sources(number).facts:
                        self._example(view, number, self._render(fact.prop, view), None, None, [])

    def _example(
        self, view: View, target: int, f1: int, consequence: int | None, f3: int | None, f4: list[int]
    ) -> None:
        builder, rules, counts, proof = self.builder, self.rules, self.counts, view.proof
        counts["raw"] += 1
        own = view.reader.sources(target)
        f2 = self._ordered([self._render(proof.facts[i].prop, view) for i in own.facts])
        if builder.lengths[f1] > rules.max_target or builder.source_length(f2, f3, f4) > rules.max_source:
            counts["too long"] += 1
            return
        f5 = self._ordered([self._render(self.graph.lemmas[i].prop, view) for i in own.lemmas])
        restated = self._restates(f1, f2, f3, f4, f5)
        if restated:
            counts["restated"] += 1
            if not rules.keep_restated:
                return
        fixed = len(proof.steps[view.end].fixed)
        variables = builder.variables([f1, *f2, *([] if f3 is None else [f3]), *f4, *f5])
        variables = sorted({*range(fixed), *variables})
        names = list(view.numbers)  # in the order of the numbers
        fact = proof.facts[target]
        last = None if consequence is None else proof.steps[proof.facts[consequence].step]
        builder.add(
            f1, f2, f3, f4, f5,
            types=[self.type_number(view.types[names[v]]) for v in variables],
            theorem=view.identity,
            name=proof.name or "",
            session=self.graph.session,
            theory=self.graph.theory,
            proof=proof.ordinal,
            target_step=proof.steps[fact.step].ordinal,
            consequence_step=-1 if last is None else last.ordinal,
            target_command=proof.steps[fact.step].command,
            consequence_command="" if last is None else last.command,
            target_kind=KINDS.get(fact.kind, "step"),
            restated=restated,
            fixed=fixed,
        )  # fmt: skip
        counts["examples"] += 1

    def _restates(self, f1: int, f2: list[int], f3: int | None, f4: list[int], f5: list[int]) -> bool:
        """Is the target, or the consequence, one of the other propositions?"""
        others = [*f2, *f4, *f5]
        if f3 is None:
            return self._among(f1, others)
        # Where the consequence stands among its own premises, the target is not what it follows from.
        return self._among(f3, others) or self._among(f1, [f3, *others])

    def _among(self, one: int, others: Sequence[int]) -> bool:
        if one in others:
            return True
        outlines, texts = self._outlines, self.builder.propositions.texts
        outline = outlines[one]
        return any(outlines[other] == outline and alike(texts[one], texts[other]) for other in others)

    def _ordered(self, numbers: Sequence[int]) -> list[int]:
        """Each proposition once, longest first; equal lengths by text, so that the order means nothing."""
        return list(numbers) if len(numbers) < 2 else sorted(set(numbers), key=self._order.__getitem__)

    def type_number(self, typ: Typ) -> int:
        number = self._type_numbers.get(id(typ))
        if number is None:
            number = self._type_numbers[id(typ)] = self.builder.types.add(format_type(typ))
        return number


def variable_types(proof: Proof) -> dict[str, Typ]:
    """Types of a proof's variables; where one was fixed before its type was known, the facts know it."""
    types = {variable.name: variable.type for variable in proof.variables}
    unknown = {name for name, typ in types.items() if typ == UNKNOWN}
    if unknown:
        for fact in proof.facts:
            for node in subterms(fact.prop):
                if type(node) is Free and node.name in unknown and node.type is not None and node.type != UNKNOWN:
                    types[node.name] = node.type
                    unknown.discard(node.name)
    return types


def identity_of(proof: Proof, texts: Texts, renaming: Renaming = NOTHING) -> str:
    """Of the head's statements with its assumptions as premises, or of a notepad's steps; variables by occurrence.

    Names count as Isabelle gave them, so that no theorem moves to another split because of its company.
    """
    head = [fact for fact in proof.facts if fact.step == 0]
    goals = [fact.prop for fact in head if fact.kind == "goal"]
    if proof.command == "notepad" or not goals:
        statements = [texts.of(fact.prop) for fact in proof.facts]
    else:
        assumptions = [fact.prop for fact in head if fact.kind == "assumption"]
        statements = [_implication(assumptions, goal, texts) for goal in goals]
    numbers: dict[str, int] = {}
    lines: list[str] = []
    for statement in statements:
        template = Template(statement)
        for name in template.names:
            numbers.setdefault(name, len(numbers))
        lines.append(renaming.undone(template.text(numbers)))
    return theorem_identity(lines)


def _implication(assumptions: Sequence[Term], goal: Term, texts: Texts) -> str:
    text = texts.of(goal)
    atomic = not isinstance(goal, App | Abs)
    for assumption in reversed(assumptions):
        premise = texts.of(assumption)
        if isinstance(assumption, App | Abs):
            premise = f"( {premise} )"
        text = f"CONST Pure.imp $ {premise} $ {text if atomic else f'( {text} )'}"
        atomic = False
    return text
