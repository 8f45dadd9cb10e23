"""The checker without Isabelle: one example and one proposal in, a verdict out.

Local propositions get the recorded types of their variables, else those of joint inference over the example; type
variables that stay open are fixed, never generalised, so whatever is proved holds for every way to choose them.
Library lemmas are taken from the fact base with their own types and sorts (`check/lemmas.py`); one that is not there
counts as a local fact.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from isarstep.bench.worlds import World, Worlds
from isarstep.check import formula
from isarstep.check.facts import FactBase
from isarstep.check.instances import fitting
from isarstep.check.lemmas import as_general, at_any_type
from isarstep.check.likeness import likeness
from isarstep.check.monomorphise import Named, term_type_variables
from isarstep.check.premises import constants_of, relevance_of
from isarstep.check.problems import DEFINITION, Query, attempt, instantiated
from isarstep.check.provers import (
    NOTHING_TRIED,
    QUICK,
    Attempt,
    OutOfTime,
    ProofFound,
    ProverAnswer,
    Provers,
    Strategy,
    available,
)
from isarstep.check.rewriting import TRUE, Rewriter, rewrites_of
from isarstep.check.simprules import SimpRules
from isarstep.check.verdict import (
    NOT_ASKED,
    Background,
    Gap,
    IllFormed,
    Proved,
    TimedOut,
    Unknown,
    Unsupported,
    Verdict,
    WellFormed,
    proved,
)
from isarstep.check.witnesses import existing, witnesses
from isarstep.errors import UserError
from isarstep.logic.abbreviations import expand
from isarstep.logic.hol import BOOL, PROP, trueprop
from isarstep.logic.infer import infer
from isarstep.logic.said import typed_as_said, without_marks
from isarstep.logic.terms import App, Const, Term, TFree, TVar, Typ, Type, constants, frees, fun, substitute_types
from isarstep.logic.tokens import decode
from isarstep.logic.typestrings import parse_type, type_variables

SHARE_WITHOUT_LIBRARY = 0.5
FEW = 64  # library facts
HINTS = 24  # of an example, that are tried before anything else
SPARE = 1.5  # candidates for every library fact that is wanted: not every one has an instance at the types of a query
OWN = "~P"  # end of the names of types that a proposal leaves open
FALSEHOOD = App(Const("HOL.Trueprop", fun(BOOL, PROP)), Const("HOL.False", BOOL))


class ExampleToCheck(Protocol):
    """What the checker reads of a benchmark's example."""

    @property
    def id(self) -> str: ...
    @property
    def f1(self) -> str: ...
    @property
    def f2(self) -> tuple[str, ...]: ...
    @property
    def f3(self) -> str | None: ...
    @property
    def f4(self) -> tuple[str, ...]: ...
    @property
    def f5(self) -> tuple[str, ...]: ...
    @property
    def target_kind(self) -> str: ...
    @property
    def types(self) -> Mapping[str, str]: ...
    @property
    def fixed(self) -> int: ...
    @property
    def theory(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def proof(self) -> int: ...
    @property
    def target_command(self) -> str: ...
    @property
    def consequence_command(self) -> str: ...
    @property
    def introduced(self) -> tuple[int, ...]: ...
    @property
    def introduced_after(self) -> tuple[int, ...]: ...
    def source(self, *, hints: bool = ...) -> Sequence[tuple[int, str]]: ...


@dataclass(frozen=True, slots=True)
class Effort:
    """Numbers of library facts to try, one after the other, and the strategies for each; time limits are the
    provers'.
    """

    library: tuple[int, ...] = (0, 32, 128)
    strategies: tuple[Strategy, ...] = QUICK

    def share(self, size: int) -> float:
        """Of the time limit. What follows from the given premises alone does so quickly or not at all."""
        return 1.0 if size or len(self.library) == 1 else SHARE_WITHOUT_LIBRARY

    def tried(self, size: int) -> tuple[Strategy, ...]:
        """The strategies for so many library facts: only saturation copes with many, where it is installed."""
        here = available(self.strategies)
        if size <= FEW or self.strategies != QUICK:
            return here
        return here[:1]


@dataclass(frozen=True, slots=True)
class Typed:
    """An example with typed propositions, in the world where it is asked about. Lemmas of F.4 and F.5 that the fact
    base knows stand apart with their own types.
    """

    world: World
    scored: bool  # only what comes before the example's theorem may be used, and no copy of it
    f2: tuple[Named, ...]
    f3: Term
    f4: tuple[Named, ...]
    f5: tuple[Named, ...]  # lemmas in the words of the context
    f4_lemmas: tuple[int, ...]
    f5_lemmas: tuple[int, ...]
    reference: Term | None
    types: Mapping[str, Typ]  # of the variables; what the example leaves open is a fixed type variable
    texts: Mapping[str, tuple[str, ...]]  # of fields, for the relevance filter
    witnesses: frozenset[str]  # variables that the target's own step says exist
    proposal: Term | None = None

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

    def with_proposal(self, proposal: Term) -> Typed:
        """The same with a proposal, typed after all else: it may not narrow the types of the example. UserError."""
        signature = self.world.signature
        typed = typed_as_said(proposal, signature, self.types)
        own = {variable for typ in self.types.values() for variable in type_variables(typ)}
        return replace(self, proposal=expand(_fixed(typed, OWN, own), signature))


@dataclass(frozen=True, slots=True)
class Asked:
    """One query as it was tried: with so many library facts, and what came of it. For `--explain`."""

    question: str
    query: Query
    gap: Gap


@dataclass(slots=True)
class Checker:
    """Checks proposals with one set of provers. What holds for an example alone is asked once.

    Examples are scored where they stand. Whoever asks about a proof of their own names a world instead, and may use
    all of it.
    """

    worlds: Worlds
    provers: Provers
    facts: FactBase | None = None
    effort: Effort = field(default_factory=Effort)
    trace: list[Asked] | None = None
    simp: SimpRules | None = None  # None: nothing is rewritten
    instances: bool = True  # found by matching before search
    said: Mapping[str, Term] = field(default_factory=dict)  # lines with types that an asker said and tokens do not have
    _backgrounds: dict[str, Background] = field(default_factory=dict, init=False)
    _bare: tuple[str, Typed] | None = field(default=None, init=False)  # of the example checked last

    def check(self, example: ExampleToCheck, proposal: str, rank: int = 0) -> Verdict:
        """The verdict on one proposal, given as a line of tokens."""
        if example.f3 is None:
            return Unsupported(example.id, rank, "nothing follows from the target (no F.3)")
        try:
            if self._bare is None or self._bare[0] != example.id:
                self._bare = (example.id, self._typed(example))
            bare = self._bare[1]
        except UserError as error:
            return Unsupported(example.id, rank, f"the example itself does not type: {error}")
        absence = bare.world.absence(example, proposal)
        if absence is not None:
            return IllFormed(example.id, rank, example.target_kind, absence)
        try:
            context = bare.with_proposal(decode(proposal.split()))
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
            trivial = self._without_library(context, "P from nothing", (), context.wanted)
        if proved(first) or proved(second):
            background = self._contradictions(example, bare, background)
        return WellFormed(example.id, rank, same, first, second, trivial, background)

    def _first(self, example: ExampleToCheck, context: Typed, proposal: str) -> Gap:
        assert context.proposal is not None
        if example.target_kind == "assumption":
            # Nothing justifies an assumption: its proof would be a proof from nothing.
            return self._without_library(context, "F.2 => P", context.f2, context.wanted)
        texts, hints = [proposal, *context.texts["f2"]], context.f5_lemmas
        return self._gap(example, context, "F.2 => P", context.f2, context.wanted, texts, hints, stated=context.f5)

    def _second(
        self,
        example: ExampleToCheck,
        context: Typed,
        proposal: str,
        first: bool,
        background: Background | None = None,
    ) -> Gap:
        """`first`: the first gap was closed."""
        assert example.f3 is not None
        if background is not None and _unused(background.direct, {"F.2"}):
            return background.direct  # F.4 was enough
        premises = (context.step(proved=first), *context.f4)
        texts = [example.f3, proposal, *context.texts["f4"]]
        return self._gap(example, context, "P, F.4 => F.3", premises, context.f3, texts, given=context.f4_lemmas)

    def gaps(
        self, example: ExampleToCheck, proposal: str, world: World | None = None
    ) -> Iterator[tuple[Literal["first", "second"], Gap]]:
        """The two gaps and nothing else, each as soon as it is known, for people who wait. Raises UserError."""
        assert example.f3 is not None
        context = self._typed(example, world).with_proposal(self.said.get(proposal) or decode(proposal.split()))
        assert context.proposal is not None
        first = self._first(example, context, proposal)
        yield "first", first
        yield "second", self._second(example, context, proposal, proved(first))

    def direct(self, example: ExampleToCheck, world: World | None = None) -> Gap:
        """Does F.3 follow from F.2 and F.4, without any step between? Raises UserError."""
        assert example.f3 is not None
        context = self._typed(example, world)
        both, texts = (*context.f2, *context.f4), [example.f3, *context.texts["f2"]]
        hints = context.f5_lemmas
        return self._gap(example, context, "F.2, F.4 => F.3", both, context.f3, texts, hints, given=context.f4_lemmas)

    def local_premises(self, example: ExampleToCheck) -> list[str]:
        """The propositions that a proof's facts `F.4(1)`, `F.4(2)`, ... stand for: those that are no library facts."""
        return self._lemmas(example, example.f4, self.worlds.at(example.theory), scored=True)[1]

    def _background(self, example: ExampleToCheck, context: Typed) -> Background:
        """What holds without any proposal."""
        known = self._backgrounds.get(example.id)
        assert example.f3 is not None
        if known is None:
            both, lemmas = (*context.f2, *context.f4), context.f4_lemmas
            texts = [example.f3, *context.texts["f2"]]
            direct = self._gap(example, context, "F.2, F.4 => F.3", both, context.f3, texts, given=lemmas)
            paper = direct
            # What does not follow from F.2 and F.4 is not tried from F.2 alone.
            given = {"F.4", *(fact.name for fact in self._named(lemmas))}
            if isinstance(direct, Proved) and not _unused(direct, given):
                paper = self._gap(example, context, "F.2 => F.3", context.f2, context.f3, texts)
            known = self._backgrounds[example.id] = Background(example.target_kind, direct, paper)
        return known

    def _contradictions(self, example: ExampleToCheck, context: Typed, known: Background) -> Background:
        """The same with whether the premises contradict each other; asked only where something was proved."""
        if known.f2_contradictory == NOT_ASKED:
            f2 = self._without_library(context, "F.2 => False", context.f2, FALSEHOOD)
            f4 = self._without_library(context, "F.4 => False", context.f4, FALSEHOOD, context.f4_lemmas)
            known = replace(known, f2_contradictory=f2, f4_contradictory=f4)
            self._backgrounds[example.id] = known
        return known

    def _gap(
        self,
        example: ExampleToCheck,
        context: Typed,
        question: str,
        premises: tuple[Named, ...],
        goal: Term,
        texts: Sequence[str],
        hints: tuple[int, ...] = (),
        given: tuple[int, ...] = (),
        stated: tuple[Named, ...] = (),
    ) -> Gap:
        """Rewrite, then try with the given premises and what the example hints at (by number, or stated in the words
        of its context), then with more and more library facts. The first of the texts is the goal.
        """
        result: Gap = NOT_ASKED
        offered = -1
        local, general = _apart(premises)
        given_names = {fact.name for fact in (*general, *self._named(given))}
        first = (*general, *self._named(given))
        if any(self.effort.library):
            first = (*first, *stated, *self._named(hints[:HINTS]))
            by_rules = self._rewritten(example, context, question, local, goal, first)
            if by_rules is not None:
                known = given_names | {premise.name for premise in local}
                from_library = {n for n in by_rules.facts if n not in known and not n.startswith(DEFINITION)}
                return replace(by_rules, library=len(from_library))
        for size in self.effort.library:
            if size and self.facts is None:
                break
            named = (*first, *self._named(self._relevant(example, context, texts, size, (*given, *hints))))
            query = self._instantiated(context, local, goal, named, len(first) + size)
            names = {fact.name for fact in query.library} - given_names
            if len(names) == offered:
                break
            offered = len(names)
            answer = self._ask(question, query, offered, self.effort.share(size + len(hints) + len(stated)))
            if isinstance(answer, Proved):
                return replace(answer, library=0) if _unused(answer, names) else answer
            if not isinstance(result, TimedOut):
                result = answer
        return result

    def _instantiated(
        self, context: Typed, premises: tuple[Named, ...], goal: Term, named: Sequence[Named], size: int
    ) -> Query:
        here = context.world.signature
        query = instantiated(premises, goal, named, here, size)
        if not self.instances:
            return query
        fits = fitting(named, premises, goal, here)
        return replace(query, library=tuple(dict.fromkeys((*fits, *query.library))))

    def _rewritten(
        self,
        example: ExampleToCheck,
        context: Typed,
        question: str,
        premises: tuple[Named, ...],
        goal: Term,
        beside: Sequence[Named],
    ) -> Proved | None:
        """What rewriting proves by itself, or provers once it has made the goal simpler: with simp rules alone, then
        with what the example names beside them.
        """
        if self.simp is None or self.facts is None:
            return None
        began = time.process_time()
        signature, may = context.world.signature, self._may_rewrite(example, context)
        about = {c.name for term in (goal, *(p.prop for p in premises)) for c in constants(term)}
        rewriter = Rewriter(self.simp.near(context.world, may, about), signature)
        left = rewriter.goal(premises, goal)
        added = [rule for fact in beside for rule in rewrites_of(fact)]
        if left != TRUE and added:
            about |= {c.name for fact in beside for c in constants(fact.prop)}
            with_added = Rewriter([*added, *self.simp.near(context.world, may, about)], signature)
            further = with_added.goal(premises, goal)
            rewriter, left = (with_added, further) if with_added.used else (rewriter, left)
        seconds = time.process_time() - began
        if left == TRUE:
            return Proved("simp", seconds, tuple(rewriter.used), len(rewriter.used))
        if left is None or not rewriter.used:
            return None
        query = instantiated(premises, trueprop(left, typed=True), beside, signature)
        simpler = self._ask(question, query, 0, self.effort.share(0))
        if not isinstance(simpler, Proved):
            return None
        facts = tuple(dict.fromkeys((*rewriter.used, *simpler.facts)))
        return Proved(f"simp, {simpler.by}", seconds + simpler.seconds, facts, len(facts))

    def _may_rewrite(self, example: ExampleToCheck, context: Typed) -> Callable[[int | None, str], bool]:
        """For a score only rules from before the step, and no copy of what is to be shown."""
        if not context.scored:
            return lambda _fact, _theory: True
        assert self.facts is not None
        before, copies = self.facts.before(example.theory, example.name), set(self._copies(example))

        def may(fact: int | None, theory: str) -> bool:
            return theory != example.theory if fact is None else fact < before and fact not in copies

        return may

    def _without_library(
        self, context: Typed, question: str, premises: tuple[Named, ...], goal: Term, given: tuple[int, ...] = ()
    ) -> Gap:
        local, general = _apart(premises)
        query = instantiated(local, goal, (*general, *self._named(given)), context.world.signature)
        return self._ask(question, query, 0, self.effort.share(0))

    def _ask(self, question: str, query: Query, library: int, share: float) -> Gap:
        reason = "no prover is installed"

        def tried() -> Iterator[Attempt]:
            nonlocal reason
            for strategy in self.effort.tried(library):
                try:
                    yield attempt(query, strategy, share)
                except formula.CannotEncode as error:
                    reason = str(error)

        answer = self.provers.prove(tried())
        gap = Unknown(reason) if answer == NOTHING_TRIED else gap_of_prover(answer, library)
        if self.trace is not None:
            self.trace.append(Asked(question, query, gap))
        return gap

    def _named(self, numbers: Iterable[int]) -> tuple[Named, ...]:
        return tuple(self.facts.fact(n) for n in numbers) if self.facts is not None else ()

    def _relevant(
        self, example: ExampleToCheck, context: Typed, texts: Sequence[str], size: int, known: tuple[int, ...]
    ) -> list[int]:
        """The most relevant facts of a world that are not known yet: for a score those from before the step, for others
        all, and first of all a lemma that states the goal.
        """
        if self.facts is None or size == 0:
            return []
        if context.scored:
            chosen: list[int] = []
            exclude = {*known, *self._copies(example)}
            mentioned = {name for text in (*example.f2, example.f3 or "", *example.f4) for name in constants_of(text)}
            before = self.facts.before(example.theory, example.name)
            own = self.facts.own(example.theory, example.name, mentioned)
        else:
            alike = self.facts.alike(texts[0])
            chosen = [n for n in alike if n not in known and self._stands_in(n, context.world)]
            exclude = {*known, *chosen}
            before, own = len(self.facts), ()
        wanted = int(SPARE * max(0, size - len(chosen)))
        relevance = relevance_of(self.facts)
        return chosen + relevance.rank(texts, wanted, before, exclude, own, context.world.theories)

    def _stands_in(self, fact: int, world: World) -> bool:
        assert self.facts is not None
        return world.theories is None or self.facts.theory(fact) in world.theories

    def _copies(self, example: ExampleToCheck) -> list[int]:
        """What would make a gap vacuous: facts that state the consequence or the step's theorem itself, up to names
        of variables.
        """
        if self.facts is None:
            return []
        theorem = self.facts.statements(example.theory, example.name)
        texts = [example.f3 or "", *(self.facts.texts[number] for number in theorem)]
        return [number for text in texts for number in self.facts.alike(text)]

    def _typed(self, example: ExampleToCheck, world: World | None = None) -> Typed:
        """Type the example, where it stands or in a world of the asker's. Raises UserError."""
        assert example.f3 is not None
        here, scored = world or self.worlds.at(example.theory), world is None
        f4_lemmas, f4_local = self._lemmas(example, example.f4, here, scored=scored)
        f5_lemmas, f5_local = self._lemmas(example, example.f5, here, scored=scored)
        lines = [*example.f2, example.f3, *f4_local]
        terms = [self.said.get(line) or decode(line) for line in lines]
        types = {name: parse_type(text) for name, text in example.types.items()}
        reference = self._reference(example, types, here)
        typing = infer(terms, here.signature, types)
        plain = [without_marks(term) if self.said else term for term in typing.propositions]
        typed = [expand(_fixed(term, f"~{n}"), here.signature) for n, term in enumerate(plain)]
        count = len(example.f2)
        new = witnesses(example.target_command, example.introduced)
        given = {node.name for fact in typed[:count] for node in frees(fact)}
        local = [Named(f"F.4({i})", term) for i, term in enumerate(typed[count + 1 :], 1)]
        f4 = (self._general(line, fact, typing.frees, here) for line, fact in zip(f4_local, local, strict=True))
        return Typed(
            here,
            scored,
            f2=tuple(Named(f"F.2({i})", term) for i, term in enumerate(typed[:count], 1)),
            f3=existing(typed[count], witnesses(example.consequence_command, example.introduced_after)),
            f4=tuple(f4),
            f5=tuple(self._stated(example, f5_local, typing.frees, here)),
            f4_lemmas=f4_lemmas,
            f5_lemmas=f5_lemmas,
            reference=reference,
            types=typing.frees,
            texts={"f2": example.f2, "f4": tuple(f4_local)},
            witnesses=frozenset() if new & given else new,  # what F.2 speaks of is there already
        )

    def _stated(
        self, example: ExampleToCheck, lines: Sequence[str], types: Mapping[str, Typ], world: World
    ) -> Iterator[Named]:
        """Lemmas in the words of the context, typed after all else: what does not type is left out."""
        for number, line in enumerate(lines, 1):
            try:
                term = infer([decode(line)], world.signature, types).propositions[0]
            except UserError:
                continue
            own = {variable for typ in types.values() for variable in type_variables(typ)}
            fact = Named(f"F.5({number})", expand(_fixed(term, f"~L{number}", own), world.signature))
            if self.facts is not None and set(self.facts.in_context(line)) - set(self._copies(example)):
                yield replace(self._general(line, fact, types, world), here=True)

    def _general(self, line: str, fact: Named, types: Mapping[str, Typ], world: World) -> Named:
        """The fact at all its types, where it is a lemma in the words of the context."""
        known_as = self._named(self.facts.in_context(line)) if self.facts is not None else ()
        fixed = {variable for typ in types.values() for variable in type_variables(typ)}
        general = as_general(fact, known_as, fixed, world.signature)
        return general if general.prop != fact.prop else fact

    def _reference(self, example: ExampleToCheck, types: Mapping[str, Typ], world: World) -> Term | None:
        try:
            return expand(infer([decode(example.f1)], world.signature, types).propositions[0], world.signature)
        except UserError:
            return None

    def _lemmas(
        self, example: ExampleToCheck, lines: Sequence[str], world: World, *, scored: bool
    ) -> tuple[tuple[int, ...], list[str]]:
        """Lines that the fact base knows, as numbers of facts of the world before the step, and the others."""
        if self.facts is None:
            return (), list(lines)
        before = self.facts.before(example.theory, example.name) if scored else len(self.facts)
        numbers: dict[int, None] = {}
        rest: list[str] = []
        for line in lines:
            found = [n for n in self.facts.find(line) if self._stands_in(n, world)]
            earlier = [n for n in found if n < before]
            if not earlier and scored:
                # Of the step's own theory: the example used it, so it was there; never the theorem itself.
                copies = self._copies(example)
                earlier = [n for n in found if self.facts.theory(n) == example.theory and n not in copies]
            numbers.update(dict.fromkeys(earlier))
            if not earlier:
                rest.append(line)
        return tuple(numbers), rest


def _unused(gap: Gap, premises: set[str]) -> bool:
    """Was it proved without any of these? Local facts are named by their field: `F.2(1)`."""
    if not isinstance(gap, Proved) or "?" in gap.facts:
        return False
    return not any(name in premises or name.rpartition("(")[0] in premises for name in gap.facts)


def _apart(premises: Sequence[Named]) -> tuple[tuple[Named, ...], tuple[Named, ...]]:
    """Premises at fixed types, and those that hold at several."""
    return tuple(p for p in premises if not p.here), tuple(p for p in premises if p.here)


def gap_of_prover(answer: ProverAnswer, library: int) -> Gap:
    match answer:
        case ProofFound(strategy, seconds, facts):
            return Proved(strategy, seconds, facts, library)
        case OutOfTime(seconds):
            return TimedOut(seconds)
        case _:
            return Unknown(answer.why)


def _fixed(term: Term, suffix: str, shared: Collection[Typ] | None = None) -> Term:
    """Type variables that inference left open, fixed for this proposition: a local fact may not be used at other
    types. Where `shared` is given, they alone are the same as in other propositions.
    """

    def fixed(typ: Typ) -> Typ:
        if isinstance(typ, TVar) or (isinstance(typ, TFree) and shared is not None and typ not in shared):
            return TFree(f"{typ.name}~{suffix}", typ.sort)  # no such name exists in Isabelle
        if isinstance(typ, Type) and typ.args:
            return Type(typ.name, tuple(fixed(a) for a in typ.args))
        return typ

    return substitute_types(term, fixed)
