"""Closing a gap by induction: each move's cases are gaps like others, and all of them must be closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from isarstep.logic.abbreviations import expand
from isarstep.logic.tokens import encode_line
from isarstep.prove.gaps import NOT_PROVED, GapCloser, OpenGap
from isarstep.prove.induction import CASE, Induction
from isarstep.prove.induction_moves import GOAL, InductionChoice
from isarstep.prove.monomorphise import Named
from isarstep.prove.verdict import Gap, Proved, Unknown


def by_induction(closer: GapCloser, asked: OpenGap) -> Iterator[Gap]:
    """An answer for every induction that is tried, until one is proved."""
    for induction in _inductions(closer, asked):
        gap = _closed(closer.gap, asked, induction)
        yield gap
        if isinstance(gap, Proved):
            return


def by_plain_induction(closer: GapCloser, asked: OpenGap) -> Proved | None:
    """By calculation and rewriting alone, by an induction if need be; no prover is asked."""

    def simplified(case: OpenGap) -> Gap:
        proof = closer.simplified(case)
        return proof if isinstance(proof, Proved) else NOT_PROVED

    found = simplified(asked)
    if isinstance(found, Proved):
        return found
    inductions = (_closed(simplified, asked, induction) for induction in _inductions(closer, asked))
    return next((gap for gap in inductions if isinstance(gap, Proved)), None)


def _inductions(closer: GapCloser, asked: OpenGap) -> list[Induction]:
    library = closer.available.facts
    if library is None:
        return []
    may, theories = closer.may_use(asked), asked.context.theory_context.theories
    visible = None if theories is None else library.visible(theories)

    def usable(number: int) -> bool:
        """Rules that are known where the question is asked, and before it."""
        return (visible is None or bool(visible[number])) and may(number, library.theory(number))

    return InductionChoice(library, usable, asked.signature, asked.local, asked.goal, _own(asked)).moves()


def _own(asked: OpenGap) -> list[Named]:
    """Rules of the asker's theory, and the equations that tell where its functions recurse."""
    here = asked.context.theory_context
    rules = [Named(name, expand(prop, here.signature), here=True) for name, prop in here.own_inductions]
    return [*rules, *(fact for fact in asked.general if ".simps" in fact.name)]


def _closed(close: Callable[[OpenGap], Gap], asked: OpenGap, induction: Induction) -> Gap:
    """All cases, those with the most hypotheses first: they are the likeliest to fail."""
    method = induction.method()
    numbers = sorted(range(len(induction.cases)), key=lambda number: -len(induction.cases[number].premises))
    proofs: dict[int, Proved] = {}
    for number in numbers:
        case = induction.cases[number]
        gap = close(
            replace(
                asked,
                name=f"{asked.name}, {method}, case {number + 1}",
                premises=(*asked.general, *induction.kept, *case.premises),
                goal=case.goal,
                texts=[encode_line(case.goal), *asked.texts],
                simplified=True,
            )
        )
        if not isinstance(gap, Proved):
            return Unknown(f"{method}: case {number + 1} {gap}")
        proofs[number] = gap
    cases = tuple(proofs[number] for number in range(len(induction.cases)))
    own = {name for proof in cases for name in proof.facts if name.rpartition("(")[0] not in (CASE, GOAL)}
    used = [name for name in induction.used if name.rpartition("(")[0] != GOAL]
    facts = tuple(dict.fromkeys((induction.rule, *used, *sorted(own))))
    by = f"{method} ({'; '.join(dict.fromkeys(proof.by for proof in cases))})"
    return Proved(by, sum(p.seconds for p in cases), facts, max(p.library for p in cases), method, cases)
