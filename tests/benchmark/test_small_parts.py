"""Small parts of the benchmark's rules on their own: instances, types of variables, names that never change."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from tests.benchmark.handmade import NAT, ProofMaker, graph_of, prop, raw, sqrt_two, uses
from tests.benchmark.test_extract import examples_of

from isarstep.benchmark.extraction.extract import MAX_SOURCE, MAX_TARGET, UNKNOWN, Extractor, variable_types
from isarstep.benchmark.store.identity import ColumnDigest, benchmark_name, columns_digest, table_digest
from isarstep.benchmark.store.ids import (
    content_key,
    example_id,
    numbered,
    places_of_lowest,
    theorem_identity,
    variables_of,
)
from isarstep.benchmark.store.show_owner import belonging, conclusion, is_instance
from isarstep.isabelle.process.proof_graph import Variable
from isarstep.isabelle.terms.hol import list_pure_imp, pure_all
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, Var, abstract


def under(body: Term) -> Term:
    return App(Const("Set.Collect"), Abs("x", NAT, body))


@pytest.mark.parametrize(
    ("term", "pattern", "instance"),
    [
        (under(Bound(0)), under(Bound(0)), True),
        (under(Abs("y", NAT, Bound(0))), under(Abs("y", NAT, Bound(1))), False),
        (under(Abs("y", NAT, Bound(1))), under(Abs("y", NAT, Bound(1))), True),
        (under(Bound(0)), under(Free("a", NAT)), False),  # nothing stands for what is bound inside
        (under(raw("Nat.two")), under(Free("a", NAT)), True),
        (under(raw("Nat.two")), under(Var("a", 0, NAT)), True),
        (raw(("Nat.less", "Nat.two", "Nat.two")), raw(("Nat.less", "a", "a")), True),
        (raw(("Nat.less", "Nat.two", "b")), raw(("Nat.less", "a", "a")), False),
        (raw("Nat.two"), raw("Nat.three"), False),
        (raw(("Nat.sq", "a")), raw("Nat.two"), False),
        (raw("Nat.two"), raw(("Nat.sq", "a")), False),
        (under(Bound(0)), raw(("Set.Collect", "Nat.two")), False),
        (raw(("Set.Collect", "Nat.two")), under(Bound(0)), False),
        (raw("a"), raw("Nat.two"), False),  # a variable is no instance of a constant
        (Bound(0), raw("Nat.two"), False),
        (raw("Nat.two"), Bound(0), False),
    ],
)
def test_an_instance_has_other_terms_for_variables_and_nothing_else(term: Term, pattern: Term, instance: bool) -> None:
    assert is_instance(term, pattern) is instance


def test_a_show_belongs_to_the_statements_of_which_it_is_an_instance() -> None:
    assert belonging(prop("Nat.P", "Nat.two"), [prop("Nat.Q", "x"), prop("Nat.P", "x")]) == [1]
    three = [prop("Nat.P", "x"), prop("Nat.P", "y"), prop("Nat.Q", "x")]
    assert belonging(prop("Nat.P", "Nat.two"), three) == [0, 1]


def test_a_conclusion_is_what_stands_behind_all_premises_and_binders() -> None:
    inner = list_pure_imp([prop("Nat.R", "x")], prop("Nat.less", "x", "y"))
    rule = inner
    for name in ("y", "x"):
        rule = pure_all(name, NAT, abstract(rule, Free(name, NAT)))
    found = conclusion(list_pure_imp([prop("Nat.Q", "z")], rule))
    first, second = Var("bound 0", 0, NAT), Var("bound 1", 0, NAT)
    assert found == App(Const("HOL.Trueprop", found.fun.type), App(App(raw("Nat.less"), first), second))  # type: ignore[union-attr]


def test_a_variable_whose_type_was_not_known_when_it_was_fixed_has_that_of_the_facts() -> None:
    proof = sqrt_two().proofs[0]
    open_ones = replace(proof, variables=tuple(Variable(each.name, UNKNOWN) for each in proof.variables))
    assert variable_types(open_ones) == variable_types(proof) == dict.fromkeys("abc", NAT)
    one = replace(proof, variables=(Variable("a", UNKNOWN), *proof.variables[1:]))
    assert variable_types(one) == dict.fromkeys("abc", NAT)
    nowhere = replace(proof, variables=(*proof.variables, Variable("d", UNKNOWN)))
    assert variable_types(nowhere)["d"] == UNKNOWN
    # A fact may have been recorded before the type was known, too: it says nothing.
    early = [
        replace(fact, prop=App(Const("Nat.even"), Free("d", typ)))
        for fact in proof.facts[:1]
        for typ in (UNKNOWN, None)
    ]
    assert variable_types(replace(nowhere, facts=tuple(early)))["d"] == UNKNOWN
    known = replace(proof.facts[0], prop=App(Const("Nat.even"), Free("d", NAT)))
    assert variable_types(replace(nowhere, facts=(*early, known)))["d"] == NAT


def test_the_paper_s_limits_of_length() -> None:
    assert (MAX_SOURCE, MAX_TARGET) == (800, 200)


def test_what_is_too_long_is_counted_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    maker = ProofMaker(0, "long")
    [_, given] = maker.step(
        "lemma", ("goal", prop("Nat.P", "x"), []), ("assumption", prop("Nat.R", "x"), []), fixed="x"
    )
    [show] = maker.step("show", ("goal", prop("Nat.Q", "x"), uses("using", given)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    graph = graph_of([maker.finish()])
    whole = len(examples_of(graph))
    assert whole == 2
    for limit in ("MAX_TARGET", "MAX_SOURCE"):
        extractor = Extractor(graph)
        with monkeypatch.context() as shorter:
            shorter.setattr(f"isarstep.benchmark.extraction.extract.{limit}", 1)
            extractor.run()
        assert extractor.counts["too long"] == extractor.counts["raw"] == whole
        assert extractor.counts["examples"] == 0
    # As long as the limit is not too long.
    longest = len("CONST HOL.Trueprop $ ( CONST Nat.R $ FREE <X0> )".split())
    monkeypatch.setattr("isarstep.benchmark.extraction.extract.MAX_TARGET", longest)
    exactly = Extractor(graph)
    exactly.run()
    assert exactly.counts["examples"] == whole


def test_names_never_change() -> None:
    """Ids of a published benchmark: whoever changes how they are made would lose all that refers to them."""
    identity = theorem_identity(["CONST a", "CONST b"])
    assert identity == "d48fd765c72a2edc"
    key = content_key(b"1", [b"3", b"2"], None, [], [b"4"])
    assert key == content_key(b"1", [b"2", b"3"], None, [], [b"4"])
    assert key.hex() == "9de0342ac5b10d9e52868120d59f8d99"
    assert key != content_key(b"1", [b"2", b"3"], None, [b"4"], [])
    assert example_id(identity, key) == "3bcf88873d73"
    assert variables_of("FREE <X3> $ FREE <X0> $ FREE <X3>") == (3, 0)
    assert numbered("FREE <X3> $ FREE <X0> $ FREE <X3>") == "FREE <X0> $ FREE <X1> $ FREE <X0>"
    assert places_of_lowest(["c", "a", "d", "b"], 2) == [1, 3]
    assert places_of_lowest(["c", "a"], None) == [0, 1]


def test_a_digest_is_of_the_content_however_it_is_cut() -> None:
    table = pa.table({"a": [1, 2, None], "b": ["x", "", "yz"], "c": [["p"], [], ["q", "r"]], "d": [[1, 2], [], [3]]})
    numbers = table.drop_columns(["c"])  # lists of texts are not cut, see the log
    cut = pa.concat_tables([numbers.slice(0, 1), numbers.slice(1)])
    assert table_digest(cut) == table_digest(numbers)
    others = [
        table.set_column(0, "a", pa.array([1, None, 2])),
        table.set_column(1, "b", pa.array(["x", "y", "z"])),
        table.set_column(2, "c", pa.array([["p", "q"], [], ["r"]])),
        table.set_column(3, "d", pa.array([[1], [2], [3]])),
        table.rename_columns(["a", "b", "c", "e"]),
    ]
    assert len({table_digest(each) for each in (table, *others)}) == 6
    empty = ColumnDigest()
    assert columns_digest({"a": empty}) != columns_digest({"b": empty})
    assert (
        benchmark_name({"x": "1", "y": "2"})
        == benchmark_name({"y": "2", "x": "1"})
        != benchmark_name({"x": "2", "y": "1"})
    )
