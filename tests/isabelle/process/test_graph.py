import json

import pytest
import zstandard

from isarstep.common.errors import UserError
from isarstep.isabelle.process.proof_graph import Use, parse_graph, read_graph
from isarstep.isabelle.process.shown_graph import show_proof
from isarstep.isabelle.terms.terms import App, Const, Free, TFree, TVar, Type

HEAD = {"format": 1, "isabelle": "Isabelle2025-1", "session": "S", "theory": "S.T", "parents": ["Main"], "hash": "0"}
TYPES = {
    "types": [
        ["HOL.bool"],
        ["prop"],
        ["fun", 0, 1],
        ["'a", ["HOL.type"]],
        ["?'a", 2, ["HOL.ord", "HOL.type"]],
        ["fun", 0, 0],
        ["fun", 0, 5],
    ]
}
TERMS = {
    "terms": [
        ["c", "HOL.Trueprop", 2],
        ["f", "p", 0],
        ["a", 0, 1],
        ["v", "x", 1, 4],
        ["b", 0],
        ["l", "y", 3, 4],
        ["c", "HOL.conj", 6],
        ["a", 6, 1],
        ["a", 7, 1],
        ["a", 0, 8],
    ]
}
LEMMA = {"lemma": ["HOL.conjI", 0, 2]}
PROOF = {
    "proof": {
        "ordinal": 0, "command": "lemma", "name": "T.both", "line": 12, "variables": [["p", 0]],
        "steps": [[0, "lemma", None, 0, 0, None, [0]], [1, "proof", 0, 0, 0, None, [0]], [2, "show", 0, 1, 1, "left", [0]]],
        "facts": [
            ["goal", 0, "both", 9, [["block", "f", 2]]],
            ["assumption", 0, "given", 2, []],
            ["goal", 2, None, 9, [["chained", "f", 1], ["method", "l", 0], ["method", "c", "simps"]]],
        ],
        "complete": True, "unresolved": ["2: foo: no such fact"],
    }
}  # fmt: skip
SIGNATURE = {
    "signature": {
        "constants": [["T.c", 3, None], ["T.d", 0, 1]],
        "types": [["T.t", 1]],
        "classes": [["T.k", ["HOL.type"]]],
        "arities": [["T.t", "T.k", [["HOL.type"]]]],
        "coercions": [5],
    }
}
THEOREMS = {"theorems": [["T.both", 0, 9]]}
END = {"end": {"failures": ["line 3: skipped"]}}
WHOLE = [HEAD, TYPES, TERMS, LEMMA, PROOF, SIGNATURE, THEOREMS, END]


def lines(records):
    return "\n".join(json.dumps(record) for record in records).encode() + b"\n"


def test_everything_is_read():
    graph = parse_graph(lines(WHOLE), "here")
    assert (graph.session, graph.theory, graph.parents, graph.failures) == ("S", "S.T", ("Main",), ("line 3: skipped",))
    [proof] = graph.proofs
    boolean = Type("HOL.bool")
    given = App(Const("HOL.Trueprop", Type("fun", (boolean, Type("prop")))), Free("p", boolean))
    assert proof.facts[1].prop == given
    assert graph.lemmas[0].prop is proof.facts[1].prop  # shared terms are shared objects
    assert proof.facts[0].prop is proof.facts[2].prop
    assert proof.facts[2].uses == (Use("chained", fact=1), Use("method", lemma=0), Use("method", collection="simps"))
    assert proof.steps[2].case == "left"
    assert proof.variables[0].type == boolean
    assert graph.signature.constants[0].type == TFree("'a", ("HOL.type",))
    assert graph.signature.constants[1].abbreviates == Free("p", boolean)
    assert graph.signature.arities == (("T.t", "T.k", (("HOL.type",),)),)
    assert graph.theorems[0].name == "T.both"


def test_schematic_types():
    graph = parse_graph(
        lines(
            [
                HEAD,
                {"types": [["?'a", 2, ["HOL.ord"]]]},
                {"terms": [["v", "x", 1, 0]]},
                {"theorems": [["t", 0, 0]]},
                END,
            ]
        ),
        "x",
    )
    assert graph.theorems[0].prop.type == TVar("'a", 2, ("HOL.ord",))


def changed(index, **values):
    records = json.loads(json.dumps(WHOLE))
    records[index]["proof"].update(values)
    return records


@pytest.mark.parametrize(
    ("records", "says"),
    [
        ([], "the file is empty"),
        (WHOLE[:-1], "no end record"),
        ([{**HEAD, "format": 3}, *WHOLE[1:]], "format 3"),
        ([*WHOLE, LEMMA], "something follows the end"),
        ([HEAD, {"terms": [["a", 0, 1]]}, END], "line 2.*IndexError"),
        ([HEAD, {"types": [["fun", -1, -1]]}, END], "negative"),
        ([HEAD, {"what": 1}, END], "unknown record what"),
        (changed(4, facts=[["goal", 0, None, 2, [["method", "l", 7]]]]), "lemma 7, which is not there"),
        (changed(4, facts=[["goal", 0, None, 2, [["chained", "f", 7]]]]), "fact 7, which is not there"),
        (changed(4, facts=[["goal", 9, None, 2, []]]), "step 9, which is not there"),
        (changed(4, facts=[["gaol", 0, None, 2, []]]), "kind of fact 'gaol'"),
        (changed(4, facts=[["goal", 0, None, 2, [["guess", "f", 0]]]]), "kind of use 'guess'"),
    ],
)
def test_what_is_wrong_is_named(records, says):
    with pytest.raises(UserError, match=says) as caught:
        parse_graph(lines(records) if records else b"", "S/T.jsonl.zst")
    assert str(caught.value).startswith("S/T.jsonl.zst: line ")


def test_files(tmp_path):
    path = tmp_path / "T.jsonl.zst"
    path.write_bytes(zstandard.compress(lines(WHOLE)))
    assert read_graph(path).theory == "S.T"
    path.write_bytes(b"not zstandard")
    with pytest.raises(UserError, match=r"not readable as zstd .*; mine the theory again"):
        read_graph(path)
    path.write_bytes(zstandard.compress(lines(WHOLE))[:-20])
    with pytest.raises(UserError):
        read_graph(path)
    with pytest.raises(UserError, match="no such file"):
        read_graph(tmp_path / "nope")


def test_a_proof_is_shown_with_its_edges():
    graph = parse_graph(lines(WHOLE), "here")
    assert show_proof(graph, graph.proofs[0]) == (
        "lemma T.both  [S.T, line 12]\n"
        "  variables p\n"
        "    f0 goal both: p ∧ p\n"
        "      <- block: f2\n"
        "    f1 assumption given: p\n"
        "  proof\n"
        "    show (left)\n"
        "      f2 goal: p ∧ p\n"
        "        <- chained: f1\n"
        "        <- method: HOL.conjI, simps (collection)\n"
        "  unresolved: 2: foo: no such fact\n"
    )
