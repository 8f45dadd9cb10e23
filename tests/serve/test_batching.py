"""The queue before the model: shared searches, and how long somebody would wait."""

import threading
import time
from collections.abc import Sequence
from dataclasses import replace

from isarstep.serve.batching import Batcher
from isarstep.serve.engine import Constraint, Engine, Step
from isarstep.serve.problem import Problem, Task


class Slow(Engine):
    """A model that takes its time for every task, and waits for a sign."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds
        self.go = threading.Event()
        self.batches: list[int] = []

    def search(
        self, tasks: Sequence[Task], beam: int, constraint: Constraint = "types", margin: float = 0.0
    ) -> list[list[Step]]:
        self.go.wait(10)
        time.sleep(self.seconds * len(tasks))
        self.batches.append(len(tasks))
        return [[] for _ in tasks]


def test_whoever_waits_is_searched_together_and_the_wait_is_foreseen(engine: Engine) -> None:
    task = engine.read(Problem("x = x"))
    slow = Slow(0.02)
    batcher = Batcher(slow, 4)
    assert batcher.seconds_until(5) == 0  # nothing is known yet
    first = batcher.submit(task, 5)
    time.sleep(0.1)  # the first one is under way
    answers = [batcher.submit(replace(task), 5) for _ in range(6)]
    answers[0].cancel()
    slow.go.set()
    for answer in [first, *answers[1:]]:
        assert answer.result(10) == []
    assert slow.batches == [1, 3, 2]  # four at a time, without the one that went away
    slow.go.clear()
    assert 0.01 < batcher.seconds_until(5) < 1
    waiting = [batcher.submit(task, 5) for _ in range(20)]
    assert batcher.seconds_until(5) > 15 * 0.02
    slow.go.set()
    batcher.close()
    assert all(answer.done() for answer in waiting)
    assert batcher.seconds_until(5) < 0.5
