"""Provers that keep to the clock of whoever asks."""

from __future__ import annotations

import time

from isarstep.prover.atp.provers import Attempt, Cache, ProverLimits, Provers, Strategy
from isarstep.prover.outcomes.verdict import TimedOut

SLEEPER = Strategy("sleeper", "tf0", arithmetic=False, unfold=True, argv=("sleep", "100000"))


class Patient(ProverLimits):
    """Would wait for a prover for ever, as one that gets no processor is waited for."""

    def wall(self, attempt: Attempt) -> float:
        return 1e9


def test_a_prover_that_gets_nothing_done_is_ended_when_the_time_is_up() -> None:
    with Provers(Patient(1.0), Cache()) as provers:
        provers.until = time.monotonic() + 0.2
        assert isinstance(provers.prove([Attempt(SLEEPER, "", {})]), TimedOut)
        asked: list[None] = []
        provers.until = float("inf")
        provers.wanted = lambda: len(asked) < 2 and asked.append(None) is None
        assert isinstance(provers.prove([Attempt(SLEEPER, "", {})]), TimedOut)
        assert len(asked) == 2  # what others want of it holds on, and is put back


def test_what_was_cut_off_is_not_remembered_as_an_answer() -> None:
    cache = Cache()
    with Provers(Patient(1.0), cache) as provers:
        provers.until = time.monotonic() + 0.2
        attempt = Attempt(SLEEPER, "", {})
        provers.prove([attempt])
        provers.until = time.monotonic() - 1
        assert provers.prove([attempt]) == TimedOut(0.0)
        assert cache.get(attempt.key(provers.limits)) is None
