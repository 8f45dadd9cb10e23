"""Terms, steps and verdicts as the JSON that people's programs get."""

from __future__ import annotations

from typing import Any

from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.writing.mathml import to_mathml
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_latex, to_unicode
from isarstep.isabelle.terms.terms import Term
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.type_text import parse_type, show_type
from isarstep.isabelle.theory.problems.open_types import GeneralType
from isarstep.isabelle.theory.problems.problem import ProblemError
from isarstep.prover.outcomes.goal_verdict import GoalVerdict
from isarstep.prover.outcomes.step import Step
from isarstep.prover.outcomes.verdict import Crashed, Gap, Proved, Refuted, TimedOut

Json = dict[str, Any]


def proposition(term: Term, names: Names) -> Json:
    return {
        "text": to_unicode(term, names),
        "tokens": encode_line(term),
        "latex": to_latex(term, names),
        "mathml": to_mathml(term, names),
    }


def line(tokens: str, names: Names) -> Json:
    return proposition(decode(tokens), names)


def step(step: Step, task: Task) -> Json:
    score = None if step.score is None else round(step.score, 4)
    judged = {name: getattr(step, name) for name in ("well_formed", "reason", "copy", "label", "reference")}
    asked = {"first": step.first, "second": step.second, "against": step.against}
    gaps = {name: None if found is None else gap(found) for name, found in asked.items()}
    about = {"text": step.text, "id": step.id, "score": score}
    return proposition(step.term, task.names) | about | judged | gaps | {"sides": step.sides}


def goal(goal: GoalVerdict) -> Json:
    """What is known of a problem before its steps."""
    found = {"refuted": goal.refuted, "contradiction": goal.contradiction, "direct": goal.direct}
    return {name: None if verdict is None else gap(verdict) for name, verdict in found.items()}


def gap(gap: Gap) -> Json:
    found: Json = {"result": "unknown", "by": None, "seconds": None, "library": 0, "facts": [], "text": str(gap)}
    match gap:
        case Proved(by, seconds, facts, library):
            found |= {"result": "proved", "by": by, "seconds": seconds, "library": library, "facts": list(facts)}
        case Refuted(by, _):
            found |= {"result": "refuted", "by": by}
        case TimedOut(seconds):
            found |= {"result": "timeout", "seconds": seconds}
        case Crashed():
            found |= {"result": "internal_error"}
        case _:
            pass
    return found


def general(general: GeneralType) -> Json:
    """An open type: whose it is, what is known of it, and what may have been meant."""
    classes = [name.rpartition(".")[2] for name in general.type.sort]
    about = {"variables": list(general.variables), "type": show_type(general.type)}
    return about | {"classes": classes, "readings": list(general.readings)}


def error(error: UserError, code: str = "invalid") -> Json:
    if isinstance(error, ProblemError):
        where = {"field": error.field, "position": error.position, "end": error.end}
        return {"error": {"code": error.code, "message": one_line(error.message)} | where}
    return failure(code, str(error))


def failure(code: str, message: str, field: str | None = None) -> Json:
    return {"error": {"code": code, "message": one_line(message), "field": field, "position": None, "end": None}}


def one_line(text: str) -> str:
    return " ".join(text.split())


def example_shown(example: Example, split: str, names: Names) -> Json:
    return {
        "id": example.id,
        "split": split,
        "session": example.session,
        "theory": example.theory,
        "name": example.name,
        "kind": example.target_kind,
        "facts": [line(text, names) for text in example.f2],
        "goal": None if example.f3 is None else line(example.f3, names),
        "others": [line(text, names) for text in example.f4],
        "hints": [line(text, names) for text in example.f5],
        "reference": line(example.f1, names),
        "types": {names.free(name): show_type(parse_type(text)) for name, text in example.types.items()},
        "type_terms": dict(example.types),
    }
