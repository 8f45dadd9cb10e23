"""Exact examples from small hand-written proofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.benchmark.handmade import BOOL, NAT, ProofMaker, graph_of, lemma_uses, prop, sqrt_two, uses

from isarstep.benchmark.extraction.extract import Extractor, identity_of
from isarstep.benchmark.extraction.obtains import thesis_of
from isarstep.benchmark.extraction.texts import Template, Texts, alike
from isarstep.isabelle.process.proof_graph import Graph, Lemma, Use
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, Type, constants
from isarstep.isabelle.terms.tokens import encode_line


def examples_of(graph: Graph) -> list[dict[str, Any]]:
    """Examples with short texts: constants without theory, no keywords."""
    extractor = Extractor(graph)
    extractor.run()
    shard = extractor.builder.finish()
    texts = [_short(text) for text in shard.propositions["tokens"].to_pylist()]
    rows = shard.examples.to_pylist()
    for row in rows:
        for field in ("f1", "f3"):
            row[field] = None if row[field] is None else texts[row[field]]
        for field in ("f2", "f4", "f5"):
            row[field] = [texts[n] for n in row[field]]
        row["types"] = [shard.types[n] for n in row["types"]]
    return rows


def _short(text: str) -> str:
    words = [w for w in text.split() if w not in ("CONST", "FREE", "VAR", "$", "HOL.Trueprop")]
    text = " ".join(w.rpartition(".")[2] for w in words).replace("( ", "(").replace(" )", ")")
    return text.removeprefix("(").removesuffix(")") if text.startswith("(") else text


def fields(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[field] for field in ("f1", "f2", "f3", "f4", "f5"))


def test_the_papers_own_example() -> None:
    rows = examples_of(sqrt_two())
    squares = "eq (times two (sq <X1>)) (sq <X0>)"
    even, double = "even <X0>", "eq <X0> (times two <X2>)"
    iff = "iff (even (times <V0> <V1>)) (or (even <V0>) (even <V1>))"
    assert [fields(row) for row in rows] == [
        (double, [even], "False", [squares], []),
        (squares, [], "False", [double], []),
        (squares, [], even, [iff], []),
        (even, [squares], double, [], [iff]),
    ]
    [paper] = [row for row in rows if row["f1"] == even]
    assert paper["target_kind"] == "step"
    assert paper["target_command"] == "hence"
    assert paper["types"] == ["Nat.nat"] * 3
    assert paper["source_length"] == 31 + 21


def test_a_proof_keeps_the_names_that_its_text_gives_to_variables() -> None:
    graph = sqrt_two()
    [proof] = graph.proofs
    a, b, c = proof.variables
    renamed = replace(proof, variables=(replace(a, own="numerator"), replace(b, own=None), c))
    extractor = Extractor(replace(graph, proofs=(renamed,)))
    extractor.run()
    assert extractor.builder.finish().proofs["names"].to_pylist() == [["numerator", "b", "c"]]


def test_calculations_are_transparent() -> None:
    maker = ProofMaker(0, "calc")
    maker.step("lemma", ("goal", prop("Nat.eq", "a", "x"), []), fixed="abcx")
    [one] = maker.step("have", ("goal", prop("Nat.eq", "a", "b"), []), parent=0, depth=1, block=1)
    [two] = maker.step("also have", ("goal", prop("Nat.eq", "b", "c"), []), parent=0, depth=1, block=1)
    [mid] = maker.step(
        "also", ("calculation", prop("Nat.eq", "a", "c"), uses("calculation", one, two)), parent=0, depth=1, block=1
    )
    [three] = maker.step("have", ("goal", prop("Nat.eq", "c", "x"), []), parent=0, depth=1, block=1)
    [end] = maker.step(
        "finally",
        ("calculation", prop("Nat.eq", "a", "x"), uses("calculation", mid, three)),
        parent=0,
        depth=1,
        block=1,
    )
    [show] = maker.step("show", ("goal", prop("Nat.eq", "a", "x"), uses("chained", end)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    rows = examples_of(graph_of([maker.finish()]))
    ab, bc, cx, ax = "eq <X0> <X1>", "eq <X1> <X2>", "eq <X2> <X3>", "eq <X0> <X3>"
    assert [fields(row) for row in rows] == [
        (ab, [], ax, [bc, cx], []),
        (bc, [], ax, [ab, cx], []),
        (cx, [], ax, [ab, bc], []),
    ]


def test_cases_do_not_mix() -> None:
    """Both cases show the statement itself: each has its own premises, and the statement's own source is both."""
    maker = ProofMaker(0, "cases")
    goal = prop("Nat.P", "a")
    maker.step("lemma", ("goal", prop("Nat.R", "a"), []), fixed="a")
    [have] = maker.step("have", ("goal", goal, []), parent=0, depth=1, block=1)
    [q] = maker.step("assume", ("assumption", prop("Nat.Q", "a"), []), parent=1, depth=2, block=2)
    [first] = maker.step("show", ("goal", goal, uses("chained", q)), parent=1, depth=2, block=2)
    [r] = maker.step("assume", ("assumption", prop("Nat.less", "a", "a"), []), parent=1, depth=2, block=3)
    [second] = maker.step("show", ("goal", goal, uses("chained", r)), parent=1, depth=2, block=3)
    maker.use(have, *uses("block", first, second))
    [show] = maker.step("show", ("goal", prop("Nat.R", "a"), uses("chained", have)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    rows = examples_of(graph_of([maker.finish()]))
    assert [fields(row) for row in rows] == [
        ("P <X0>", ["less <X0> <X0>", "Q <X0>"], "R <X0>", [], []),
        ("Q <X0>", [], "P <X0>", [], []),
        ("less <X0> <X0>", [], "P <X0>", [], []),
    ]
    assert [row["target_kind"] for row in rows] == ["step", "assumption", "assumption"]


def test_a_show_that_says_something_else_is_a_premise() -> None:
    maker = ProofMaker(0, "induction")
    maker.step("lemma", ("goal", prop("Nat.P", "x"), []), fixed="x")
    [zero] = maker.step("show", ("goal", prop("Nat.P", "Nat.zero"), []), parent=0, depth=1, block=1)
    [hypothesis] = maker.step("case", ("assumption", prop("Nat.P", "y"), []), parent=0, depth=1, block=2, fixed="xy")
    [suc] = maker.step(
        "show", ("goal", prop("Nat.P", ("Nat.Suc", "y")), uses("case", hypothesis)), parent=0, depth=1, block=2
    )
    maker.use(0, *uses("block", zero, suc))
    rows = examples_of(graph_of([maker.finish()]))
    assert [fields(row) for row in rows] == [
        ("P zero", [], "P <X0>", ["P (Suc <X1>)"], []),
        ("P (Suc <X1>)", ["P <X1>"], "P <X0>", ["P zero"], []),
        ("P <X1>", [], "P (Suc <X1>)", [], []),
    ]


def test_the_thesis_of_obtain_is_bookkeeping() -> None:
    maker = ProofMaker(0, "obtaining")
    [_, given] = maker.step(
        "lemma", ("goal", prop("Nat.R", "a"), []), ("assumption", prop("Nat.Q", "a"), []), fixed="a"
    )
    thesis = App(Const("HOL.Trueprop"), Free("t", BOOL))
    that = App(App(Const("Pure.imp"), prop("Nat.P", "?x")), thesis)
    [got, such] = maker.step(
        "obtain", ("goal", prop("Nat.P", "x"), []), ("assumption", that, []), parent=0, depth=1, block=1, fixed="ax"
    )
    [shown] = maker.step("show", ("goal", thesis, uses("using", such, given)), parent=1, depth=2, block=2, fixed="at")
    maker.use(got, *uses("block", shown))
    [end] = maker.step(
        "show", ("goal", prop("Nat.R", "a"), uses("chained", got)), parent=0, depth=1, block=1, fixed="ax"
    )
    maker.use(0, *uses("block", end))
    assert [fields(row) for row in examples_of(graph_of([maker.finish()]))] == [
        ("P <X1>", ["Q <X0>"], "R <X0>", [], []),
        ("Q <X0>", [], "P <X1>", [], []),
    ]


def thesis_proof(*cases: Term, extra: Sequence[Term] = (), how: str = "that") -> list[tuple[Any, ...]]:
    """A lemma that states `thesis` from these cases; `that[OF ...]` is how its proof ends, or `that` itself."""
    maker = ProofMaker(0, "T.obtaining")
    that = [("assumption", App(App(Const("Pure.imp"), case), THESIS), []) for case in cases]
    others = [("assumption", term, []) for term in extra]
    [_, given, *such] = maker.step(
        "lemma", ("goal", THESIS, []), ("assumption", prop("Nat.Q", "a"), []), *that, *others, fixed="a"
    )
    [first] = maker.step("have", ("goal", prop("Nat.R", "a"), uses("using", given)), parent=0, depth=1, block=1)
    if how == "that":
        [shown] = maker.step("show", ("goal", THESIS, uses("using", first, *such)), parent=0, depth=1, block=1)
    else:
        [compound, shown] = maker.step(
            "show",
            ("compound", THESIS, [*uses("base", such[0]), *uses("attribute", first)]),
            ("goal", THESIS, uses("method", len(maker.facts))),
            parent=0, depth=1, block=1,
        )  # fmt: skip
        assert maker.facts[shown].uses[0].fact == compound
    maker.use(0, *uses("block", shown))
    return [fields(row) for row in examples_of(graph_of([maker.finish()]))]


THESIS = App(Const("HOL.Trueprop"), Free("thesis", BOOL))


@pytest.mark.parametrize("how", ["that", "compound"])
def test_a_lemma_with_obtains_concludes_that_something_exists(how: str) -> None:
    assert thesis_proof(prop("Nat.less", "?x", "a"), how=how) == [
        ("R <X0>", ["Q <X0>"], "Ex (ABS less BOUND 0 <X0>)", [], []),
        ("Q <X0>", [], "R <X0>", [], []),
    ]


def test_several_cases_are_a_disjunction_and_several_premises_a_conjunction() -> None:
    both = App(App(Const("Pure.imp"), prop("Nat.less", "?x", "?y")), THESIS)
    two = App(App(Const("Pure.imp"), prop("Nat.P", "?y")), both)
    maker = ProofMaker(0, "T.cases")
    one = App(App(Const("Pure.imp"), prop("Nat.P", "a")), THESIS)
    [_, given, left, right] = maker.step(
        "lemma", ("goal", THESIS, []), ("assumption", prop("Nat.Q", "a"), []), ("assumption", one, []),
        ("assumption", two, []), fixed="a",
    )  # fmt: skip
    maker.use(0, *uses("using", given, left, right))
    meaning = thesis_of(maker.finish())
    assert meaning is not None
    typed = {each.name for each in constants(meaning.meaning) if each.type is not None}
    assert {"HOL.Trueprop", "HOL.disj", "HOL.conj", "HOL.Ex"} <= typed
    text = encode_line(meaning.meaning)
    assert text == (
        "CONST HOL.Trueprop $ ( CONST HOL.disj $ ( CONST Nat.P $ FREE a ) $ ( CONST HOL.Ex $ ( ABS CONST HOL.Ex $ "
        "( ABS CONST HOL.conj $ ( CONST Nat.P $ BOUND 1 ) $ ( CONST Nat.less $ BOUND 0 $ BOUND 1 ) ) ) ) )"
    )
    assert [fields(row)[2:] for row in examples_of(graph_of([maker.finish()]))] == [
        (_short(text.replace("FREE a", "<X0>")), [], [])
    ]


def test_a_thesis_that_is_no_formula_of_hol_is_the_rule() -> None:
    inner = App(App(Const("Pure.imp"), prop("Nat.P", "?x")), prop("Nat.Q", "?x"))
    rows = thesis_proof(inner)
    assert rows[0][2] == "imp (all (ABS imp (imp ((P BOUND 0)) ((Q BOUND 0))) (<X1>))) (<X1>)"
    assert rows[0][3] == []


def test_a_variable_that_means_something_is_no_thesis() -> None:
    """From `~ t ==> t` follows t, but not `~ t`; nor may other assumptions speak about it."""
    negated = App(Const("HOL.Trueprop"), App(Const("HOL.Not"), Free("thesis", BOOL)))
    for rows in (thesis_proof(negated), thesis_proof(prop("Nat.P", "?x"), extra=[negated])):
        [(_, _, conclusion, others, _)] = [row for row in rows if row[0] == "R <X0>"]
        assert conclusion == "<X1>"
        assert others


def test_variables_are_numbered_at_the_consequence_and_closed_blocks_follow() -> None:
    maker = ProofMaker(0, "numbers")
    maker.step("lemma", ("goal", prop("Nat.P", "a"), []), fixed="a")
    [have] = maker.step("have", ("goal", prop("Nat.Q", "a"), []), parent=0, depth=1, block=1)
    [inner] = maker.step("fix", ("assumption", prop("Nat.Q", "x"), []), parent=1, depth=2, block=2, fixed="ax")
    [shown] = maker.step("show", ("goal", prop("Nat.R", "x"), uses("chained", inner)), parent=1, depth=2, block=2)
    maker.use(have, *uses("block", shown))
    [got] = maker.step(
        "obtain", ("goal", prop("Nat.less", "a", "y"), uses("using", have)), parent=0, depth=1, block=1, fixed="ay"
    )
    maker.use(0, *uses("using", got))
    rows = {(row["f1"], row["f3"]): row for row in examples_of(graph_of([maker.finish()]))}
    assert set(rows) == {
        ("Q <X1>", "R <X1>"),  # x is open here
        ("R <X1>", "Q <X0>"),  # at the have it follows what is open
        ("Q <X0>", "less <X0> <X1>"),  # the closed x gives its place to y
        ("less <X0> <X2>", "P <X0>"),  # at the statement itself neither is open: order of introduction
    }


def test_restated_facts_are_counted_and_left_out() -> None:
    maker = ProofMaker(0, "restated")
    [_, given] = maker.step(
        "lemma", ("goal", prop("Nat.P", "a"), []), ("assumption", prop("Nat.Q", "a"), []), fixed="a"
    )
    [again] = maker.step("have", ("goal", prop("Nat.Q", "a"), uses("using", given)), parent=0, depth=1, block=1)
    [show] = maker.step("show", ("goal", prop("Nat.P", "a"), uses("using", again)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    graph = graph_of([maker.finish()])
    extractor = Extractor(graph)
    extractor.run()
    assert extractor.counts == {"proofs": 1, "raw": 2, "restated": 2}
    # A row for it would be of a proof that no example is of.
    assert extractor.builder.finish().proofs.num_rows == 0


def test_eta_does_not_hide_a_restated_fact() -> None:
    function = Type("fun", (NAT, BOOL))
    every = Const("HOL.All", Type("fun", (function, BOOL)))
    predicate = Const("Nat.P", function)
    plain, expanded = (
        App(Const("HOL.Trueprop"), App(every, body)) for body in (predicate, Abs("x", NAT, App(predicate, Bound(0))))
    )
    maker = ProofMaker(0, "eta")
    maker.step("lemma", ("goal", plain, []), fixed="a")
    [q] = maker.step("have", ("goal", prop("Nat.Q", "a"), []), parent=0, depth=1, block=1)
    [show] = maker.step("show", ("goal", expanded, uses("using", q)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    [row] = examples_of(graph_of([maker.finish()]))
    assert fields(row) == ("Q <X0>", [], "All P", [], [])


def test_a_target_that_differs_from_its_premise_by_eta_only_is_restated() -> None:
    function = Type("fun", (NAT, BOOL))
    every, predicate = Const("HOL.All", Type("fun", (function, BOOL))), Const("Nat.P", function)
    plain, expanded = (
        App(Const("HOL.Trueprop"), App(every, body)) for body in (predicate, Abs("x", NAT, App(predicate, Bound(0))))
    )
    maker = ProofMaker(0, "eta again")
    [_, given] = maker.step("lemma", ("goal", prop("Nat.Q", "a"), []), ("assumption", plain, []), fixed="a")
    [again] = maker.step("have", ("goal", expanded, uses("using", given)), parent=0, depth=1, block=1)
    [show] = maker.step("show", ("goal", prop("Nat.Q", "a"), uses("using", again)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    extractor = Extractor(graph_of([maker.finish()]))
    extractor.run()
    assert extractor.counts == {"proofs": 1, "raw": 2, "restated": 2}


def test_a_consequence_among_its_own_premises_is_no_gap() -> None:
    maker = ProofMaker(0, "again")
    [_, given, other] = maker.step(
        "lemma",
        ("goal", prop("Nat.P", "a"), []),
        ("assumption", prop("Nat.Q", "a"), []),
        ("assumption", prop("Nat.R", "a"), []),
        fixed="a",
    )
    maker.step("have", ("goal", prop("Nat.Q", "a"), uses("using", given, other)), parent=0, depth=1, block=1)
    assert examples_of(graph_of([maker.finish()])) == []


def test_compounds_collections_and_targets_without_consequence() -> None:
    maker = ProofMaker(0, "compound")
    maker.step("lemma", ("goal", prop("Nat.P", "a"), []), fixed="a")
    [q] = maker.step("have", ("goal", prop("Nat.Q", "a"), []), parent=0, depth=1, block=1)
    [modified] = maker.step(
        "from",
        ("compound", prop("Nat.R", "a"), [Use("base", lemma=0), *uses("attribute", q)]),
        parent=0,
        depth=1,
        block=1,
    )
    [show] = maker.step(
        "show",
        ("goal", prop("Nat.P", "a"), [*uses("chained", modified), Use("method", collection="algebra_simps")]),
        parent=0, depth=1, block=1,
    )  # fmt: skip
    [idle] = maker.step("have", ("goal", prop("Nat.even", "a"), uses("using", q)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    graph = graph_of([maker.finish()], [Lemma("QR", 0, prop("HOL.implies", ("Nat.Q", "?x"), ("Nat.R", "?x")))])
    qr = "implies (Q <V0>) (R <V0>)"
    rows = examples_of(graph)
    assert [fields(row) for row in rows] == [
        ("R <X0>", ["Q <X0>"], "P <X0>", [], [qr]),
        ("Q <X0>", [], "R <X0>", [qr], []),
        ("Q <X0>", [], "even <X0>", [], []),
    ]
    assert [row["target_kind"] for row in rows] == ["compound", "step", "step"]
    assert idle == 4


def test_length_rule_and_incomplete_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = sqrt_two()
    monkeypatch.setattr("isarstep.benchmark.extraction.extract.MAX_SOURCE", 30)
    extractor = Extractor(graph)
    extractor.run()
    assert extractor.counts == {"proofs": 1, "raw": 4, "too long": 3, "examples": 1}
    broken = graph_of([ProofMaker(0, "x").finish(complete=False)])
    extractor = Extractor(broken)
    extractor.run()
    assert extractor.counts == {"proofs": 1, "incomplete proofs": 1}


def test_a_fact_as_long_as_a_whole_source_stands_above_a_gap_and_a_longer_one_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    maker = ProofMaker(0, "long")
    maker.step("lemma", ("goal", prop("Nat.R", "a"), []), fixed="a")
    maker.step("have", ("goal", prop("Nat.eq", ("Nat.sq", ("Nat.sq", "a")), "a"), []), parent=0, depth=1, block=1)
    [short] = maker.step("have", ("goal", prop("Nat.Q", "a"), []), parent=0, depth=1, block=1)
    [show] = maker.step("show", ("goal", prop("Nat.R", "a"), uses("using", short)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    graph = graph_of([maker.finish()])
    whole = Extractor(graph)
    whole.run()
    longest = max(whole.builder.lengths)
    for most, count in ((longest, 2), (longest - 1, 1)):
        monkeypatch.setattr("isarstep.benchmark.extraction.extract.MAX_SOURCE", most)
        extractor = Extractor(graph)
        extractor.run()
        [facts] = extractor.builder.finish().proofs["facts"].to_pylist()
        assert len(facts) == count


def test_theorem_identity_does_not_depend_on_names_or_on_the_way_of_stating() -> None:
    def identity(*facts: Any) -> str:
        maker = ProofMaker(0, "x")
        maker.step("lemma", *facts)
        return identity_of(maker.finish(), Texts())

    stated = identity(("goal", prop("Nat.P", "a"), []), ("assumption", prop("Nat.Q", "a"), []))
    assert stated == identity(("goal", prop("Nat.P", "z"), []), ("assumption", prop("Nat.Q", "z"), lemma_uses(0)))
    assert stated != identity(("goal", prop("Nat.P", "a"), []), ("assumption", prop("Nat.Q", "b"), []))
    assert stated != identity(("goal", prop("Nat.P", "a"), []))
    implication = App(App(Const("Pure.imp"), prop("Nat.Q", "b")), prop("Nat.P", "b"))
    assert stated == identity(("goal", implication, []))


def test_a_notepad_is_known_by_its_steps() -> None:
    """It states nothing: else all notepads would be one theorem, of which a few examples are scored and none trained
    on."""

    def identity(step: Term) -> str:
        maker = ProofMaker(0, "", command="notepad")
        maker.step("notepad", fixed="a")
        maker.step("have", ("goal", step, []), parent=0, depth=1, block=1)
        return identity_of(maker.finish(), Texts())

    assert identity(prop("Nat.P", "a")) == identity(prop("Nat.P", "b"))
    assert identity(prop("Nat.P", "a")) != identity(prop("Nat.Q", "a"))


def test_texts_are_what_the_codec_writes() -> None:
    """For terms with every kind of node in every kind of place."""
    leaf = [Const("c"), Free("<X0>"), Bound(0)]
    terms: list[Term] = [*leaf, *(Abs("", None, node) for node in leaf)]
    for _ in range(2):
        terms += [App(left, right) for left in terms[:9] for right in terms[-9:]]
        terms += [Abs("", None, term) for term in terms[-5:]]
    texts = Texts()
    for term in terms:
        assert Template(texts.of(term)).text({"<X0>": 0}) == encode_line(term)


def test_equal_up_to_eta_only() -> None:
    assert alike("CONST f $ ( ABS CONST g $ BOUND 0 )", "CONST f $ CONST g")
    assert alike("CONST f $ ( ABS ABS CONST g $ BOUND 1 $ BOUND 0 )", "CONST f $ CONST g")
    assert not alike("CONST f $ ( ABS CONST g $ BOUND 0 $ BOUND 0 )", "CONST f $ CONST g")
    assert not alike("CONST f $ ( ABS CONST g $ FREE <X0> )", "CONST f $ ( ABS CONST g $ FREE <X1> )")
    assert not alike("CONST f $ FREE <X0>", "CONST f $ FREE <X1>")
