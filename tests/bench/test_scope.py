"""Which constants and variables exist where a step stands."""

from __future__ import annotations

import re

from isarstep.bench.example import Example
from isarstep.bench.scope import Scope
from isarstep.bench.store import Benchmark

PARENTS = {"A.Base": [], "A.Left": ["A.Base"], "A.Right": ["A.Base"], "B.Top": ["A.Left"], "C.Left": ["A.Base"]}
SCOPE = Scope(PARENTS, ["C.Left"])


def at(theory: str, fixed: int = 2, **types: str) -> Example:
    return Example(id="x", f1="", f2=(), f3="", f4=(), f5=(), theory=theory, types=types, fixed=fixed)


def test_constants_of_imported_theories_exist():
    exists = SCOPE.constants("B.Top")
    assert [exists(name) for name in ("Top.f", "Left.f", "Base.c.f", "Pure.eq")] == [True] * 4
    assert not exists("Right.f")
    assert not exists("C.Left.f")  # another theory of that name
    assert SCOPE.constants("C.Left")("C.Left.f")
    assert not SCOPE.constants("C.Left")("Left.f")
    assert SCOPE.constants("Unheard.Of")("Right.f")  # its imports are not known


def test_what_is_absent_is_named():
    assert SCOPE.absence(at("B.Top"), "CONST Left.f $ FREE <X1>") is None
    assert "Right.f" in str(SCOPE.absence(at("B.Top"), "CONST Left.f $ CONST Right.f"))
    assert "<X2>" in str(SCOPE.absence(at("B.Top"), "CONST Left.f $ FREE <X2>"))
    assert SCOPE.absence(at("B.Top", **{"<X2>": "nat"}), "CONST Left.f $ FREE <X2>") is None
    assert SCOPE.absence(at("B.Top", -1), "CONST Left.f $ FREE <X2>") is None  # what is fixed is not known
    assert SCOPE.absence(at("B.Top"), "CONST Left.f $ FREE x") is None


def test_all_that_the_embedded_examples_say_exists():
    benchmark = Benchmark("embedded")
    scope = Scope.of_benchmark(benchmark)
    foreign = 0
    for example in benchmark.split("test"):
        for text in (example.f1, *example.f2, *([example.f3] if example.f3 else []), *example.f4):
            assert scope.absence(example, text) is None
        exists = scope.constants(example.theory)
        foreign += not exists("Complex_Singularities.residue") and bool(re.search("Groups", example.f1))
    assert foreign > 100
