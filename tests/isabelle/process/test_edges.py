"""The mined graphs of tests/theories against what a careful reader of these theories expects, edge by edge."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
import zstandard

from isarstep.isabelle.process.proof_graph import Graph, How, Proof, read_graph
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, TFree, Var

GRAPHS = Path(__file__).parent / "graphs"
THEORIES = Path(__file__).parents[2] / "theories"
NAMES = sorted(path.stem for path in THEORIES.glob("*.thy"))


def graph(theory: str) -> Graph:
    return read_graph(GRAPHS / f"{theory}.jsonl.zst")


def proof(theory: str, name: str) -> Proof:
    [found] = [p for p in graph(theory).proofs if p.name is not None and p.name.endswith("." + name)]
    return found


def title(mined: Graph, p: Proof) -> str:
    return f"{mined.theory.split('.')[-1]} {p.ordinal} {p.command}" + (f" {p.name.split('.', 1)[1]}" if p.name else "")


def describe(mined: Graph, p: Proof, number: int) -> str:
    def target(use) -> str:
        if use.fact is not None:
            return str(use.fact)
        if use.collection is not None:
            return "{" + use.collection + "}"
        lemma = mined.lemmas[use.lemma]
        return lemma.name + (f"({lemma.index})" if lemma.index else "")

    fact = p.facts[number]
    line = f"{number} {fact.kind} {p.steps[fact.step].command}" + (f" {fact.name}" if fact.name else "")
    return line + (" <- " + ", ".join(f"{use.how} {target(use)}" for use in fact.uses) if fact.uses else "")


def expected() -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    heading = ""
    for line in (GRAPHS / "edges.txt").read_text().splitlines():
        if line.startswith("    "):
            result[heading].append(line.strip())
        elif not line.startswith("#"):
            heading = line
            result[heading] = []
    return result


def short(term: Term, bound: tuple[str, ...] = ()) -> str:
    """Enough of a printer for assertions: prefix form, base names."""
    if isinstance(term, App):
        arguments = []
        while isinstance(term, App):
            arguments.append(term.arg)
            term = term.fun
        if isinstance(term, Const) and term.name == "HOL.Trueprop":
            return short(arguments[0], bound)
        return "(" + " ".join(short(part, bound) for part in (term, *reversed(arguments))) + ")"
    if isinstance(term, Abs):
        return f"(%{term.name}. {short(term.body, (term.name, *bound))})"
    if isinstance(term, Bound):
        return bound[term.index]
    assert isinstance(term, Const | Free | Var)
    return ("?" if isinstance(term, Var) else "") + term.name.rsplit(".", 1)[-1]


@pytest.mark.parametrize("theory", NAMES)
def test_every_edge(theory: str) -> None:
    mined = graph(theory)
    got = {title(mined, p): [describe(mined, p, i) for i in range(len(p.facts))] for p in mined.proofs}
    assert got == {key: value for key, value in expected().items() if key.split()[0] == theory}
    assert mined.failures == ()
    assert all(p.complete and not p.unresolved for p in mined.proofs)


@pytest.mark.parametrize("theory", NAMES)
def test_uses_come_first_and_variables_are_known(theory: str) -> None:
    for p in graph(theory).proofs:
        types = {variable.name: variable.type for variable in p.variables}
        assert len(types) == len(p.variables)
        for number, fact in enumerate(p.facts):
            assert all(use.how == "block" or use.fact is None or use.fact < number for use in fact.uses)
            assert all(types[free.name] == free.type for free in frees(fact.prop))


def frees(term: Term) -> list[Free]:
    if isinstance(term, Free):
        return [term]
    if isinstance(term, App):
        return frees(term.fun) + frees(term.arg)
    return frees(term.body) if isinstance(term, Abs) else []


def test_the_papers_figure() -> None:
    """F.1 even a; F.2 the square equation; F.3 the obtained c; F.5 names even_mult_iff."""
    p = proof("Sqrt_Two", "sqrt_two_irrational")
    mined = graph("Sqrt_Two")
    stated = {short(fact.prop): number for number, fact in enumerate(p.facts)}
    square = stated["(eq (times (numeral (Bit0 One)) (power2 b)) (power2 a))"]
    even, half = stated["(even a)"], stated["(eq a (times (numeral (Bit0 One)) c))"]
    assert {use.fact for use in p.facts[even].uses if use.fact is not None} == {square}
    assert {use.fact for use in p.facts[half].uses if use.fact is not None} == {even}
    lemmas = {mined.lemmas[use.lemma].name for use in p.facts[even].uses if use.lemma is not None}
    assert "Parity.semiring_parity_class.even_mult_iff" in lemmas
    assert [variable.name for variable in p.variables if variable.name in "abc"] == ["a", "b", "c"]
    assert [p.variables[i].name for i in p.steps[-1].fixed] == ["a", "b", "c"]


def test_calculation_records_what_it_composed() -> None:
    p = proof("Calculation", "equal_chain")
    assert [short(fact.prop) for fact in p.facts if fact.kind == "calculation"] == ["(eq a c)", "(eq a d)"]


def test_a_block_hands_on_a_general_fact() -> None:
    p = proof("Blocks", "brace_block")
    [handed] = [fact for fact in p.facts if p.steps[fact.step].command == "}"]
    assert short(handed.prop) == "(imp (P ?y) (Q ?y))"
    assert [short(p.facts[use.fact].prop) for use in handed.uses] == ["(Q y)"]


def test_cases_do_not_leak() -> None:
    """Both cases state the same; each justifies its own conclusion, and the head rests on both."""
    p = proof("Case_Splits", "siblings")
    cases = {fact.step: p.steps[fact.step].case for fact in p.facts}
    for fact in p.facts[1:]:
        assert all(cases[p.facts[use.fact].step] == cases[fact.step] for use in fact.uses if use.fact is not None)
    assert {cases[p.facts[use.fact].step] for use in p.facts[0].uses} == {"True", "False"}
    assert len({p.steps[fact.step].block for fact in p.facts if cases[fact.step] == "True"}) == 1
    assert p.steps[3].block != p.steps[11].block


def test_equal_names_in_two_blocks_are_two_variables() -> None:
    p = proof("Obtaining", "same_name_twice")
    assert {"x", "xa"} <= {variable.name for variable in p.variables}
    assert [short(fact.prop) for fact in p.facts if p.steps[fact.step].command == "obtain" and fact.kind == "goal"] == [
        "(P x)",
        "(Q xa)",
    ]


def test_literal_facts_are_the_ones_that_are_meant() -> None:
    p = proof("Literal_Facts", "exact")
    assert [short(p.facts[use.fact].prop) for use in p.facts[-1].uses] == ["(P a)", "(Q a)"]


def test_kinds_of_proofs() -> None:
    commands = {p.command for name in NAMES for p in graph(name).proofs}
    assert commands >= {
        "lemma",
        "theorem",
        "schematic_goal",
        "instance",
        "interpretation",
        "function",
        "termination",
        "typedef",
        "notepad",
    }


def test_kinds_of_uses() -> None:
    hows = {use.how for name in NAMES for p in graph(name).proofs for fact in p.facts for use in fact.uses}
    assert hows == set(get_args(How))


def test_locale_parameters_and_class_operations() -> None:
    swapped = proof("Locale_Facts", "swapped")
    assert swapped.variables[0].name == "op"
    assert (
        short(swapped.facts[0].prop) == "(eq (op (op x y) (op x y)) (op (op y x) (op y x)))"
    )  # the locale's abbreviation is unfolded
    in_class = proof("Locale_Facts", "constants_of_the_class")
    assert [variable.name for variable in in_class.variables] == ["a", "b"]
    assert in_class.variables[0].type == TFree("'a", ("Orderings.linorder",))
    assert short(in_class.facts[0].prop) == "(less a b)"


def test_conditional_statements_are_closed() -> None:
    p = proof("Statements", "conditional")
    [step] = [fact for fact in p.facts if fact.name == "step"]
    assert short(step.prop) == "(imp (P ?n) (Q ?n))"


def test_a_conditional_statement_keeps_what_it_says_inside_its_proof() -> None:
    p = proof("Several_Statements", "conditional_fact")
    [step] = [fact for fact in p.facts if fact.name == "step"]
    assert (short(step.prop), short(step.stated)) == ("(imp (P ?n) (R ?n))", "(R n)")
    assert [fact for fact in p.facts if fact.stated is not None] == [step]


def test_a_show_says_more_around_its_block() -> None:
    p = proof("Case_Splits", "induction_step")
    [step] = [fact for fact in p.facts if fact.outside is not None]
    assert short(step.prop) == "(eq (rev (rev (Cons x xsa))) (Cons x xsa))"
    hypothesis, conclusion = "(eq (rev (rev ?xsa)) ?xsa)", "(eq (rev (rev (Cons ?x ?xsa))) (Cons ?x ?xsa))"
    assert short(step.outside) == f"(imp {hypothesis} {conclusion})"
    plain = proof("Several_Statements", "siblings")  # whose block fixes and assumes nothing
    assert all(fact.outside is None for fact in plain.facts)


def test_facts_of_an_interpretation_rest_on_its_statement() -> None:
    p = proof("Interpreting", "nested_interpret")
    by_prop = {short(fact.prop): fact for fact in p.facts}
    for side in ("m", "n"):
        [origin] = [use.fact for use in by_prop[f"(not_equal {side} zero)"].uses if use.how == "interpretation"]
        assert short(p.facts[origin].prop) == f"(above {side})"


def test_steps_say_which_variables_they_introduce() -> None:
    def introduced(p: Proof) -> list[tuple[str, list[str]]]:
        return [(s.command, [p.variables[i].own for i in s.introduced]) for s in p.steps if s.introduced]

    assert introduced(proof("Obtaining", "half")) == [("lemma", ["n"]), ("obtain", ["k"]), ("define", ["j"])]
    twice = proof("Obtaining", "same_name_twice")
    assert introduced(twice) == [("lemma", ["P", "Q"]), ("obtain", ["x"]), ("obtain", ["x"])]
    assert introduced(proof("Several_Statements", "together")) == [("lemma", ["n"]), ("case", ["n"])]
    assert introduced(proof("Several_Statements", "conditional_fact"))[1:] == [("have", ["n"])]


def test_sorry_is_a_step_below_what_it_leaves_open() -> None:
    p = proof("Several_Statements", "unfinished")
    [step] = [step for step in p.steps if step.command == "sorry"]
    assert [short(fact.prop) for fact in p.facts if fact.step == step.parent] == ["(less_eq x x)"]


def test_rules_for_automation() -> None:
    mined = graph("Declared_Rules")
    rules = {(rule.kind, rule.name.removeprefix("Declared_Rules.")): rule for rule in mined.rules}
    assert set(rules) == {
        ("simp", "before_irrefl"), ("simp", "before_add"), ("intro!", "before_Suc"), ("elim", "beforeE"),
        ("trans", "before_trans"), ("trans", "Orderings.preorder_class.less_trans"), ("sym", "same_sym"),
        ("in Declared_Rules.before_facts", "before_add"),
    }  # fmt: skip
    assert short(rules["simp", "before_irrefl"].prop) == "(eq (before ?x ?x) False)"
    assert short(rules["simp", "before_add"].prop) == "(eq (before ?x (plus ?x ?y)) (less zero ?y))"
    assert mined.removed == ("simp Nat.nat.inject 0",)


def test_declarations_say_which_proofs_come_before_them() -> None:
    mined = graph("Declared_Rules")
    names = [p.name for p in mined.proofs]
    after = {constant.name: constant.after for constant in mined.signature.constants}
    assert after["Declared_Rules.before"] == 0
    assert after["Declared_Rules.same"] == names.index("Declared_Rules.same_sym")
    instances = dict(zip(mined.signature.arities, mined.signature.arities_after, strict=True))
    assert instances["Declared_Rules.small", "Finite_Set.finite", ()] == names.index("Declared_Rules.late")


def test_offsets_lead_to_the_quoted_propositions() -> None:
    symbols = re.findall(r"\\<\^?\w+>|.|\n", (THEORIES / "Several_Statements.thy").read_text())
    p = proof("Several_Statements", "siblings")
    quoted = ["".join(symbols[at[0] - 1 : at[1] - 1]) for fact in p.facts if (at := fact.at) is not None]
    assert quoted[:4] == [r'"x \<le> y"', r'"x \<le> y + 1"', r'"x \<le> 2 * y"', '"y \\<le> y + 1"']
    assert "".join(symbols[p.offset - 1 :]).startswith("lemma siblings:")


def test_signature() -> None:
    mined = graph("Theory_Content")
    signature = mined.signature
    constants = {constant.name.removeprefix("Theory_Content."): constant for constant in signature.constants}
    assert {"twice", "pile.Empty", "pile.Piled", "blessed_class.grace", "as_nat"} <= set(constants)
    assert constants["twice"].abbreviates is None
    assert short(constants["distinct_from"].abbreviates) == "(%x. (%y. (Not (eq x y))))"
    assert constants["blessed_class.grace"].type.sort == ("Theory_Content.blessed",)
    assert {("Theory_Content.pile", 1), ("Theory_Content.point", 0)} <= set(signature.types)
    assert dict(signature.classes)["Theory_Content.twice_blessed"] == (
        "HOL.type", "Orderings.ord", "Orderings.order", "Orderings.preorder", "Theory_Content.blessed",
    )  # fmt: skip
    assert ("Nat.nat", "Theory_Content.twice_blessed", ()) in signature.arities
    assert [short(coercion) for coercion in signature.coercions] == ["as_nat"]
    theorems = {lemma.name: lemma for lemma in mined.theorems}
    assert short(theorems["Theory_Content.folded"].prop) == "(distinct_from (twice zero) one)"
    assert short(theorems["Theory_Content.twice_def"].prop) == "(eq (twice ?n) (times (numeral (Bit0 One)) ?n))"
    assert "Theory_Content.pile.induct" in theorems


def test_nothing_of_the_text_is_exported() -> None:
    for path in GRAPHS.glob("*.zst"):
        text = zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read().decode()
        assert not any(place in text for place in ("/home", "/tmp", "/usr", "/opt", "://", ".thy"))
        assert "text \\\\<open>" not in text


@pytest.mark.skipif(
    "ISABELLE_HOME" not in os.environ,
    reason="needs an Isabelle: set ISABELLE_HOME, and ISABELLE_HEAPS to a folder with HOL's image",
)
def test_mined_afresh(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "isarstep",
        "mine",
        "Isarstep_Tests",
        "-d",
        str(THEORIES),
        "--out",
        str(tmp_path),
        "--jobs",
        "1",
    ]
    subprocess.run(command, check=True, timeout=1800)
    for name in NAMES:
        fresh = read_graph(tmp_path / "Isarstep_Tests" / f"{name}.jsonl.zst")
        assert fresh == graph(name)
