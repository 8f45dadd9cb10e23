"""In which context a problem stands: that of the theories that it imports; else Complex_Main, if it reads there; else
the theory that rests on the fewest others and in which it reads. Where theories differ in what it means, that is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from isarstep.benchmark.problems.problem_reader import Parsed, ProblemReader
from isarstep.common.errors import UserError
from isarstep.isabelle.context.clashes import precedence
from isarstep.isabelle.context.theory_contexts import USUAL, TheoryContext, TheoryContexts
from isarstep.isabelle.inference.infer import CONSTRAINT, Context, TypingError, infer_context
from isarstep.isabelle.terms.terms import Term, constants
from isarstep.isabelle.theory.problems.problem import Problem, ProblemError

MOST_CONTEXTS = 400  # that are tried
MOST_READ = 8  # in whose own language a problem is read to find out
_MOST_TOLD = 5  # theories
_MISSING = re.compile(r"type (\S+) does not belong to ([^;]+)")


def chosen_context(
    problem: Problem, theory_contexts: TheoryContexts, reader_in: Callable[[TheoryContext], ProblemReader]
) -> TheoryContext:
    """Where the problem stands. Raises ProblemError where there are no such imports, or several theories are meant."""
    if problem.imports:
        try:
            return theory_contexts.importing(problem.imports)
        except UserError as error:
            raise ProblemError("invalid", str(error), "imports") from None
    if not theory_contexts.parents:
        return theory_contexts.everything
    usual = theory_contexts.at(USUAL) if USUAL in theory_contexts.parents else next(theory_contexts.holding(()))
    reader = reader_in(usual)
    terms = list(_terms(problem, reader))
    whole = theory_contexts.whole.constants
    mentioned = {constant.name for term in terms for constant in constants(term) if constant.name in whole}
    parsed = reader.parse(problem)
    if parsed.error is None and all(map(usual.exists, mentioned)):
        return usual
    meanings = _meanings(parsed, reader_in(theory_contexts.everything))
    if meanings is None:
        return usual
    if meanings:
        fitting = islice(theory_contexts.holding(mentioned | meanings), MOST_READ)
        return next(
            (theory_context for theory_context in fitting if reader_in(theory_context).parse(problem).error is None),
            usual,
        )
    known = [term for term in terms if all(c.name in whole for c in constants(term) if c.name != CONSTRAINT)]
    clash = _clash(known, usual, given := reader.given_types(problem))
    missing = _MISSING.search(str(clash)) if all(map(usual.exists, mentioned)) else None
    if missing is None and all(map(usual.exists, mentioned)):
        return usual  # no other theory gives these terms types
    return _smallest(known, mentioned, given, missing, theory_contexts) or usual


def _terms(problem: Problem, reader: ProblemReader) -> Iterator[Term]:
    """The lines that can be read, with the types that they name."""
    for where, text in problem.lines():
        try:
            yield reader.proposition(text, problem.form, reader.with_fixed(problem), where)[0].marked
        except ProblemError:
            continue


def _meanings(parsed: Parsed, everywhere: ProblemReader) -> set[str] | None:
    """The constants that unknown names mean in other theories; None where one of them means nothing or several."""
    found: set[str] = set()
    for name in (name for reading in parsed.readings.values() if reading.error for name in reading.error.unknown):
        meaning = everywhere.names.constant_called(name)
        if meaning is None or meaning not in everywhere.signature.constants:
            return None
        found.add(meaning)
    return found


def _smallest(
    terms: list[Term],
    mentioned: set[str],
    given: Context,
    missing: re.Match[str] | None,
    theory_contexts: TheoryContexts,
) -> TheoryContext | None:
    """The first context with these constants in which the terms have types."""
    for theory_context in islice(theory_contexts.holding(mentioned), MOST_CONTEXTS):
        if _clash(terms, theory_context, given) is None:
            if missing is not None:
                _refuse_rivals(terms, mentioned, given, missing, theory_context, theory_contexts)
            return theory_context
    return None


def _clash(terms: list[Term], theory_context: TheoryContext, given: Context) -> TypingError | None:
    try:
        infer_context(terms, theory_context.signature, given)
    except TypingError as error:
        return error
    return None


def _refuse_rivals(
    terms: list[Term],
    mentioned: set[str],
    given: Context,
    missing: re.Match[str],
    found: TheoryContext,
    theory_contexts: TheoryContexts,
) -> None:
    """Where another theory makes the same type an instance of the same class, the two differ in what a symbol means."""
    wanted = set(missing[2].split(", "))
    rivals = set[str]()
    for constructor, classes in theory_contexts.declaring.items():
        if constructor.rpartition(".")[2] != missing[1]:
            continue
        for class_, theories in classes.items():
            if any(theory_contexts.whole.subclass(class_, each) for each in wanted):
                rivals |= theories
    mine = rivals & (found.theories or frozenset())
    prefixes = {theory_contexts.prefix(name) for name in mentioned}
    others = [
        theory
        for theory in sorted(rivals - mine)
        if mine.isdisjoint(theory_contexts.rests_on(theory))
        and prefixes <= theory_contexts.at(theory).prefixes
        and _clash(terms, theory_contexts.at(theory), given) is None
    ]
    if others:
        told = sorted({*mine, *others}, key=precedence)
        names = ", ".join(told[:_MOST_TOLD]) + (" ..." if len(told) > _MOST_TOLD else "")
        where = f"{missing[1]} is of class {missing[2].rpartition('.')[2]} in several theories"
        message = f"{where}, which differ in what it means: import one of {names}"
        raise ProblemError("invalid", message, "imports")
