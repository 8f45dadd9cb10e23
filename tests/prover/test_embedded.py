"""The checker without Isabelle, on examples written by hand: verdicts, loopholes, and what it may use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import pytest
from tests import needs
from tests.prover.derivations import FACTS
from tests.prover.language import SIGNATURE, lemma, read, read_type
from tests.prover.small_library import library_of, rules_of

from isarstep.benchmark.store.example import Example
from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.context.theory_contexts import Declared, TheoryContexts
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import constants, schematics
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.isabelle.terms.type_text import format_type
from isarstep.premises.declared_rules import DeclaredRules
from isarstep.premises.fact_base import Library
from isarstep.prover.atp.provers import ProverLimits, Provers
from isarstep.prover.atp.schedule import Effort
from isarstep.prover.check.explain import explain
from isarstep.prover.check.step_checker import Checker
from isarstep.prover.outcomes.verdict import (
    NOT_ASKED,
    IllFormed,
    Proved,
    Unknown,
    Unsupported,
    Verdict,
    WellFormed,
    proved,
    row,
)
from isarstep.prover.rewrite.simp_rules import Declaration

ORDER = ["less_le", "linear", "order_antisym", "list_inject", "nth_Cons_0", "nth_Cons_Suc", "length_Cons", "rev_rev"]


def tokens(text: str) -> str:
    return encode_line(read(text))


def example(f1: str, f2: list[str], f3: str, f4: list[str], types: dict[str, str], **more: str) -> Example:
    return Example(
        id=more.pop("id", f1),
        f1=tokens(f1),
        f2=tuple(map(tokens, f2)),
        f3=tokens(f3),
        f4=tuple(map(tokens, f4)),
        f5=(),
        types={name: format_type(read_type(typ)) for name, typ in types.items()},
        **more,  # type: ignore[arg-type]
    )


NTH = example(
    "(= x4 (nth x10 x12))",
    ["(ALL (x) (--> (& (= x3 (nth x6 x)) (< x (length x6))) (= x4 (nth x10 x))))", "(= x3 (nth x6 x12))",
     "(< x12 (length x6))"],
    "(= x4 (nth x7 x11))",
    ["(= x7 (Cons x9 x10))", "(< x12 (length x6))", "(= x11 (Suc x12))"],
    {"x3": "'a", "x4": "'b", "x6": "(list 'a)", "x7": "(list 'b)", "x9": "'b", "x10": "(list 'b)", "x11": "nat", "x12": "nat"},
    theory="Later",
)  # fmt: skip


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    rows = [("Early", lemma(name, *FACTS[name])) for name in sorted(ORDER)]
    facts = library_of([*rows, ("Later", lemma("last", *FACTS["unit_eq"]))], SIGNATURE)
    with Provers(ProverLimits(seconds=0.5, width=2)) as provers:
        yield Checker(TheoryContexts(SIGNATURE), provers, facts, Effort(library=4))


def well_formed(verdict: Verdict) -> WellFormed:
    assert isinstance(verdict, WellFormed), verdict
    return verdict


def test_the_reference_of_the_paper_closes_both_gaps(checker: Checker) -> None:
    verdict = well_formed(checker.check(NTH, NTH.f1))
    assert verdict.matches
    assert verdict.correct
    assert isinstance(verdict.first, Proved)
    assert verdict.first.library == 0
    assert isinstance(verdict.second, Proved)
    assert verdict.second.library > 0
    assert "nth_Cons_Suc" in verdict.second.facts
    assert str(verdict.first).startswith("proved from the given premises by")
    assert "with 4 library facts" in str(verdict.second)
    assert not verdict.alternative


def test_what_does_not_exist_where_the_step_stands_is_ill_formed(checker: Checker) -> None:
    unfixed = "CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE <X7> $ FREE <X7> )"
    foreign = tokens("(= (Some x4) (Some x4))")
    prefixes = {name.split(".")[0] for name in SIGNATURE.constants}
    theory_contexts = TheoryContexts(
        SIGNATURE, {**{prefix: [] for prefix in prefixes}, "Later": sorted(prefixes - {"Option"})}
    )
    for proposal, why in ((foreign, "Option.option.Some is of a theory that Later does not"), (unfixed, "not fixed")):
        verdict = replace(checker, theory_contexts=theory_contexts).check(replace(NTH, fixed=7), proposal)
        assert isinstance(verdict, IllFormed)
        assert why in verdict.why
        assert isinstance(
            replace(checker, theory_contexts=theory_contexts).check(replace(NTH, fixed=8, theory=""), proposal),
            WellFormed,
        )


def test_a_library_fact_is_used_only_from_before_the_step(checker: Checker) -> None:
    for theory in ("Early", "Unheard_Of"):
        verdict = well_formed(checker.check(replace(NTH, theory=theory, id=theory), NTH.f1))
        assert proved(verdict.first)
        assert not proved(verdict.second)


def own_theory(*names: str) -> Library:
    """One theory with `nth_Cons_Suc` under each of these names."""
    rows = [("T", replace(lemma("", *FACTS["nth_Cons_Suc"]), name=name)) for name in names]
    return library_of(rows, SIGNATURE)


@pytest.mark.parametrize(
    ("library", "step"),
    [(own_theory("z", "step", "a"), "a"), (own_theory("step", "z", "a"), "step"), (own_theory("a", "step"), "step")],
)
def test_a_copy_of_the_step_s_theorem_is_never_used(checker: Checker, library: Library, step: str) -> None:
    own = Checker(TheoryContexts(SIGNATURE), checker.provers, library, checker.effort)
    verdict = well_formed(own.check(replace(NTH, theory="T", name=step, id=f"T.{step}"), NTH.f1))
    assert not proved(verdict.second)


@pytest.mark.parametrize(
    ("names", "usable"),
    [
        (["z", "step"], True),  # declared before
        (["other", "z", "step"], True),
        (["step", "other", "z"], False),  # declared after
        (["step", "z"], False),
        (["z", "other"], False),  # nobody knows where the step stands
    ],
)
def test_facts_of_the_own_theory_are_used_from_before_the_step_only(
    checker: Checker, names: list[str], usable: bool
) -> None:
    statements = {"z": "nth_Cons_Suc", "step": "rev_rev", "other": "length_Cons"}
    rows = [("T", replace(lemma("", *FACTS[statements[name]]), name=name)) for name in names]
    library = library_of(rows, SIGNATURE)
    own = Checker(TheoryContexts(SIGNATURE), checker.provers, library, checker.effort)
    verdict = well_formed(own.check(replace(NTH, theory="T", name="step", id=str(names)), NTH.f1))
    assert proved(verdict.second) is usable
    if isinstance(verdict.second, Proved):
        assert "z" in verdict.second.facts


def test_definitions_of_what_a_step_mentions_are_used(checker: Checker) -> None:
    definition = replace(lemma("", *FACTS["subalgebra_def"]), name="subalgebra_def")
    constant = next(c.name for c in constants(definition.prop) if c.name.endswith("subalgebra"))
    named = replace(definition, name=f"{constant}_def")
    library = library_of([("T", replace(named, name="A.first")), ("T", named)], SIGNATURE)
    own = Checker(TheoryContexts(SIGNATURE), checker.provers, library, checker.effort)
    step = example("(<= (sets F) (sets M))", ["(subalgebra M F)"], "True", [], {}, theory="T", name="T.step")
    verdict = well_formed(own.check(step, step.f1))
    assert isinstance(verdict.first, Proved)
    assert f"{constant}_def" in verdict.first.facts


def test_a_proof_that_needs_no_step_serves_the_second_gap_too(checker: Checker) -> None:
    spare = example("(< x 9)", ["(< x 5)"], "(< x 3)", ["(< x 2)"], {"x": "nat"}, id="spare")
    checker.trace = []
    verdict = well_formed(checker.check(spare, spare.f1))
    asked = [question.question for question in checker.trace]
    checker.trace = None
    assert verdict.second == verdict.background.direct
    assert "P, F.4 => F.3" not in asked
    assert "F.2 => F.3" in asked
    assert not proved(verdict.background.direct_paper)


def test_an_assumption_is_not_searched_for_in_the_library(checker: Checker) -> None:
    assumed = replace(NTH, id="assumed", f2=(), target_kind="assumption")
    checker.trace = []
    checker.check(assumed, NTH.f1)
    asked = [question.query.library for question in checker.trace if question.question == "F.2 => P"]
    checker.trace = None
    assert asked == [()]


def test_a_lemma_that_the_example_names_has_its_own_types(checker: Checker) -> None:
    named = replace(NTH, id="named", theory="Early", f4=(*NTH.f4, encode_line(lemma("", *FACTS["nth_Cons_Suc"]).prop)))
    verdict = well_formed(checker.check(named, NTH.f1))
    assert isinstance(verdict.second, Proved)
    assert verdict.second.library == 0


@pytest.mark.parametrize(
    ("proposal", "why"),
    [
        ("CONST HOL.Trueprop", ""),
        ("CONST HOL.Trueprop $", ""),
        ("", ""),
        ("CONST HOL.Trueprop $ ( CONST No.such $ FREE x4 )", "No.such"),
        (tokens("(= x4 x12)"), ""),
        (tokens("x12"), ""),
        ("CONST HOL.Trueprop $ ( CONST HOL.All $ ( ABS CONST HOL.eq $ BOUND 0 $ BOUND 1 ) )", ""),
    ],
)
def test_what_does_not_type_is_ill_formed(checker: Checker, proposal: str, why: str) -> None:
    verdict = checker.check(NTH, proposal)
    assert isinstance(verdict, IllFormed)
    assert why in verdict.why
    assert row(verdict)["correct"] is False


def test_a_copy_and_an_equivalent_are_no_alternatives_worth_counting(checker: Checker) -> None:
    copy = well_formed(checker.check(NTH, NTH.f2[1]))
    assert copy.likeness.copy
    assert not copy.alternative
    turned = well_formed(checker.check(NTH, tokens("(= (nth x10 x12) x4)")))
    assert turned.alternative
    assert turned.likeness.equivalent
    assert not turned.strict_alternative
    assert turned.strict_correct


def test_a_copy_that_bridges_is_no_alternative(checker: Checker) -> None:
    given = example("(< x 2)", ["(< x 1)"], "(< x 3)", [], {"x": "nat"}, id="given")
    verdict = well_formed(checker.check(given, tokens("(< x 1)")))
    assert verdict.bridged
    assert verdict.likeness.copy
    assert not verdict.alternative
    assert not verdict.correct


def test_loopholes_are_seen(checker: Checker) -> None:
    small = example("(< x 2)", ["(< x 1)"], "(< x 3)", ["(<= x 2)"], {"x": "nat", "y": "nat"}, id="small")
    trivial = well_formed(checker.check(small, tokens("(= (+ y 0) y)")))
    assert trivial.alternative
    assert set(trivial.loopholes) == {"trivial", "small gap"}
    assert trivial.gap_class == "small"
    reference = well_formed(checker.check(small, small.f1))
    assert reference.redundant
    assert not reference.improves_automation
    absurd = example("(P x)", ["(< x 1)", "(< 0 x)"], "(Q x)", ["(= x (Suc x))"], {"x": "nat"}, id="absurd")
    verdict = well_formed(checker.check(absurd, tokens("(Q y)")))
    assert {"contradictory F.2", "contradictory F.4"} <= set(verdict.loopholes)
    assert not verdict.strict_alternative


def test_contradictions_are_looked_for_where_either_gap_is_closed_and_only_there(checker: Checker) -> None:
    """One that closes both gaps would do for the paper; ours says of any proof that its premises allow everything."""
    types = {"x": "nat"}
    absurd = example("(P x)", ["(= x (Suc x))"], "(Q x)", ["(R x)"], types, id="only the first")
    verdict = well_formed(checker.check(absurd, tokens("(P x)")))
    assert (proved(verdict.first), proved(verdict.second), verdict.rank) == (True, False, 0)
    assert proved(verdict.background.f2_contradictory)
    later = example("(P x)", ["(R x)"], "(Q x)", ["(= x (Suc x))"], types, id="only the second")
    verdict = well_formed(checker.check(later, tokens("(P x)"), 3))
    assert (proved(verdict.first), proved(verdict.second), verdict.rank) == (False, True, 3)
    assert proved(verdict.background.f4_contradictory)
    neither = example("(P x)", ["(= x (Suc x))"], "(Q x)", ["(R x)"], {**types, "y": "nat"}, id="neither")
    verdict = well_formed(checker.check(replace(neither, f2=()), tokens("(P y)")))
    assert (proved(verdict.first), proved(verdict.second)) == (False, False)
    assert verdict.background.f2_contradictory == verdict.trivial == NOT_ASKED


def test_a_proof_that_leaves_the_step_unused_is_no_improvement(checker: Checker) -> None:
    verdict = well_formed(checker.check(NTH, NTH.f1))
    assert isinstance(verdict.second, Proved)
    assert verdict.improves_automation
    unused = replace(verdict, second=replace(verdict.second, facts=("F.4(1)",)))
    assert not unused.improves_automation
    assert not unused.strictly_improves_automation
    assert replace(verdict, second=replace(verdict.second, facts=("?",))).improves_automation


def test_what_is_strictly_correct_is_correct(checker: Checker) -> None:
    verdict = well_formed(checker.check(NTH, tokens("(= (nth x10 x12) x4)")))
    assert verdict.strict_correct
    open_gap = replace(verdict, first=Unknown("?"))
    assert open_gap.likeness.equivalent
    assert not open_gap.correct
    assert not open_gap.strict_correct


def test_a_step_that_helps_is_an_improvement(checker: Checker) -> None:
    helps = replace(NTH, id="helps", f2=NTH.f2[:1], f4=(*NTH.f4, NTH.f2[1]))
    assert not well_formed(checker.check(helps, NTH.f1)).improves_automation
    verdict = well_formed(checker.check(NTH, NTH.f1))
    assert verdict.improves_automation
    assert verdict.gap_class_paper == "just right"


def test_examples_that_cannot_be_checked_are_unsupported(checker: Checker) -> None:
    assert isinstance(checker.check(replace(NTH, f3=None), NTH.f1), Unsupported)
    broken = replace(NTH, id="broken", f2=("CONST HOL.Trueprop $ CONST local.span",))
    verdict = checker.check(broken, NTH.f1)
    assert isinstance(verdict, Unsupported)
    assert "local.span" in verdict.why


def test_open_types_are_never_generalised_or_merged(checker: Checker) -> None:
    """Without recorded types `x = y` for all x, y holds at some type only: nothing follows for another."""
    one_element = "(ALL (x y) (= x y))"
    verdict = well_formed(
        checker.check(example(one_element, [one_element], "(= a b)", [], {}, id="open"), tokens("(ALL (u v) (= u v))"))
    )
    assert not proved(verdict.first)
    assert not proved(verdict.second)
    schematic = encode_line(lemma("", "(| (<= x y) (<= y x))", {}).prop)
    unknown = example("P", [], "(| (<= A B) (<= B A))", [], {"A": "(set nat)", "B": "(set nat)"}, id="schematic")
    verdict = well_formed(checker.check(replace(unknown, f4=(schematic,)), tokens("True")))
    assert not proved(verdict.second)


def test_a_proposal_may_not_narrow_the_types_of_an_example(checker: Checker) -> None:
    anything = example("(<= x y)", ["(< x y)"], "(<= x y)", [], {}, id="narrow")
    assert isinstance(checker.check(anything, tokens("(<= x y)")), WellFormed)
    verdict = checker.check(anything, tokens("(< x (Suc y))"))
    assert isinstance(verdict, IllFormed)
    assert "nat" in verdict.why


def test_type_variables_of_one_inference_differ() -> None:
    first, second = infer([read("(ALL (x y) (= x y))")] * 2, SIGNATURE).propositions
    assert first != second


def test_explain_shows_the_problem_and_the_facts(checker: Checker) -> None:
    text = explain(checker, NTH, NTH.f1)
    assert "(check-sat)" in text or "tff(goal,conjecture," in text  # the problem of whoever was first
    assert "nth_Cons_Suc" in text
    assert "F.2 => P: proved from the given premises" in text
    assert checker.trace is None


def test_rows_have_every_column(checker: Checker) -> None:
    from isarstep.prover.check.jobs import schema

    for verdict in (checker.check(NTH, NTH.f1), checker.check(NTH, "x"), checker.check(replace(NTH, f3=None), "x")):
        assert list(row(verdict)) == schema().names


def test_facts_of_other_worlds_are_not_used_even_where_an_example_names_them(checker: Checker) -> None:
    """The same tokens may be a theorem of another theory, about another order."""
    line = encode_line(lemma("", *FACTS["nth_Cons_Suc"]).prop)
    asking = replace(NTH, id="asking", theory="", f4=(*NTH.f4, line))
    prefixes = sorted({name.split(".")[0] for name in SIGNATURE.constants} - {"Pure"})
    theory_contexts = TheoryContexts(
        SIGNATURE, {**{prefix: [] for prefix in prefixes}, "Early": prefixes, "Late": prefixes}
    )
    own = replace(checker, theory_contexts=theory_contexts, effort=Effort(library=0))
    for theory, usable in (("Early", True), ("Late", False)):
        gaps = dict(own.gaps(asking, NTH.f1, theory_contexts.at(theory)))
        assert proved(gaps["second"]) is usable


def test_whoever_asks_about_a_proof_of_their_own_may_use_the_lemma_that_states_it(checker: Checker) -> None:
    goal = example("True", [], "(= (rev (rev xs)) xs)", [], {"xs": "(list nat)"}, id="own")
    own = replace(checker, effort=Effort(library=1))
    found = own.direct(goal, own.theory_contexts.everything)
    assert isinstance(found, Proved)
    assert found.facts == ("rev_rev",)
    scored = replace(goal, theory="Later")
    assert not proved(own.direct(scored))


OBTAIN = example(
    "(< <X1> <X0>)", ["(EX (y) (< y <X0>))"], "(EX (y) (< y <X0>))", [], {"<X0>": "nat", "<X1>": "nat"}, id="obtain"
)


def test_what_a_step_says_to_exist_need_not_hold_of_everything(checker: Checker) -> None:
    arbitrary = well_formed(checker.check(OBTAIN, OBTAIN.f1))
    assert not proved(arbitrary.first)
    witness = replace(OBTAIN, id="witness", target_command="obtain", introduced=(1,))
    assert proved(well_formed(checker.check(witness, OBTAIN.f1)).first)
    # `fix` means any value, and what F.2 speaks of is there already.
    assert not proved(well_formed(checker.check(replace(witness, id="fix", target_command="fix"), OBTAIN.f1)).first)
    known = replace(witness, id="known", f2=(*OBTAIN.f2, tokens("(< 2 <X1>)")))
    assert not proved(well_formed(checker.check(known, OBTAIN.f1)).first)
    # All that is said of a witness must be true of the same one.
    beside = replace(witness, id="beside", f4=(tokens("(< <X0> <X1>)"),))
    assert not proved(well_formed(checker.check(beside, OBTAIN.f1)).first)
    # But what speaks of a variable that comes later was said later.
    later = replace(witness, id="later than the witness", f4=(tokens("(< <X2> <X1>)"),))
    assert proved(well_formed(checker.check(later, OBTAIN.f1)).first)


@needs.E
def test_a_witness_is_one_for_all_values_of_schematic_variables(checker: Checker) -> None:
    witness = replace(OBTAIN, target_command="obtain", introduced=(1,))
    for text, true in (
        ("(<= v <X1>)", False),  # for each v some x, but none for all
        ("(==> (< v <X0>) (< v <X1>))", True),
        ("(==> (< <X0> v) (< v <X1>))", False),
        ("(!! (w) (==> (< w <X0>) (< w <X1>)))", True),
        ("(== <X1> <X0>)", True),
    ):
        said = tokens(text).replace("FREE v", "VAR <V0>")
        verdict = well_formed(checker.check(replace(witness, id=text, f1=said), said))
        assert proved(verdict.first) is true, text


def test_the_consequence_of_a_step_may_introduce_a_witness(checker: Checker) -> None:
    later = example("(< <X1> <X0>)", ["(< <X1> <X0>)"], "(< <X2> <X0>)", [],
                    {"<X0>": "nat", "<X1>": "nat", "<X2>": "nat"}, id="later")  # fmt: skip
    assert not proved(well_formed(checker.check(later, later.f1)).second)
    after = replace(later, id="after", consequence_command="obtain", introduced_after=(2,))
    assert proved(well_formed(checker.check(after, later.f1)).second)


def test_what_simp_rules_prove_needs_no_prover(checker: Checker) -> None:
    rev_rev = lemma("rev_rev", *FACTS["rev_rev"])
    declared = [Declaration("simp", 0, encode_line(rev_rev.prop), 0)]
    rules = rules_of(["Early"], lambda theories: [declared for _ in theories], lambda _: rev_rev)
    prefixes = sorted({name.split(".")[0] for name in SIGNATURE.constants} - {"Pure"})
    parents = {**{prefix: [] for prefix in prefixes}, "Early": prefixes, "Later": ["Early"]}
    own = replace(checker, theory_contexts=TheoryContexts(SIGNATURE, parents), simp=rules)
    step = example(
        "(= (rev (rev xs)) ys)", ["(= xs ys)"], "(= ys xs)", [], {"xs": "(list nat)"}, id="simp", theory="Later"
    )
    verdict = well_formed(own.check(step, step.f1))
    assert isinstance(verdict.first, Proved)
    assert verdict.first.by == "simp"
    assert set(verdict.first.facts) == {"rev_rev", "F.2(1)"}
    # In its own theory the rule is not there yet.
    assert not proved(well_formed(own.check(replace(step, id="early", theory="Early"), step.f1)).first)


def test_only_facts_of_the_world_are_offered(checker: Checker) -> None:
    rows = [("Early", lemma("nth_Cons_Suc", *FACTS["nth_Cons_Suc"])), ("Last", lemma("rev_rev", *FACTS["rev_rev"]))]
    library = library_of(rows, SIGNATURE)
    prefixes = sorted({name.split(".")[0] for name in SIGNATURE.constants} - {"Pure"})
    theory_contexts = TheoryContexts(
        SIGNATURE, {**{p: [] for p in prefixes}, "Early": prefixes, "Last": ["Early"], "Beside": prefixes}
    )
    for theory, usable in (("Last", True), ("Beside", False)):
        asking = Checker(theory_contexts, checker.provers, library, Effort(library=4), trace=[])
        asking.direct(replace(NTH, theory=""), theory_contexts.at(theory))
        assert asking.trace is not None
        assert ("nth_Cons_Suc" in {f.name for each in asking.trace for f in each.query.library}) is usable
        # A step of a theory that comes later in the library, but does not rest on the fact's.
        scored = Checker(theory_contexts, checker.provers, library, Effort(library=4), trace=[])
        scored.check(replace(NTH, theory=theory, id=theory), NTH.f1)
        assert scored.trace is not None
        assert ("nth_Cons_Suc" in {f.name for each in scored.trace for f in each.query.library}) is usable


def one_rule_away(
    provers: Provers, goal: str, rule: Named, kinds: Sequence[str] = (), own: Sequence[Named] = ()
) -> list[str]:
    """Steps to a goal about numbers from a library of one rule, declared so, and from facts of the asker's own."""
    prefixes = sorted({name.split(".")[0] for name in SIGNATURE.constants} - {"Pure"})
    theory_contexts = TheoryContexts(SIGNATURE, {**{prefix: [] for prefix in prefixes}, "Early": prefixes})
    here = theory_contexts.at("Early")
    here.own_facts = [(fact.name, fact.prop, False) for fact in own]
    library = library_of([("Early", rule)], SIGNATURE)
    declared = DeclaredRules(library, {"Early": {0: frozenset(kinds)}}) if kinds else None
    step = example("True", [], goal, [], {"x": "nat", "y": "nat"})
    near = Checker(theory_contexts, provers, library).one_rule_away(step, here, declared)
    return [each.tokens for each in near]


def test_a_rule_that_a_theory_declares_gives_steps_though_others_look_more_relevant(
    checker: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = lemma("less_imp_le", "(==> (< a b) (<= a b))", {"a": "nat"})
    assert one_rule_away(checker.provers, "(<= x y)", rule) == [tokens("(< x y)")]
    monkeypatch.setattr("isarstep.prover.check.step_checker.RULES", 0)
    assert one_rule_away(checker.provers, "(<= x y)", rule) == []
    assert one_rule_away(checker.provers, "(<= x y)", rule, ["intro"]) == [tokens("(< x y)")]


def test_what_the_asker_has_proved_comes_before_what_is_as_near_in_the_library(checker: Checker) -> None:
    rule = lemma("less_imp_le", "(==> (< a b) (<= a b))", {"a": "nat"})
    own = lemma("T.eq_imp_le", "(==> (= a b) (<= a b))", {"a": "nat"})
    found = one_rule_away(checker.provers, "(<= x y)", rule, own=[own])
    assert found == [tokens("(= x y)"), tokens("(< x y)")]


def test_instances_are_found_by_matching_unless_somebody_says_otherwise(checker: Checker) -> None:
    """What provers get of nth_Cons_Suc: at the goal's own terms first, then with its variables."""
    for asking, matched in ((Checker, True), (partial(Checker, instances=False), False)):
        own = asking(TheoryContexts(SIGNATURE), checker.provers, checker.facts, checker.effort, trace=[])
        own.check(replace(NTH, f3=tokens("(= x4 (nth (Cons x9 x10) (Suc x12)))")), NTH.f1)
        offered = [f.prop for each in own.trace or () for f in each.query.library if f.name == "nth_Cons_Suc"]
        assert any(schematics(prop) for prop in offered)
        assert any(not schematics(prop) for prop in offered) is matched


def test_instances_of_other_worlds_are_not_taken(checker: Checker) -> None:
    """`linear` holds of linear orders; whether lists are one is the context's to say."""
    library = library_of([("Early", lemma("linear", *FACTS["linear"]))], SIGNATURE)
    prefixes = sorted({name.split(".")[0] for name in SIGNATURE.constants} - {"Pure"})
    parents = {**{prefix: [] for prefix in prefixes}, "Early": prefixes, "Lexi": ["Early"], "Prefix": ["Early"]}
    arities = [(t, c, sorts) for t, table in SIGNATURE.arities.items() for c, sorts in table.items()]
    ordered = ("Orderings.linorder", "Orderings.order", "Orderings.preorder", "Orderings.ord")
    whole = Signature.build(
        SIGNATURE.constants.values(), SIGNATURE.types.items(), SIGNATURE.classes.items(),
        [*arities, *(("List.list", c, [["HOL.type"]]) for c in ordered)],
    )  # fmt: skip
    declared = {theory: Declared({}, frozenset()) for theory in parents}
    declared["Early"] = Declared({}, frozenset(f"{t} {c}" for t, c, _ in arities))
    declared["Lexi"] = Declared({}, frozenset(f"List.list {c}" for c in ordered))
    declared["Prefix"] = Declared({}, frozenset(f"List.list {c}" for c in ordered[1:]))
    theory_contexts = TheoryContexts(whole, parents, (), declared)
    goal = example("True", [], "(| (<= xs ys) (<= ys xs))", [], {"xs": "(list nat)", "ys": "(list nat)"}, id="lists")
    for theory, linear in (("Lexi", True), ("Prefix", False)):
        own = Checker(theory_contexts, checker.provers, library, Effort(library=4))
        assert proved(own.direct(goal, theory_contexts.at(theory))) is linear
