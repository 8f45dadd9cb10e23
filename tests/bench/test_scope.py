"""Which constants, instances and variables exist where a step stands."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from isarstep.bench.example import Example
from isarstep.bench.scope import Declared, Scope
from isarstep.bench.store import Benchmark
from isarstep.decode.contexts import recorded_type
from isarstep.logic.infer import well_formed
from isarstep.logic.signature import Signature

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


def test_what_a_theory_declares_later_does_not_exist_yet():
    scope = Scope(PARENTS, (), {"B.Top": Declared({"Top.early": 3, "Top.late": 8}, frozenset())})
    example = replace(at("B.Top"), f2=("CONST Top.own",), proof=5)
    known = scope.known(example)
    names = ("Top.early", "Top.late", "Top.own", "Top.never", "Left.f", "Right.f")
    assert [known(name) for name in names] == [True, False, True, False, True, False]
    assert "only by later proofs" in str(scope.absence(example, "CONST Top.late"))
    assert scope.absence(example, "CONST Top.early $ CONST Top.own $ CONST Top.never") is None
    # What this proof is the first to mention exists, but nobody can know it before.
    example = replace(example, proof=8)
    assert scope.absence(example, "CONST Top.late") is None
    assert not scope.known(example)("Top.late")
    # Where nothing is recorded, all is there.
    assert scope.known(at("A.Left"))("Left.f")
    assert scope.known(replace(example, proof=-1))("Top.late")


WHOLE = Signature.build((), (), [("c", ())], [("t", "c", ()), ("fun", "c", [["c"], ["c"]])])


def test_instances_of_other_theories_are_not_there():
    nothing = Declared({}, frozenset())
    base, right = Declared({}, frozenset({"t c"})), Declared({}, frozenset({"fun c"}))
    declared = {"A.Base": base, "A.Left": nothing, "A.Right": right, "B.Top": nothing}
    seen = Scope(PARENTS, (), declared).signature("B.Top", WHOLE)
    assert (seen.arities["t"].keys(), seen.arities["fun"].keys()) == ({"c"}, set())
    assert Scope(PARENTS, (), declared).signature("C.Left", WHOLE) is WHOLE  # of which nothing is recorded


def test_a_benchmark_of_an_earlier_version_does_not_say_what_is_declared_where(monkeypatch: pytest.MonkeyPatch):
    rows = {"theories": [{"name": "A.Base", "parents": []}, {"name": "A.Left", "parents": ["A.Base"]}]}
    monkeypatch.setattr("isarstep.bench.grow.signature_document", lambda _: rows)
    scope = Scope.of_benchmark(Benchmark("embedded"))
    example = replace(at("A.Left"), proof=3)
    assert scope.known(example)("Left.f")
    assert not scope.known(example)("Right.f")
    assert scope.absence(example, "CONST Left.f") is None
    assert scope.signature("A.Left", WHOLE) is WHOLE


def test_all_that_the_embedded_examples_say_exists():
    benchmark = Benchmark("embedded")
    scope = Scope.of_benchmark(benchmark)
    foreign = unknown = 0
    for number, example in enumerate(benchmark.split("test")):
        texts = (example.f1, *example.f2, *([example.f3] if example.f3 else []), *example.f4)
        for text in texts:
            assert scope.absence(example, text) is None
        if number % 10 == 0:
            signature = scope.signature(example.theory, benchmark.signature)
            types = {name: recorded_type(text) for name, text in example.types.items()}
            assert all(well_formed(text, signature, types) for text in (example.f1, *example.f2))
        exists, known = scope.constants(example.theory), scope.known(example)
        foreign += not exists("Complex_Singularities.residue") and bool(re.search("Groups", example.f1))
        unknown += not all(map(known, re.findall(r"CONST (\S+)", example.f1)))
    assert foreign > 100
    assert unknown <= 25  # the constraint excludes at most half a percent of the references
