"""Examples from proof graphs: for each local fact T and each fact C that uses it, T is the missing proposition.

What justifies a fact is `edges`' word; here it becomes F.1-F.5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from isarstep.benchmark.extraction.edges import ProofReader
from isarstep.benchmark.extraction.texts import Template, Texts, alike
from isarstep.benchmark.rules.marks import RESTATED, case_bundles, mark_of_texts, unproved_steps
from isarstep.benchmark.rules.rules import MAX_SOURCE, MAX_TARGET
from isarstep.benchmark.rules.shards import ShardBuilder
from isarstep.benchmark.store.ids import theorem_identity
from isarstep.benchmark.store.layout import UNTYPED
from isarstep.benchmark.store.setting import holdings, statement_of
from isarstep.isabelle.context.clashes import NOTHING, Renaming
from isarstep.isabelle.process.proof_graph import Graph, Proof
from isarstep.isabelle.terms.terms import Abs, App, Free, Term, Typ, Type, subterms
from isarstep.isabelle.terms.type_text import format_type

KINDS = {"assumption": "assumption", "definition": "assumption", "compound": "compound"}  # all else is a step
UNKNOWN = Type(UNTYPED)


@dataclass(slots=True)
class Context:
    """Variables with numbers, in the order of the dictionary, and what has been rendered with these numbers."""

    numbers: dict[str, int]
    rendered: dict[int, int] = field(default_factory=dict)  # identity of term -> proposition
    types: list[int] = field(default_factory=list)  # of the variables, by number, once they are asked for
    order: list[int] = field(default_factory=list)  # which of the proof's variables each is


class Contexts:
    """Numbers of variables: those fixed at a step in order of introduction, then all others in order."""

    def __init__(self, proof: Proof) -> None:
        self._proof = proof
        # What no command fixed comes last.
        self._order = list(dict.fromkeys([*(v for s in proof.steps for v in s.fixed), *range(len(proof.variables))]))
        self._known: dict[tuple[int, ...], Context] = {}
        self.order = {proof.variables[v].name: place for place, v in enumerate(self._order)}

    def at(self, step: int) -> Context:
        """For consequences at this step."""
        here = self._proof.steps[step].fixed
        known = self._known.get(here)
        if known is None:
            order = dict.fromkeys([*here, *self._order])
            known = self._known[here] = Context({self._proof.variables[v].name: n for n, v in enumerate(order)})
        return known


@dataclass(frozen=True, slots=True)
class Whole:
    """One proof, and what all its examples share."""

    proof: Proof
    reader: ProofReader
    identity: str
    types: dict[str, Typ] = field(hash=False)
    order: dict[str, int] = field(hash=False)  # its variables by name, in the order of their introduction
    unproved: frozenset[int]  # steps
    bundles: dict[int, frozenset[int]] = field(hash=False)  # of facts


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A proof as seen from one consequence."""

    whole: Whole
    end: int  # the step at which the consequence is reached
    context: Context


@dataclass(frozen=True, slots=True)
class Consequence:
    """F.3 with all that it follows from, rendered."""

    number: int  # of the fact
    f3: int
    seen: dict[int, Term] = field(hash=False)  # local fact -> what it says to the consequence
    local: dict[int, int] = field(hash=False)  # and that as a proposition
    ordered: list[int] = field(hash=False)  # the same propositions, as F.4 lists them
    library: list[int] = field(hash=False)


class Extractor:
    """All examples of one graph."""

    def __init__(self, graph: Graph, renaming: Renaming = NOTHING) -> None:
        self.graph = graph
        self._renaming = renaming  # what has been done to the names of the graph
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
        self.lemmas: set[tuple[int, int]] = set()  # proposition of an example, which lemma of the graph it is

    def run(self) -> None:
        for proof in self.graph.proofs:
            self.counts["proofs"] += 1
            if not proof.complete:
                self.counts["incomplete proofs"] += 1
            elif any(use.fact is not None for fact in proof.facts for use in fact.uses):  # else nothing is a target
                self._proof(proof)

    def _template(self, term: Term) -> Template:
        template = self._templates.get(id(term))
        if template is None:
            template = self._templates[id(term)] = Template(self.texts.of(term))
            self.variable_names.update(template.names)
            self.variable_names.update(template.schematics)
        return template

    def _render(self, term: Term, view: View) -> int:
        rendered = view.context.rendered
        number = rendered.get(id(term))
        if number is None:
            number = rendered[id(term)] = self._rendered(term, view)
        return number

    def _rendered(self, term: Term, view: View) -> int:
        template = self._template(term)
        numbers = view.context.numbers
        try:
            key = tuple([numbers[name] for name in template.names])
        except KeyError:
            # A lemma of an enclosing context may mention variables that this proof does not know.
            for node in subterms(term):
                if type(node) is Free and node.name not in numbers:
                    numbers[node.name] = len(numbers)
                    view.whole.order.setdefault(node.name, len(view.whole.order))
                    if node.type is not None:
                        view.whole.types[node.name] = node.type
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
        whole = Whole(
            proof, reader, identity_of(proof, self.texts, self._renaming), variable_types(proof), contexts.order,
            unproved_steps(proof), case_bundles(proof),
        )  # fmt: skip
        before = self.counts["examples"]
        for number, fact in enumerate(proof.facts):
            if fact.kind == "calculation" or number in reader.merged:
                continue
            premises = reader.premises(number)
            if not premises.facts:
                continue
            end = reader.end(number)
            view = View(whole, end, contexts.at(end))
            statement = reader.statement(number)
            self._made.append(statement)
            # The same for every target: rendered once.
            f3 = self._render(statement, view)
            local = {i: self._render(seen, view) for i, seen in premises.facts.items()}
            library = self._ordered([self._lemma(i, view) for i in premises.lemmas])
            consequence = Consequence(number, f3, premises.facts, local, self._ordered(list(local.values())), library)
            for target in local:
                self._example(view, target, consequence)
        if self.counts["examples"] > before:
            # For the proof as a whole: its variables in the order of their introduction.
            self._setting(View(whole, 0, Context(dict(contexts.order))))

    def _lemma(self, number: int, view: View) -> int:
        proposition = self._render(self.graph.lemmas[number].prop, view)
        self.lemmas.add((proposition, number))
        return proposition

    def _setting(self, view: View) -> None:
        """The row of a proof: what stands around its examples."""
        proof = view.whole.proof
        reader = view.whole.reader
        statements = [reader.statement(number) for number in statement_of(proof)]
        self._made += statements
        holding = holdings(proof, reader.bookkeeping)
        facts = [(self._render(proof.facts[one.fact].prop, view), one) for one in holding]
        short = [(number, one) for number, one in facts if self.builder.lengths[number] <= MAX_SOURCE]
        own = {variable.name: variable.own or variable.name for variable in proof.variables}
        names = list(view.whole.order)
        self.builder.add_proof(
            self.graph.theory,
            proof.ordinal,
            proof.locale or "",
            [own.get(name, name) for name in names],
            [self.type_number(view.whole.types.get(name, UNKNOWN)) for name in names],
            [self._render(statement, view) for statement in statements],
            [number for number, _ in short],
            [one.first for _, one in short],
            [one.last for _, one in short],
        )

    def _example(self, view: View, target: int, consequence: Consequence) -> None:
        builder, counts, whole = self.builder, self.counts, view.whole
        proof = whole.proof
        counts["raw"] += 1
        seen = consequence.seen[target]
        f1, f3 = self._render(seen, view), consequence.f3
        # Whatever else says the same as the target would give it away.
        f4 = [n for n in consequence.ordered if n != f1]
        f4 += [n for n in consequence.library if n not in f4]
        own = whole.reader.sources(target, seen)
        f2 = self._ordered([self._render(said, view) for said in own.facts.values()])
        if builder.lengths[f1] > MAX_TARGET or builder.source_length(f2, f3, f4) > MAX_SOURCE:
            counts["too long"] += 1
            return
        f5 = self._ordered([self._lemma(i, view) for i in own.lemmas])
        mark = RESTATED if self._restates(f1, f2, f3, f4, f5) else self._mark(view, target, consequence, f1, f2)
        if mark:
            counts[mark] += 1
            if mark == RESTATED:
                return
        context = view.context
        if len(context.types) < len(context.numbers):  # none yet, or something rendered since has brought variables
            context.types = [self.type_number(whole.types[name]) for name in context.numbers]
            context.order = [whole.order[name] for name in context.numbers]
        fixed = len(proof.steps[view.end].fixed)
        variables = builder.variables([f1, *f2, f3, *f4, *f5], range(fixed))
        step = proof.steps[proof.facts[target].step]
        last = proof.steps[proof.facts[consequence.number].step]

        def numbers(introduced: Sequence[int]) -> list[int]:
            return sorted([context.numbers[proof.variables[v].name] for v in introduced])

        builder.add(
            f1, f2, f3, f4, f5,
            types=[context.types[v] for v in variables],
            variables=[context.order[v] for v in variables],
            introduced=numbers(step.introduced),
            introduced_after=numbers(last.introduced),
            theorem=whole.identity,
            name=proof.name or "",
            session=self.graph.session,
            theory=self.graph.theory,
            proof=proof.ordinal,
            proof_row=builder.proofs,
            target_step=step.ordinal,
            consequence_step=last.ordinal,
            target_command=step.command,
            consequence_command=last.command,
            target_kind=KINDS.get(proof.facts[target].kind, "step"),
            mark=mark,
            fixed=fixed,
        )  # fmt: skip
        counts["examples"] += 1

    def _mark(self, view: View, target: int, consequence: Consequence, f1: int, f2: Sequence[int]) -> str:
        """Why an example teaches nothing, if it does not."""
        texts, whole = self.builder.propositions.texts, view.whole
        mark = mark_of_texts(texts[f1], [texts[n] for n in f2], texts[consequence.f3])
        if mark:
            return mark
        bundle = whole.bundles.get(target)
        if bundle is not None and bundle <= consequence.local.keys():
            return "bundle"
        facts = whole.proof.facts
        return "sorry" if {facts[target].step, facts[consequence.number].step} & whole.unproved else ""

    def _restates(self, f1: int, f2: list[int], f3: int, f4: list[int], f5: list[int]) -> bool:
        """Is the target, or the consequence, one of the other propositions?"""
        others = [*f2, *f4, *f5]
        # Where the consequence stands among its own premises, the target is not what it follows from.
        return self._among(f3, others) or self._among(f1, [f3, *others])

    def _among(self, one: int, others: Sequence[int]) -> bool:
        if one in others:
            return True
        outlines, texts = self._outlines, self.builder.propositions.texts
        outline = outlines[one]
        similar = [other for other in others if outlines[other] == outline]
        return any(alike(texts[one], texts[other]) for other in similar)

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
    if not goals:  # a notepad states nothing
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
