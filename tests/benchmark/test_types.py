"""Types of variables: all that are fixed where an example comes from, mentioned or not."""

import isarstep
from isarstep.benchmark.store.ids import variables_of


def test_fixed_variables_are_typed_whether_mentioned_or_not() -> None:
    untyped = unmentioned = 0
    for example in isarstep.load("embedded", "test"):
        lines = [example.f1, *(line for _, line in example.source())]
        mentioned = {number for line in lines for number in variables_of(line)}
        untyped += sum(f"<X{number}>" not in example.types for number in {*mentioned, *range(example.fixed)})
        unmentioned += len({*range(example.fixed)} - mentioned)
    assert unmentioned > 2_000
    assert untyped < 50  # what Isabelle itself did not know: fixed, but not yet typed
