"""What is found out about a problem before its steps: the goal is false, the facts contradict each other, or the goal
needs no step."""

from __future__ import annotations

from dataclasses import dataclass

from isarstep.prover.outcomes.verdict import Proved, Refuted


@dataclass(frozen=True, slots=True)
class GoalVerdict:
    """At most one of the three is known of a problem; none where nothing was found."""

    refuted: Refuted | None = None  # values under which the facts hold and the goal does not
    contradiction: Proved | None = None  # a proof of False from the facts
    direct: Proved | None = None  # a proof of the goal from the facts, without a step

    def lines(self) -> list[str]:
        """In words, as every interface shows it first."""
        if self.refuted is not None:
            return [f"Your goal is {self.refuted}."]
        if self.contradiction is not None:
            return [f"The facts contradict each other ({self.contradiction}): everything follows from them."]
        return [] if self.direct is None else [_direct(self.direct)]


NOTHING_KNOWN = GoalVerdict()


def _direct(gap: Proved) -> str:
    library = [name for name in gap.facts if name[:2] != "F." and name != "?"]
    if len(library) == 1 and len(gap.facts) == 1:
        return f"The goal follows by one library fact: {library[0]} ({gap})."
    return f"The goal needs no step: {gap}."
