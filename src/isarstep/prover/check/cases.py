"""Closing a gap by its parts or by induction: cases are gaps like others, and all of them must be closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.terms.terms import Term, frees
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.premises.fact_base import Library
from isarstep.prover.check.obligations import NOT_PROVED, GapCloser, OpenGap
from isarstep.prover.induct.goal_parts import SplitGoal, parts_of_goal
from isarstep.prover.induct.induction import CASE, Case
from isarstep.prover.induct.moves import GOAL, InductionChoice
from isarstep.prover.outcomes.verdict import Gap, Proved, Unknown
from isarstep.prover.rewrite.unfolded_goal import UnfoldedGoal, defined_name, unfolded_goal


def by_induction(closer: GapCloser, asked: OpenGap) -> Iterator[Gap]:
    """An answer for the goal's parts, then for every induction that is tried, until one is proved."""
    for gap in _answers(closer.gap, closer, asked):
        yield gap
        if isinstance(gap, Proved):
            return


def by_plain_induction(closer: GapCloser, asked: OpenGap) -> Proved | None:
    """By calculation and rewriting alone, by parts or an induction if need be; no prover is asked."""

    def simplified(case: OpenGap) -> Gap:
        proof = closer.without_provers(case)
        return proof if isinstance(proof, Proved) else NOT_PROVED

    found = simplified(asked)
    if isinstance(found, Proved):
        return found
    return next((gap for gap in _answers(simplified, closer, asked) if isinstance(gap, Proved)), None)


def _answers(close: Callable[[OpenGap], Gap], closer: GapCloser, asked: OpenGap) -> Iterator[Gap]:
    for parts, further in _parts(closer, asked):
        yield _closed(close, further, parts.method, parts.cases, asked.local, (*parts.definitions, *parts.conditions))
    choice = _choice(closer, asked)
    if choice is None:
        return
    for induction in choice.moves():
        used = (induction.rule, *(name for name in induction.used if name.rpartition("(")[0] != GOAL))
        gap = _closed(close, asked, induction.method(), induction.cases, induction.kept, used)
        yield replace(gap, opened=choice.opened) if isinstance(gap, Proved) else gap


def _parts(closer: GapCloser, asked: OpenGap) -> Iterator[tuple[SplitGoal, OpenGap]]:
    """The goal's own parts, then those that it has by definition, for which these definitions are facts to begin with:
    what is given often speaks of the same."""
    taken = {variable.name for term in (asked.goal, *(p.prop for p in asked.premises)) for variable in frees(term)}
    plain = parts_of_goal(asked.goal, taken)
    if plain is not None:
        yield plain, asked
    library = closer.facts
    if library is None:
        return
    usable = _usable(library, closer, asked)

    def unfold(goal: Term) -> UnfoldedGoal | None:
        name = f"{defined_name(goal)}_def"
        found = [library.fact(number) for number in library.rules(name) if usable(number)]
        definitions = (*found, *(fact for fact in asked.general if fact.name == name))
        said = (unfolded_goal(goal, each, asked.local, asked.signature) for each in definitions)
        return next((each for each in said if each is not None), None)

    parts = parts_of_goal(asked.goal, taken, unfold)
    if parts is not None and parts.unfolded:
        numbers = (n for name in parts.definitions for n in library.rules(name) if usable(n))
        yield parts, replace(asked, hints=(*numbers, *asked.hints))


def _usable(library: Library, closer: GapCloser, asked: OpenGap) -> Callable[[int], bool]:
    """Facts that are known where the question is asked, and before it."""
    may, theories = closer.may_use(asked), asked.context.theory_context.theories
    visible = None if theories is None else library.visible(theories)
    return lambda number: (visible is None or bool(visible[number])) and may(number, library.theory(number))


def _choice(closer: GapCloser, asked: OpenGap) -> InductionChoice | None:
    library = closer.facts
    if library is None:
        return None
    usable = _usable(library, closer, asked)
    return InductionChoice(library, usable, asked.signature, asked.local, asked.goal, _own(asked))


def _own(asked: OpenGap) -> list[Named]:
    """Rules of the asker's theory, and the equations that tell where its functions recurse."""
    here = asked.context.theory_context
    rules = [Named(name, expand(prop, here.signature), here=True) for name, prop in here.own_inductions]
    return [*rules, *(fact for fact in asked.general if ".simps" in fact.name)]


def _closed(
    close: Callable[[OpenGap], Gap],
    asked: OpenGap,
    method: str,
    cases: Sequence[Case],
    kept: Sequence[Named],
    used: tuple[str, ...],
) -> Gap:
    """All cases, those with the most hypotheses first: they are the likeliest to fail. `kept` premises hold in each;
    `used` are the facts that led to them."""
    proofs: dict[int, Proved] = {}
    for number in sorted(range(len(cases)), key=lambda number: -len(cases[number].premises)):
        case = cases[number]
        gap = close(
            replace(
                asked,
                name=f"{asked.name}, {method}, case {number + 1}",
                premises=(*asked.general, *kept, *case.premises),
                goal=case.goal,
                texts=[encode_line(case.goal), *asked.texts],
                simplified=True,
            )
        )
        if not isinstance(gap, Proved):
            return Unknown(f"{method}: case {number + 1} {gap}")
        proofs[number] = gap
    proved = tuple(proofs[number] for number in range(len(cases)))
    own = {name for proof in proved for name in proof.facts if name.rpartition("(")[0] not in (CASE, GOAL)}
    facts = tuple(dict.fromkeys((*used, *sorted(own))))
    by = f"{method} ({'; '.join(dict.fromkeys(proof.by for proof in proved))})"
    return Proved(by, sum(p.seconds for p in proved), facts, max(p.library for p in proved), method, proved)
