"""One proposal in full: the propositions as mathematics, each question, the problem that was sent, and the answer."""

from __future__ import annotations

from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_unicode
from isarstep.isabelle.terms.terms import Term
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.prover.atp.problems import attempt
from isarstep.prover.atp.provers import available
from isarstep.prover.atp.schedule import strategies
from isarstep.prover.check.obligations import TraceEntry
from isarstep.prover.check.step_checker import Checker
from isarstep.prover.encode.formula import CannotEncode
from isarstep.prover.outcomes.verdict import Proved, Verdict, WellFormed


def explain(checker: Checker, example: Example, proposal: str) -> str:
    """Check the proposal once more and tell everything."""
    checker.trace = []
    verdict = checker.check(example, proposal)
    names = Names.of_signature(checker.theory_contexts.at(example.theory).signature)
    lines = [f"example {example.id}, target of kind {example.target_kind}, in {example.theory or 'an unknown theory'}"]
    fields = (("F.1", (example.f1,)), ("F.2", example.f2), ("F.3", (example.f3 or "",)), ("F.4", example.f4))
    for label, texts in (*fields, ("P", (proposal,))):
        lines += [f"{label:>4}  {_readable(text, names)}" for text in texts]
    lines.append("")
    lines += _summary(verdict)
    for asked in checker.trace:
        lines += ["", *_question(asked, names)]
    checker.trace = None
    return "\n".join(lines)


def _summary(verdict: Verdict) -> list[str]:
    if not isinstance(verdict, WellFormed):
        return [f"{type(verdict).__name__}: {verdict.why}"]
    notions = {
        "the reference": verdict.matches,
        "a copy from the source": verdict.likeness.copy,
        "alternative valid proposition": verdict.alternative,
        "correct proposition": verdict.correct,
        "automation improvement": verdict.improves_automation,
    }
    lines = [f"{name}: {'yes' if holds else 'no'}" for name, holds in notions.items()]
    return [*lines, f"loopholes: {', '.join(verdict.loopholes) or 'none'}", f"gap: {verdict.gap_class}"]


def _question(asked: TraceEntry, names: Names) -> list[str]:
    lines = [f"## {asked.question}: {asked.gap}"]
    for kind, facts in (("premise", asked.query.premises), ("library", asked.query.library)):
        lines += [f"{kind:>9}  {fact.name}: {_readable(fact.prop, names)}" for fact in _shown(asked, facts)]
    lines.append(f"     goal  {_readable(asked.query.goal, names)}")
    by, reason = asked.gap.by if isinstance(asked.gap, Proved) else "", "no prover is installed"
    for strategy in sorted(available(strategies()), key=lambda strategy: strategy.name != by):
        try:
            text = attempt(asked.query, strategy).text
            return [*lines, f"--- problem for {strategy.name} ({strategy.encoding})", text.rstrip(), "---"]
        except CannotEncode as error:
            reason = str(error)
    return [*lines, f"no problem was sent: {reason}"]


def _shown(asked: TraceEntry, facts: tuple[Named, ...]) -> list[Named]:
    """After a proof only what it used; without one, everything that was offered (but not hundreds)."""
    if isinstance(asked.gap, Proved):
        return [fact for fact in facts if fact.name in asked.gap.facts]
    return list(facts[:40])


def _readable(said: Term | str, names: Names) -> str:
    """A term, or tokens that may be one."""
    try:
        return to_unicode(decode(said) if isinstance(said, str) else said, names)
    except UserError:
        return said if isinstance(said, str) else encode_line(said)
