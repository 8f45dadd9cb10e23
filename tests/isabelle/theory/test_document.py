"""What a theory file declares, and what is refused in it: with file, line and column."""

from pathlib import Path

import pytest

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.isabelle.theory.environment.file_environment import OwnContext

FILES = Path(__file__).parent / "files"


def end_of(text: str, benchmark: Benchmark, imports: str = "Main") -> OwnContext:
    whole = f"theory T imports {imports} begin\n{text}\nend\n"
    document = TheoryDocument(Path("T.thy"), benchmark.theory_contexts, text=whole)
    return document.context_at(len(whole))[0]


def facts_of(context: OwnContext) -> dict[str, str]:
    found = (fact for facts in context.facts.values() for fact in facts)
    return {fact.name.removeprefix("T."): write_typed(fact.prop, context.language) for fact in found}


def test_equations_that_overlap_are_split(benchmark: Benchmark) -> None:
    context = end_of('fun f :: "nat ⇒ nat ⇒ nat" where "f 0 y = 1" | "f x 0 = 2" | "f x y = 3"', benchmark)
    assert list(facts_of(context).values()) == ["f 0 ?y = 1", "f (Suc ?v0.0) 0 = 2", "f (Suc ?v0.0) (Suc ?v1.0) = 3"]


@pytest.mark.parametrize(
    "text",
    [
        'fun f :: "nat ⇒ nat" where "f n = Suc (f n)"',
        'fun f :: "nat ⇒ nat" where "f n = (if n = 0 then 0 else f (n + 1))"',
        'fun f :: "nat ⇒ nat" where "f n = f (n - 1)"',
        'function f :: "nat ⇒ nat" where "f n = 0" by auto',
        'function f :: "nat ⇒ nat" where "f n = 0" by auto\ntermination sorry',
        'lemma f: "(0 :: nat) = 1" oops',
        'definition f :: nat where "f = f"',
        'definition f :: nat where "f = n"',
        'inductive p :: "nat ⇒ bool" where "¬ p n ⟹ p n"',
        "datatype t = C t",
        'datatype t = C "t ⇒ bool"',
        'datatype t = C "t set"',
        'primrec f :: "nat ⇒ nat" where "f 0 = 0" | "f n = 1"',
    ],
)
def test_what_gives_no_facts(text: str, benchmark: Benchmark) -> None:
    context = end_of(text, benchmark)
    assert [fact for facts in context.facts.values() for fact in facts] == []
    assert context.notes or "oops" in text or "termination" not in text


def test_recursion_that_ends(benchmark: Benchmark) -> None:
    for right in (
        "if n = 0 then 0 else f (n - 1)",
        "if 0 < n then f (n div 2) else 1",
        "if n < 2 then 0 else f (n - 2)",
    ):
        assert list(facts_of(end_of(f'fun f :: "nat ⇒ nat" where "f n = ({right})"', benchmark)))


def test_a_datatype_is_free(benchmark: Benchmark) -> None:
    context = end_of("datatype 'a t = A | B (val: 'a) \"'a t\"", benchmark)
    assert facts_of(context) == {
        "t.inject": "B ?x0.0 ?x1.0 = B ?y0.0 ?y1.0 ⟷ ?x0.0 = ?y0.0 ∧ ?x1.0 = ?y1.0",
        "t.distinct(1)": "¬ A = B ?y0.0 ?y1.0",
        "t.distinct(2)": "¬ B ?y0.0 ?y1.0 = A",
        "t.case(1)": "case_t ?f0.0 ?f1.0 A = ?f0.0",
        "t.case(2)": "case_t ?f0.0 ?f1.0 (B ?x0.0 ?x1.0) = ?f1.0 ?x0.0 ?x1.0",
        "t.sel(1)": "val (B ?x0.0 ?x1.0) = ?x0.0",
        "t.sel(2)": "un_B2 (B ?x0.0 ?x1.0) = ?x1.0",
        "t.exhaust": "?y = A ∨ (∃x0 x1. ?y = B x0 x1)",
        "t.induct": "?P A ⟹ (⋀x0 x1. ?P x1 ⟹ ?P (B x0 x1)) ⟹ ?P ?y",
    }


def test_facts_that_rest_on_sorry_are_labelled(benchmark: Benchmark) -> None:
    text = 'lemma a: "(1::nat) = 2" sorry\nlemma b: "(2::nat) = 3" using a by simp\nlemma c: "True" by simp'
    context = end_of(text, benchmark)
    assert {name: facts[0].unproved for name, facts in context.facts.items()} == {
        "T.a": True,
        "T.b": True,
        "T.c": False,
    }


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("theory T imports Main begin\nlemma True sorry\nend\n", 9, "T.thy:9: the file has 3 lines"),
        ("theory T imports Main begin\n\nlemma True sorry\nend\n", 2, "no statement"),
        ("theory T imports Main begin\n", 1, "no statement"),
        ("theory T imports Main begin\nfoo", 2, "T.thy:2:1: 'foo' is no command that is known here"),
        ("lemma True sorry", 1, "T.thy:1:1: there is no `theory"),
        (
            'theory T imports Main begin\nlemma "(x :: var) = x" sorry\nend',
            2,
            "T.thy:2:14: found 'var', expected a type",
        ),
        ("theory T imports Nowhere_Found begin\nlemma True sorry\nend", 2, "Nowhere_Found"),
        ('theory T imports Main begin\nlemma "x +" sorry\nend', 2, "T.thy:2:11: found the end"),
        ('theory T imports Main begin\nlemma "0 = True" sorry\nend', 2, "T.thy:2:8: "),
        ('theory T imports Main begin\nlemma "True" (* open\nend', 2, "T.thy:2:14: a comment"),
        (
            'theory T imports Main begin\ncodatatype t = A\nlemma "A = x" sorry\nend',
            3,
            "T.thy:3:8",
        ),
        (
            'theory T imports Main begin\nlemma "True"\nproof -\nshow ?case sorry\nqed\nend',
            4,
            "T.thy:4:6: nothing says",
        ),
        ("theory List imports Main begin\nlemma True sorry\nend", 2, "has a theory called List already"),
    ],
)
def test_refused_with_its_place(text: str, line: int, says: str, benchmark: Benchmark) -> None:
    with pytest.raises(UserError) as refused:
        TheoryDocument(Path("T.thy"), benchmark.theory_contexts, text=text).state_at(line)
    assert says in str(refused.value)


def test_a_line_behind_a_statement_is_that_statement(benchmark: Benchmark) -> None:
    document = TheoryDocument(FILES / "Steps.thy", benchmark.theory_contexts)
    goals = {
        line: write_typed(document.state_at(line).goal, document.theory_context.language) for line in (4, 7, 9, 10)
    }  # type: ignore[arg-type]
    assert goals == {4: "a ≤ c + 1", 7: "a ≤ c + 1", 9: "a ≤ c", 10: "a < c + 1"}


def test_the_lemma_itself_is_no_fact(benchmark: Benchmark) -> None:
    document = TheoryDocument(FILES / "Statements.thy", benchmark.theory_contexts)
    state = document.state_at(4)
    assert state.context.facts == {}


def test_a_print_mode_is_read(benchmark: Benchmark) -> None:
    context = end_of(
        'abbreviation (mine) twice :: "nat ⇒ nat" (‹𝔸⇩_› [61] 60) where "𝔸⇩x ≡ x + x"\nlemma a: "𝔸⇩y = y + y" by simp',
        benchmark,
    )
    assert facts_of(context) == {"a": "?y + ?y = ?y + ?y"}  # 𝔸 is no letter: `𝔸⇩y` is no name


@pytest.mark.parametrize("command", ["simproc_setup", "method_setup", "attribute_setup"])
def test_set_up_by_code_hides_no_constant(command: str, benchmark: Benchmark) -> None:
    context = end_of(
        f'definition f :: "nat ⇒ nat" where "f x = x"\n{command} f ("f x") = ‹K (K NONE)›\nlemma a: "f x = x" sorry',
        benchmark,
    )
    assert facts_of(context)["a"] == "f ?x = ?x"
    assert any(command in note for note in context.notes)
