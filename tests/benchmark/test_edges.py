"""Edges that are true: several statements in one command, statements with premises of their own, and marks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.benchmark.handmade import BOOL, NAT, PROP, ProofMaker, fun, graph_of, prop, uses
from tests.benchmark.test_extract import examples_of, fields

from isarstep.benchmark.rules.marks import is_class_predicate, is_reflexive
from isarstep.benchmark.store.setting import holdings
from isarstep.benchmark.store.show_owner import belonging, owning_statements
from isarstep.isabelle.terms.hol import list_pure_imp, pure_all
from isarstep.isabelle.terms.terms import Abs, App, Const, Free, Term, TFree, abstract

P, Q, R, E = (lambda *of, name=name: prop(f"Nat.{name}", *of) for name in ("P", "Q", "R", "even"))  # fmt: skip


def two_statements(*shows: Term) -> list[tuple[object, ...]]:
    """`shows "P x" and "Q x"`, whose proof uses R x for every show."""
    maker = ProofMaker(0, "two")
    [_, _, given] = maker.step(
        "lemma", ("goal", P("x"), []), ("goal", Q("x"), []), ("assumption", R("x"), []), fixed="xy"
    )
    for number, shown in enumerate(shows):
        [show] = maker.step("show", ("goal", shown, uses("using", given)), parent=0, depth=1, block=1 + number)
        for statement in (0, 1):
            maker.use(statement, *uses("block", show))
    return [fields(row) for row in examples_of(graph_of([maker.finish()]))]


def test_a_show_is_one_with_the_statement_that_it_states_and_no_premise_of_its_sibling() -> None:
    assert two_statements(P("x"), Q("x")) == [("R <X0>", [], "P <X0>", [], []), ("R <X0>", [], "Q <X0>", [], [])]


def test_a_case_of_an_induction_belongs_to_the_statement_of_which_it_is_an_instance() -> None:
    zero, suc = "Nat.zero", ("Nat.Suc", "y")
    rows = two_statements(P(zero), Q(zero), P(suc), Q(suc))
    assert [row[:1] + row[2:4] for row in rows if row[0] != "R <X0>"] == [
        ("P zero", "P <X0>", ["P (Suc <X1>)"]),
        ("P (Suc <X1>)", "P <X0>", ["P zero"]),
        ("Q zero", "Q <X0>", ["Q (Suc <X1>)"]),
        ("Q (Suc <X1>)", "Q <X0>", ["Q zero"]),
    ]


def test_a_show_of_which_nothing_can_be_told_belongs_to_all() -> None:
    rows = two_statements(E("x"))
    assert [row[:1] + row[2:3] for row in rows if row[0] != "R <X0>"] == [
        ("even <X0>", "P <X0>"),
        ("even <X0>", "Q <X0>"),
    ]


def test_belonging_looks_at_conclusions_under_premises_and_quantifiers() -> None:
    rule = pure_all("x", NAT, abstract(list_pure_imp([R("x")], P("x")), Free("x", NAT)))
    assert belonging(P(("Nat.Suc", "y")), [rule, Q("x")]) == [0]
    assert belonging(Q("x"), [rule, Q("x")]) == [1]
    assert belonging(P("y"), [P("x"), P("z")]) == [0, 1]  # an instance of both
    twice = prop("Nat.less", "x", "x")
    assert belonging(prop("Nat.less", "a", "b"), [twice, P("x")]) == []  # an instance of neither
    assert belonging(P(("Nat.Suc", "y")), [P("x"), P(("Nat.Suc", "z"))]) == [1]  # the more special of two
    equation = prop("HOL.eq", "x", "y")
    assert belonging(prop("HOL.eq", "Nat.two", "Nat.zero"), [equation, P("x")]) == []  # all equations are instances


def test_a_show_that_does_not_tell_belongs_to_the_statement_that_comes_next() -> None:
    """As after `unfolding`: the shows of a `bnf` come in the order of its statements, and not all are written out."""
    stated = [P("x"), Q("x"), R("x"), E("x")]
    unfolded = prop("Nat.less", "x", "y")
    assert owning_statements([P("x"), unfolded, R("x")], stated) == [[0], [1], [2]]
    assert owning_statements([unfolded, R("x")], stated) == [[0, 1, 3], [2]]  # nothing before it
    assert owning_statements([P("x"), Q("x"), R("x"), E("x"), unfolded], stated)[-1] == [0, 1, 2, 3]


def test_equal_but_for_types() -> None:
    """A command states for its own type variables what its proof shows for those of the text."""
    at = {
        name: App(Const("HOL.Trueprop", None), App(Const("Nat.P", None), Free("x", TFree(name, ())))) for name in "ab"
    }
    assert at["a"] != at["b"]
    assert belonging(at["a"], [Q("x"), at["b"]]) == [1]


@pytest.mark.parametrize("nested", [False, True])
def test_of_a_compound_made_in_a_block_the_parts_that_are_seen_outside_stay(nested: bool) -> None:
    """`have "P x" if "Q x" for x using given[OF that]`, or a show that does so: what is left of F.2 is `given`."""
    maker = ProofMaker(0, "if")
    [_, given] = maker.step("lemma", ("goal", R("a"), []), ("assumption", E("a"), []), fixed="a")
    rule = list_pure_imp([Q("?x")], P("?x"), typed=True)
    that, have = maker.step(
        "have", ("assumption", Q("x"), []), ("goal", rule, [], P("x")), parent=0, depth=1, block=1, fixed="ax"
    )
    made = ("compound", E("x"), uses("compound", that, given))
    if nested:
        compound, inner = maker.step("show", made, ("goal", P("x"), []), parent=1, depth=2, block=2, fixed="ax")
        maker.use(inner, *uses("using", compound))
        maker.use(have, *uses("block", inner))
    else:
        [compound] = maker.step("using", made, parent=0, depth=1, block=1, fixed="ax")
        maker.use(have, *uses("using", compound))
    [show] = maker.step("show", ("goal", R("a"), uses("using", have)), parent=0, depth=1, block=1, fixed="a")
    maker.use(0, *uses("block", show))
    rows = [fields(row) for row in examples_of(graph_of([maker.finish()]))]
    assert ("imp ((Q <V0>)) ((P <V0>))", ["even <X0>"], "R <X0>", [], []) in rows


def test_a_statement_with_premises_of_its_own() -> None:
    """`have "P x" if "Q x" for x using that given`: inside, P x follows from Q x; later steps use the rule."""
    maker = ProofMaker(0, "if")
    [_, given] = maker.step("lemma", ("goal", R("a"), []), ("assumption", E("a"), []), fixed="a")
    rule = list_pure_imp([Q("?x")], P("?x"), typed=True)
    that, have = maker.step(
        "have", ("assumption", Q("x"), []), ("goal", rule, [], P("x")), parent=0, depth=1, block=1, fixed="ax"
    )
    maker.use(have, *uses("using", that, given))
    [show] = maker.step("show", ("goal", R("a"), uses("using", have)), parent=0, depth=1, block=1, fixed="a")
    maker.use(0, *uses("block", show))
    rows = [fields(row) for row in examples_of(graph_of([maker.finish()]))]
    assert rows == [
        ("imp ((Q <V0>)) ((P <V0>))", ["even <X0>"], "R <X0>", [], []),  # Q x is no fact where the rule stands
        ("Q <X1>", [], "P <X1>", ["even <X0>"], []),
        ("even <X0>", [], "P <X1>", ["Q <X1>"], []),
    ]


def test_a_show_inside_such_a_statement_is_one_with_it() -> None:
    maker = ProofMaker(0, "if")
    maker.step("lemma", ("goal", R("a"), []), fixed="a")
    rule = list_pure_imp([Q("?x")], P("?x"), typed=True)
    that, have = maker.step(
        "have", ("assumption", Q("x"), []), ("goal", rule, [], P("x")), parent=0, depth=1, block=1, fixed="ax"
    )
    [shown] = maker.step("show", ("goal", P("x"), uses("using", that)), parent=1, depth=2, block=2)
    maker.use(have, *uses("block", shown))
    assert [fields(row) for row in examples_of(graph_of([maker.finish()]))] == [("Q <X1>", [], "P <X1>", [], [])]


def test_a_rule_that_obtain_assumes_for_its_own_proof_is_a_fact() -> None:
    """`obtain y where "P y" if "!!x. Q x ==> R x"`: that premise has the form of `that`, which is bookkeeping, but does
    not conclude the thesis. Without it nothing would say what the obtained fact follows from."""
    maker = ProofMaker(0, "obtaining")
    maker.step("lemma", ("goal", R("a"), []), fixed="a")
    rule = list_pure_imp([Q("?x")], R("?x"), typed=True)
    that, got = maker.step("obtain", ("assumption", rule, []), ("goal", P("y"), []), parent=0, depth=1, fixed="ay")
    maker.use(got, *uses("using", that))
    [show] = maker.step("show", ("goal", R("a"), uses("using", got)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    rows = [fields(row) for row in examples_of(graph_of([maker.finish()]))]
    assert ("imp ((Q <V0>)) ((R <V0>))", [], "P <X1>", [], []) in rows


def test_two_shows_that_restate_a_statement_under_nothing_are_no_premises_of_it() -> None:
    """A rule may have the goal itself as premise twice. Each show is a consequence of its own; the statement follows
    from what its own proof names."""
    maker = ProofMaker(0, "twice")
    [_, given] = maker.step("lemma", ("goal", R("a"), []), ("assumption", E("a"), []), fixed="a")
    [have] = maker.step("have", ("goal", P("a"), uses("using", given)), parent=0, depth=1, block=1)
    shows = [maker.step("show", ("goal", P("a"), []), parent=1, depth=2, block=n)[0] for n in (2, 3)]
    maker.use(have, *uses("block", *shows))
    [show] = maker.step("show", ("goal", R("a"), uses("using", have)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    assert [fields(row) for row in examples_of(graph_of([maker.finish()]))] == [
        ("P <X0>", ["even <X0>"], "R <X0>", [], []),
        ("even <X0>", [], "P <X0>", [], []),
    ]


def test_the_cases_in_which_something_is_obtained_are_no_premises() -> None:
    """Around its block each says `Q a ==> thesis`, and the thesis is bookkeeping of the command."""
    maker = ProofMaker(0, "obtaining by cases")
    [_, given] = maker.step("lemma", ("goal", R("a"), []), ("assumption", E("a"), []), fixed="a")
    thesis = App(Const("HOL.Trueprop"), Free("t", BOOL))
    [got, such] = maker.step(
        "obtain",
        ("goal", P("y"), uses("using", given)),
        ("assumption", list_pure_imp([P("?x")], thesis), []),
        parent=0, depth=1, block=1, fixed="ay",
    )  # fmt: skip
    for block, case in ((2, Q("a")), (3, P("a"))):
        [assumed] = maker.step("assume", ("assumption", case, []), parent=1, depth=2, block=block, fixed="at")
        [show] = maker.step("show", ("goal", thesis, uses("using", such, assumed)), parent=1, depth=2, block=block)
        maker.facts[show] = replace(maker.facts[show], outside=list_pure_imp([case], thesis))
        maker.use(got, *uses("block", show))
    [end] = maker.step("show", ("goal", R("a"), uses("using", got)), parent=0, depth=1, block=1, fixed="ay")
    maker.use(0, *uses("block", end))
    rows = [fields(row) for row in examples_of(graph_of([maker.finish()]))]
    assert ("even <X0>", [], "P <X1>", [], []) in rows


def test_an_interpretation_is_a_fact_like_others() -> None:
    maker = ProofMaker(0, "interpreted")
    maker.step("lemma", ("goal", R("a"), []), fixed="a")
    [inside] = maker.step("interpret", ("goal", P("a"), []), parent=0, depth=1, block=1)
    [show] = maker.step("show", ("goal", R("a"), uses("interpretation", inside)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    assert [fields(row) for row in examples_of(graph_of([maker.finish()]))] == [("P <X0>", [], "R <X0>", [], [])]


def test_what_nobody_proved_is_marked() -> None:
    maker = ProofMaker(0, "unproved")
    [_, given] = maker.step("lemma", ("goal", R("a"), []), ("assumption", E("a"), []), fixed="a")
    [have] = maker.step("have", ("goal", P("a"), []), parent=0, depth=1, block=1)
    maker.step("sorry", parent=1, depth=1, block=1)
    [show] = maker.step("show", ("goal", R("a"), uses("using", have, given)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    rows = examples_of(graph_of([maker.finish()]))
    assert {row["f1"]: row["mark"] for row in rows} == {"P <X0>": "sorry", "even <X0>": ""}


@pytest.mark.parametrize(("named", "mark"), [((0, 1), "bundle"), ((0,), "")])
def test_hypotheses_of_a_case_that_came_in_together_are_marked(named: tuple[int, ...], mark: str) -> None:
    maker = ProofMaker(0, "cases")
    maker.step("lemma", ("goal", R("a"), []), fixed="a")
    members = maker.step("case", ("assumption", P("a"), []), ("assumption", Q("a"), []), parent=0, depth=1, block=1)
    [show] = maker.step(
        "show", ("goal", R("a"), uses("chained", *(members[n] for n in named))), parent=0, depth=1, block=1
    )
    maker.use(0, *uses("block", show))
    assert {row["mark"] for row in examples_of(graph_of([maker.finish()]))} == {mark}


def test_marks_by_what_propositions_say() -> None:
    maker = ProofMaker(0, "marks")
    maker.step("lemma", ("goal", R("a"), []), fixed="ab")
    [false] = maker.step("have", ("goal", prop("HOL.False"), []), parent=0, depth=1, block=1)
    [after] = maker.step("have", ("goal", P("a"), uses("using", false)), parent=0, depth=1, block=1)
    [same] = maker.step("have", ("goal", prop("HOL.eq", "a", "a"), []), parent=0, depth=1, block=1)
    [show] = maker.step("show", ("goal", R("a"), uses("using", after, same)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    rows = examples_of(graph_of([maker.finish()]))
    assert {(row["f1"], row["f3"]): row["mark"] for row in rows} == {
        ("P <X0>", "R <X0>"): "absurd",
        ("eq <X0> <X0>", "R <X0>"): "reflexive",
        ("False", "P <X0>"): "",
    }


@pytest.mark.parametrize(
    ("text", "reflexive"),
    [
        ("CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE <X0> $ FREE <X0> )", True),
        ("CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST f $ FREE <X0> ) $ ( CONST f $ FREE <X0> ) )", True),
        ("CONST Pure.eq $ CONST a $ CONST a", True),
        ("CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE <X0> $ FREE <X1> )", False),
        ("CONST HOL.Trueprop $ ( CONST HOL.eq $ CONST a $ CONST b $ CONST a $ CONST b )", False),
        ("CONST HOL.Trueprop $ ( CONST HOL.less $ FREE <X0> $ FREE <X0> )", False),
    ],
)
def test_reflexive(text: str, reflexive: bool) -> None:
    assert is_reflexive(text) == reflexive


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("CONST Orderings.order_class $ CONST Pure.type", True),
        ("CONST HOL.Trueprop $ ( CONST Orderings.class.order $ CONST a $ CONST b )", True),
        ("CONST HOL.Trueprop $ ( CONST Orderings.order_class.mono $ CONST a )", False),
        ("CONST HOL.Trueprop $ ( CONST class.thing.good $ CONST a )", False),
    ],
)
def test_class_predicates(text: str, predicate: bool) -> None:
    assert is_class_predicate(text) == predicate


def test_what_a_step_introduces_is_numbered_like_all_else() -> None:
    maker = ProofMaker(0, "introduced")
    maker.step("lemma", ("goal", R("a"), []), fixed="a", introduced="a")
    [got] = maker.step("obtain", ("goal", P("y"), []), parent=0, depth=1, block=1, fixed="ay", introduced="y")
    [two] = maker.step("have", ("goal", Q("y"), uses("using", got)), parent=0, depth=1, block=1)
    [more] = maker.step(
        "obtain", ("goal", E("x"), uses("using", two)), parent=0, depth=1, block=1, fixed="ayx", introduced="x"
    )
    [show] = maker.step("show", ("goal", R("a"), uses("using", more)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    rows = examples_of(graph_of([maker.finish()]))
    assert [(row["f1"], row["f3"], row["introduced"], row["introduced_after"]) for row in rows] == [
        ("even <X2>", "R <X0>", [2], [0]),
        ("P <X1>", "Q <X1>", [1], []),
        ("Q <X1>", "even <X2>", [], [2]),
    ]


def test_facts_hold_from_their_proof_to_the_end_of_their_block() -> None:
    maker = ProofMaker(0, "holding")
    maker.step("lemma", ("assumption", R("a"), []), ("goal", P("a"), []), fixed="ax")  # 0
    maker.step("proof", parent=0)  # 1
    maker.step("have", ("assumption", Q("x"), []), ("goal", E("a"), []), parent=0, depth=1, block=1)  # 2
    maker.step("proof", parent=2, depth=1, block=1)  # 3
    maker.step("have", ("goal", R("x"), []), parent=2, depth=2, block=2)  # 4
    maker.step("by", parent=4, depth=2, block=2)  # 5
    maker.step("show", ("goal", E("a"), []), parent=2, depth=2, block=2)  # 6
    maker.step("by", parent=6, depth=2, block=2)  # 7
    maker.step("qed", parent=2, depth=2, block=2)  # 8
    maker.step("{", parent=0, depth=1, block=1)  # 9
    maker.step("assume", ("assumption", P("x"), []), parent=0, depth=2, block=3)  # 10
    maker.step("}", ("goal", Q("a"), []), parent=0, depth=2, block=3)  # 11
    maker.step("show", ("goal", P("a"), []), parent=0, depth=1, block=1)  # 12
    maker.step("by", parent=12, depth=1, block=1)  # 13
    proof = maker.finish()
    assert [(one.fact, one.first, one.last) for one in holdings(proof)] == [
        (0, 1, 13),  # the lemma's own assumption
        (2, 3, 8),  # a premise of the have: inside its proof
        (4, 6, 8),
        (5, 8, 8),
        (3, 9, 13),  # the have itself, once it is proved
        (6, 11, 11),
        (7, 12, 13),  # handed on by the block
    ]


def test_instances_under_abstractions() -> None:
    body = Abs("x", NAT, App(Const("f", fun(NAT, PROP)), Free("y", NAT)))
    assert belonging(App(Const("g"), body), [App(Const("g"), body), P("x")]) == [0]
