"""Which constants, instances and variables exist where a step stands."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.context.ancestors import ancestors_first
from isarstep.isabelle.context.theory_contexts import Declared, TheoryContexts
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import Type
from isarstep.model.decode.variable_types import recorded_type

PARENTS = {"A.Base": [], "A.Left": ["A.Base"], "A.Right": ["A.Base"], "B.Top": ["A.Left"], "C.Left": ["A.Base"]}
NOTHING = Signature.build(())
CONTEXTS = TheoryContexts(NOTHING, PARENTS, ["C.Left"])


def at(theory: str, fixed: int = 2, **types: str) -> Example:
    return Example(id="x", f1="", f2=(), f3="", f4=(), f5=(), theory=theory, types=types, fixed=fixed)


def test_ancestors_come_first_in_the_order_of_imports():
    parents = {"A.Top": ["A.Right", "A.Left", "A.Base"], "A.Right": ["A.Left", "Main"], "A.Left": ["A.Base"]}
    assert ancestors_first(["A.Left", "A.Top"], parents) == ["A.Base", "A.Left", "Main", "A.Right", "A.Top"]
    assert ancestors_first(["A.Top", "A.Left"], parents) == ["A.Base", "A.Left", "Main", "A.Right", "A.Top"]
    assert ancestors_first(["A"], {"A": ["B"], "B": ["A"]}) == ["B", "A"]  # no circle keeps it busy


def test_constants_of_imported_theories_exist():
    exists = CONTEXTS.at("B.Top").exists
    assert [exists(name) for name in ("Top.f", "Left.f", "Base.c.f", "Pure.eq")] == [True] * 4
    assert not exists("Right.f")
    assert not exists("C.Left.f")  # another theory of that name
    assert CONTEXTS.at("C.Left").exists("C.Left.f")
    assert not CONTEXTS.at("C.Left").exists("Left.f")
    assert CONTEXTS.at("Unheard.Of").exists("Right.f")  # its imports are not known


def test_of_many_constants_those_exist_that_exist_one_by_one():
    names = ["Top.f", "C.f", "C.Left.f", "C.Other.f", "Left.f", "Left.g", "Right.f", "Base.c.f", "C.Left.g", "Pure.eq"]
    own = Signature.build([Constant("Right.mine", Type("bool"))])
    theory_contexts = [CONTEXTS.at(theory) for theory in (*PARENTS, "Unheard.Of")]
    for theory_context in (*theory_contexts, *(theory_context.with_own(own) for theory_context in theory_contexts)):
        assert theory_context.existing([*names, "Right.mine", *names]) == [
            name for name in (*names, "Right.mine", *names) if theory_context.exists(name)
        ]


def test_what_is_absent_is_named():
    assert CONTEXTS.at("B.Top").absence(at("B.Top"), "CONST Left.f $ FREE <X1>") is None
    assert "Right.f" in str(CONTEXTS.at("B.Top").absence(at("B.Top"), "CONST Left.f $ CONST Right.f"))
    assert "<X2>" in str(CONTEXTS.at("B.Top").absence(at("B.Top"), "CONST Left.f $ FREE <X2>"))
    assert CONTEXTS.at("B.Top").absence(at("B.Top", **{"<X2>": "nat"}), "CONST Left.f $ FREE <X2>") is None
    assert (
        CONTEXTS.at("B.Top").absence(at("B.Top", -1), "CONST Left.f $ FREE <X2>") is None
    )  # what is fixed is not known
    assert CONTEXTS.at("B.Top").absence(at("B.Top"), "CONST Left.f $ FREE x") is None


def test_what_a_theory_declares_later_does_not_exist_yet():
    theory_contexts = TheoryContexts(
        NOTHING, PARENTS, (), {"B.Top": Declared({"Top.early": 3, "Top.late": 8}, frozenset())}
    )
    theory_context = theory_contexts.at("B.Top")
    example = replace(at("B.Top"), f2=("CONST Top.own",), proof=5)
    known = theory_context.known(example)
    names = ("Top.early", "Top.late", "Top.own", "Top.never", "Left.f", "Right.f")
    assert [known(name) for name in names] == [True, False, True, False, True, False]
    assert "only by later proofs" in str(theory_context.absence(example, "CONST Top.late"))
    assert theory_context.absence(example, "CONST Top.early $ CONST Top.own $ CONST Top.never") is None
    # What this proof is the first to mention exists, but nobody can know it before.
    example = replace(example, proof=8)
    assert theory_context.absence(example, "CONST Top.late") is None
    assert not theory_context.known(example)("Top.late")
    # Where its declaration is known to stand before this proof, everybody can.
    exact = TheoryContexts(
        NOTHING, PARENTS, (), {"B.Top": Declared({"Top.early": 3, "Top.late": 8}, frozenset(), exact=True)}
    )
    assert [exact.at("B.Top").known(replace(example, proof=n))("Top.late") for n in (7, 8)] == [False, True]
    assert not exact.at("B.Top").known(example)("Top.never")
    # Where nothing is recorded, all is there.
    assert theory_contexts.at("A.Left").known(at("A.Left"))("Left.f")
    assert theory_context.known(replace(example, proof=-1))("Top.late")


WHOLE = Signature.build(
    (), (), [("c", ()), ("below_c", ["c"])], [("t", "c", ()), ("fun", "c", [["c"], ["c"]]), ("u", "below_c", ())]
)


def declaring(**arities: str) -> dict[str, Declared]:
    """Theories of A, by their last name; the others declare nothing."""
    return {theory: Declared({}, frozenset(filter(None, [arities.get(theory[2:])]))) for theory in PARENTS}


def test_instances_of_other_theories_are_not_there():
    theory_contexts = TheoryContexts(WHOLE, PARENTS, (), declaring(Base="t c", Right="fun c", Left="u below_c"))
    seen = theory_contexts.at("B.Top").signature
    assert (seen.arities["t"].keys(), seen.arities["fun"].keys()) == ({"c"}, set())
    # What follows by super-classes alone is in nobody's list, and goes with what it follows from.
    assert seen.arities["u"].keys() == {"c", "below_c"}
    assert theory_contexts.at("A.Right").signature.arities["u"].keys() == set()
    partly = {name: content for name, content in theory_contexts.declared.items() if name != "B.Top"}
    assert (
        TheoryContexts(WHOLE, PARENTS, (), partly).at("B.Top").signature.arities is WHOLE.arities
    )  # nothing is recorded


def test_an_instance_asks_of_its_arguments_what_its_own_theory_does():
    """Prefixes order all lists, the lexicographic order needs an order of the elements."""
    left = Declared({}, frozenset({"fun c"}), sorts={"fun c": ((), ("below_c",))})
    right = Declared({}, frozenset({"fun c"}), sorts={"fun c": (("c",), ("c",))})
    theory_contexts = TheoryContexts(WHOLE, PARENTS, (), {**declaring(), "A.Left": left, "A.Right": right})
    assert theory_contexts.at("B.Top").signature.arities["fun"]["c"] == ((), ("below_c",))
    assert theory_contexts.at("A.Right").signature.arities["fun"]["c"] == (("c",), ("c",))


def test_constants_of_other_theories_are_not_in_the_signature():
    whole = Signature.build([Constant("Left.f", Type("t")), Constant("Right.f", Type("t"))])
    seen = TheoryContexts(whole, PARENTS).at("B.Top").signature
    assert "Left.f" in seen.constants
    assert "Right.f" not in seen.constants
    assert "Left.f" in list(seen.constants)
    assert len(seen.constants) == len(list(seen.constants)) == len(whole.constants) - 1
    with pytest.raises(KeyError):
        seen.constants["Right.f"]
    assert seen.constants["Left.f"] is whole.constants["Left.f"]


def test_imports_that_isabelle_could_not_merge_are_refused():
    parents = {**PARENTS, "A.Both": ["A.Left", "A.Right"]}
    del parents["C.Left"]
    clashing = TheoryContexts(WHOLE, PARENTS, (), declaring(Left="t c", Right="t c"))
    with pytest.raises(
        UserError, match=r"cannot merge A.Right and B.Top: A.Left and A.Right both make t an instance of c"
    ):
        clashing.importing(["A.Right", "B.Top"])
    assert clashing.importing(["Right"]).imports == ("A.Right",)
    # Two theories may find out the same; then a third one has merged them.
    merged = TheoryContexts(WHOLE, parents, (), {**clashing.declared, "A.Both": Declared({}, frozenset())})
    assert merged.importing(["A.Right", "B.Top"]).theories == {"A.Base", "A.Left", "A.Right", "B.Top"}
    # What another import rests on adds nothing.
    assert CONTEXTS.importing(["A.Base", "Top"]).name == "B.Top"
    assert CONTEXTS.importing(["A.Right", "B.Top"]).name == "A.Right + B.Top"
    with pytest.raises(UserError, match=r"theory Left: which one\? A.Left, C.Left"):
        CONTEXTS.importing(["Left"])
    library = TheoryContexts(WHOLE, {**PARENTS, "HOL-Library.Left": ["A.Base"]}, (), {})
    assert library.importing(["Left"]).imports == ("HOL-Library.Left",)
    with pytest.raises(UserError, match="theory Nowhere: there is none"):
        CONTEXTS.importing(["Nowhere"])
    with pytest.raises(UserError, match="does not say which theories"):
        TheoryContexts(NOTHING).importing(["Main"])


def test_the_smallest_world_comes_first_after_the_usual_one():
    assert [theory_context.name for theory_context in CONTEXTS.holding(["Left.f", "Pure.eq"])] == ["A.Left", "B.Top"]
    theory_contexts = TheoryContexts(NOTHING, {**PARENTS, "Complex_Main": ["B.Top"]})
    assert [theory_context.name for theory_context in theory_contexts.holding(["Left.f"])] == [
        "Complex_Main",
        "A.Left",
        "C.Left",
        "B.Top",
    ]


def test_a_benchmark_of_an_earlier_version_does_not_say_what_is_declared_where(monkeypatch: pytest.MonkeyPatch):
    rows = {
        **WHOLE.to_json(),
        "theories": [{"name": "A.Base", "parents": []}, {"name": "A.Left", "parents": ["A.Base"]}],
    }
    monkeypatch.setattr(Benchmark, "signature_document", lambda _: rows)
    theory_context = Benchmark(Benchmark("embedded").folder).theory_contexts.at("A.Left")
    example = replace(at("A.Left"), proof=3)
    assert theory_context.known(example)("Left.f")
    assert not theory_context.known(example)("Right.f")
    assert theory_context.absence(example, "CONST Left.f") is None
    assert theory_context.signature.arities.keys() == WHOLE.arities.keys()


def test_the_file_of_the_signature_is_read_and_verified_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from isarstep.benchmark.store import layout, store
    from isarstep.isabelle.terms import signature

    opened: list[str] = []
    read, verify = signature.load_document, layout.verify
    monkeypatch.setattr(signature, "load_document", lambda path: opened.append("read") or read(path))
    monkeypatch.setattr(store, "verify", lambda *args: opened.append(args[1]) or verify(*args))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    benchmark = Benchmark("embedded")
    assert benchmark.signature is benchmark.theory_contexts.whole
    assert benchmark.theory_contexts.at("Main").signature is benchmark.theory_contexts.at("Main").signature
    benchmark.path("signature.json.zst")
    assert benchmark.theory_contexts.at("HOL-Library.Multiset").signature is not benchmark.signature
    assert sorted(opened) == ["notation.json.zst", "read", "read", "signature.json.zst"]


@pytest.mark.slow
def test_all_that_the_embedded_examples_say_exists():
    benchmark = Benchmark("embedded")
    foreign = unknown = 0
    for number, example in enumerate(benchmark.split("test")):
        texts = (example.f1, *example.f2, *([example.f3] if example.f3 else []), *example.f4)
        theory_context = benchmark.theory_contexts.at(example.theory)
        for text in texts:
            assert theory_context.absence(example, text) is None
        if number % 10 == 0:
            types = {name: recorded_type(text) for name, text in example.types.items()}
            assert all(well_formed(text, theory_context.signature, types) for text in (example.f1, *example.f2))
        exists, known = theory_context.exists, theory_context.known(example)
        foreign += not exists("Complex_Singularities.residue") and bool(re.search("Groups", example.f1))
        unknown += not all(map(known, re.findall(r"CONST (\S+)", example.f1)))
    assert foreign > 100
    assert unknown <= 25  # the constraint excludes at most half a percent of the references
