"""Theories of one base name in two sessions: their names are kept apart, whatever the order of building."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest
import zstandard
from tests.benchmark.graph_files import write_graph
from tests.benchmark.handmade import BOOL, NAT, ProofMaker, fun, graph_of, uses

from isarstep.benchmark.building.build import build
from isarstep.benchmark.building.stats import measure, tables
from isarstep.benchmark.rules.rules import TEST, TRAIN, VALIDATION, Sizes, band_of
from isarstep.benchmark.store.identity import benchmark_name
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.context.clashes import Ancestry, Renaming
from isarstep.isabelle.process.proof_graph import DeclaredConstant, Graph, Lemma, Proof, TheorySignature, Variable
from isarstep.isabelle.terms.terms import App, Const, Free, Term, TFree, Type, Var
from isarstep.isabelle.terms.type_text import format_type

SIZES = Sizes(scored=0, unseen=0)

TRUE = Const("HOL.Trueprop", fun(BOOL, Type("prop")))
ORDER = Type("Order.order")
CLASSES = ("Nat.a", "Order.m", "Parity.z")  # their order changes with the longer name
ANY = TFree("'a", CLASSES)
BASE = "HOL.Base"
FIRST, FIRST_USER = "HOL-Algebra.Order", "HOL-Algebra.Ring"
SECOND, SECOND_USER = "Geometry.Order", "Geometry.Lines"


def theory(name: str, parents: list[str], le: Type, weight: int, *, declares: bool) -> Graph:
    """Theorems about `Order.le`, which has another type below each of the two theories called Order."""
    base = name.rpartition(".")[2]
    proofs = []
    variables = {"a": NAT, "b": ORDER, "x": ANY}

    def statement(depth: int, variable: str) -> Term:
        argument: Term = Free(variable, variables[variable])
        for _ in range(depth):
            argument = App(Const(f"Order.s{weight}", fun(NAT, NAT)), argument)
        return App(TRUE, App(Const("Order.le", le), argument))

    for ordinal in range(30):
        maker = ProofMaker(ordinal, f"{base}.thm{ordinal}", variables="abx")
        maker.step("lemma", ("goal", statement(ordinal, "a"), []), fixed="abx")
        [first] = maker.step("have", ("goal", statement(ordinal + 1, "b"), []), parent=0, depth=1, block=1)
        [second] = maker.step("have", ("goal", statement(ordinal + 1, "x"), []), parent=0, depth=1, block=1)
        # Of the same length as those with Order in them: their order must not depend on the longer name.
        other = [App(TRUE, App(Const(f"{letter}.le", le), Free("a", NAT))) for letter in "HQ"]
        more = [maker.step("have", ("goal", term, []), parent=0, depth=1, block=1)[0] for term in other]
        [third] = maker.step("have", ("goal", statement(0, "b"), []), parent=0, depth=1, block=1)
        used = uses("using", first, second, third, *more)
        [show] = maker.step("show", ("goal", statement(ordinal, "a"), used), parent=0, depth=1, block=1)
        maker.use(0, *uses("block", show))
        proof = maker.finish()
        known = tuple(Variable(v.name, variables[v.name]) for v in proof.variables)
        proofs.append(Proof(**{f: getattr(proof, f) for f in Proof.__slots__} | {"variables": known}))
    fact = Lemma(f"{base}.fact", 0, App(TRUE, App(Const("Order.le", le), Var("x", 0, le.args[0]))))
    graph = graph_of(proofs, theorems=[fact], theory=name, session=name.rpartition(".")[0], parents=parents)
    added = TheorySignature(
        (DeclaredConstant("Order.le", le, App(Const("Order.s0", le), Const("Nat.n", NAT))),),
        (("Order.order", 0),),
        (("Order.m", ("Nat.a",)), ("Order.n", ("Nat.b", "Order.m", "Parity.z"))),
        (("Order.order", "Order.m", (("Nat.a", "Order.m"),)),),
        (Const("Order.le", le),),
    )
    signature = added if declares else TheorySignature((), (), (), (), ())
    return Graph(**{f: getattr(graph, f) for f in Graph.__slots__} | {"signature": signature})


def below(theory_name: str) -> Graph:
    base = {FIRST: (BASE, fun(NAT, BOOL), 1), SECOND: (BASE, fun(fun(NAT, NAT), BOOL), 2)}
    parent, le, weight = base[theory_name]
    return theory(theory_name, [parent], le, weight, declares=True)


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("graphs")
    made = {
        BASE: graph_of([], theory=BASE, session="HOL", parents=["Pure"]),
        FIRST: below(FIRST),
        SECOND: below(SECOND),
        FIRST_USER: theory(FIRST_USER, [FIRST], fun(NAT, BOOL), 3, declares=False),
        SECOND_USER: theory(SECOND_USER, [BASE, SECOND], fun(fun(NAT, NAT), BOOL), 4, declares=False),
    }
    return {name: write_graph(graph, folder) for name, graph in made.items()}


@pytest.fixture(scope="module")
def whole(graphs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "bench"
    build(list(graphs.values()), out, sizes=SIZES, workers=1)
    return out


def contents(folder: Path) -> dict[str, bytes]:
    """All bytes, but for the word whether it has grown, and the name that depends on it."""
    word = re.compile(rb'"grown": (true|false)|"hash": "[0-9a-f]{64}"')
    return {path.name: word.sub(b"", path.read_bytes()) for path in sorted(folder.iterdir())}


def test_every_name_says_whose_it_is(whole: Path) -> None:
    benchmark = Benchmark(whole)
    assert benchmark.manifest["qualified"] == [SECOND]
    shorter = benchmark.theory_contexts.in_isabelle("by (metis Geometry.Order.fact Geometry.Lines.fact Order.fact)")
    assert shorter == "by (metis Order.fact Geometry.Lines.fact Order.fact)"
    seen = set()
    for example in (e for name in benchmark.splits for e in benchmark.split(name)):
        seen.add(example.theory)
        everything = " ".join([example.f1, *example.f2, example.f3 or "", *example.f4])
        second = example.session == "Geometry"
        assert ("CONST Geometry.Order.le" in everything) == second
        assert (" Order." in everything) != second
        assert any("Order." in text for text in (example.f1, *example.f4))
        types = " ".join(example.types.values())
        assert "Geometry.Order.order" in types if second else "Geometry" not in types
        if example.theory == SECOND:
            assert example.name.startswith("Geometry.Order.thm")
        else:
            assert example.name.startswith(example.theory.rpartition(".")[2] + ".thm")
    assert seen == {FIRST, FIRST_USER, SECOND, SECOND_USER}
    signature = benchmark.signature
    assert format_type(signature.constants["Order.le"].type) == "(fun Nat.nat HOL.bool)"
    assert format_type(signature.constants["Geometry.Order.le"].type) == "(fun (fun Nat.nat Nat.nat) HOL.bool)"
    assert "Geometry.Order.s0" in str(signature.constants["Geometry.Order.le"].abbreviates)
    assert {*benchmark.facts["name"].to_pylist()} == {
        "Order.fact", "Geometry.Order.fact", "Ring.fact", "Lines.fact",
    }  # fmt: skip
    texts = benchmark.types
    assert "('a :: Geometry.Order.m & Nat.a & Parity.z)" in texts
    assert "('a :: Nat.a & Order.m & Parity.z)" in texts
    document = json.loads(
        zstandard.ZstdDecompressor().stream_reader((whole / "signature.json.zst").read_bytes()).read()
    )
    assert ["Geometry.Order.n", ["Geometry.Order.m", "Nat.b", "Parity.z"]] in document["classes"]
    assert ["Geometry.Order.order", "Geometry.Order.m", [["Geometry.Order.m", "Nat.a"]]] in document["arities"]
    assert ["Geometry.Order.order", 0] in document["types"]
    assert ["CONST Geometry.Order.le", "(fun (fun Nat.nat Nat.nat) HOL.bool)"] in document["coercions"]
    named = [table for table in tables(benchmark, measure(benchmark)) if "session" in table.title]
    assert (SECOND, "Order") in named[0].rows


# Nothing is scored, so nothing is frozen: then growing is building at once.
PARTS = [[BASE, FIRST, FIRST_USER], [BASE, SECOND, SECOND_USER], [BASE, FIRST, SECOND], [BASE, SECOND], [BASE, FIRST]]


@pytest.mark.parametrize("first", PARTS, ids=" ".join)
def test_growing_is_building_at_once(graphs: dict[str, Path], whole: Path, tmp_path: Path, first: list[str]) -> None:
    build([graphs[name] for name in first], tmp_path / "part", sizes=SIZES, workers=1)
    rest = [path for name, path in graphs.items() if name not in first]
    build([tmp_path / "part", *rest], tmp_path / "grown", sizes=SIZES, workers=1)
    assert contents(tmp_path / "grown") == contents(whole)


def test_alone_a_theory_keeps_its_names(graphs: dict[str, Path], tmp_path: Path) -> None:
    build([graphs[name] for name in (BASE, SECOND, SECOND_USER)], tmp_path / "one", sizes=SIZES, workers=1)
    alone = Benchmark(tmp_path / "one")
    assert alone.manifest["qualified"] == []
    assert not any("Geometry" in text for block in alone.propositions.blocks() for text in block.to_pylist())


def test_no_theorem_moves_because_of_its_company(graphs: dict[str, Path], whole: Path, tmp_path: Path) -> None:
    build([graphs[name] for name in (BASE, SECOND, SECOND_USER)], tmp_path / "alone", sizes=SIZES, workers=1)

    def bands(folder: Path) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for example in (
            e for name in Benchmark(folder).splits for e in Benchmark(folder).split(name) if e.session == "Geometry"
        ):
            found.setdefault(example.step_id, set()).add(band_of(example.theorem))
        return found

    before, after = bands(tmp_path / "alone"), bands(whole)
    assert before == after
    assert set.union(*before.values()) >= {TRAIN, VALIDATION} or set.union(*before.values()) >= {TRAIN, TEST}


def test_what_cannot_be_told_is_refused(graphs: dict[str, Path], tmp_path: Path) -> None:
    # The user's own imports are not there, so nobody knows that it rests on the second theory ...
    distant = theory("Geometry.Distant", ["Geometry.Between"], fun(fun(NAT, NAT), BOOL), 2, declares=False)
    build([write_graph(distant, tmp_path)], tmp_path / "part", sizes=SIZES, workers=1)
    between = graph_of([], theory="Geometry.Between", session="Geometry", parents=[SECOND])
    with pytest.raises(UserError, match=r"Geometry\.Distant rests on Geometry\.Order"):
        build(
            [tmp_path / "part", write_graph(between, tmp_path), *graphs.values()],
            tmp_path / "out",
            sizes=SIZES,
            workers=1,
        )
    # ... or that a benchmark's theory does not rest on the one that has to be renamed.
    build([write_graph(distant, tmp_path), graphs[SECOND]], tmp_path / "part", sizes=SIZES, workers=1)
    with pytest.raises(UserError, match=r"which one Geometry\.Distant means is not known"):
        build([tmp_path / "part", graphs[BASE], graphs[FIRST]], tmp_path / "out", sizes=SIZES, workers=1)
    # Benchmarks of earlier versions may have mixed names up.
    build(list(graphs.values()), tmp_path / "old", sizes=SIZES, workers=1)
    manifest = json.loads((tmp_path / "old" / "manifest.json").read_text())
    del manifest["qualified"]
    manifest["hash"] = benchmark_name(manifest)
    (tmp_path / "old" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match="mixes up theories called Order"):
        build([tmp_path / "old"], tmp_path / "out", sizes=SIZES, workers=1)
    assert not (tmp_path / "out").exists()


def test_the_first_depends_on_the_set_alone() -> None:
    order = ["T", "HOL.T", "HOL-Library.T", "HOL-Algebra.T", "AFP_Entry.T"]
    for count in range(1, 6):
        for some in itertools.permutations(order, count):
            ancestry = Ancestry({name: ["Pure"] for name in some})
            first, *others = sorted(some, key=order.index)
            assert ancestry.prefix(first) == "T"
            assert [ancestry.prefix(name) for name in others] == others
            assert ancestry.qualified == sorted(others)
    # Mentioned only: its names occur below it.
    assert Ancestry({"B.U": ["B.T"], "A.T": []}).renamings() == {"B.U": Renaming({"T": "B.T"})}


def test_two_ancestors_of_one_base_name_are_refused() -> None:
    with pytest.raises(UserError, match="imports both"):
        Ancestry({"A.T": [], "B.T": [], "C.U": ["A.T", "B.T"]}).renamings()


def test_names_are_changed_where_they_begin() -> None:
    renaming = Renaming({"Order": "My-Entry.Order"})
    line = "CONST Order.le $ ( CONST Pre.Order.le $ CONST PreOrder.le ) $ FREE <X0>"
    changed = "CONST My-Entry.Order.le $ ( CONST Pre.Order.le $ CONST PreOrder.le ) $ FREE <X0>"
    assert renaming.text(line) == changed
    assert renaming.undone(changed) == line
    assert renaming.name("Order") == "Order"
    assert renaming.name("Order.c_class.x") == "My-Entry.Order.c_class.x"
    assert renaming.type("(Order.t ('a :: A.c & Order.d) Order.u)") == (
        "(My-Entry.Order.t ('a :: A.c & My-Entry.Order.d) My-Entry.Order.u)"
    )
