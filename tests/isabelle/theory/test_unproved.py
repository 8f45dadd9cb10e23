"""A lemma whose proof used something unproved, by whatever road, is no fact of the file."""

from pathlib import Path

import pytest

from isarstep.apps.engine import Engine
from isarstep.benchmark.problems.file_context import FileContext
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.isabelle.theory.environment.file_environment import OwnContext

CONSTANTS = "consts a :: nat b :: nat\n"
BAD = 'lemma bad: "a = b" sorry\n'
L = 'locale l = fixes n :: nat assumes five: "n = b"\n'
M = 'locale m = l begin\nlemma six: "n = b" by (rule five)\nend\n'
TAKEN = 'lemma taken: "Suc a = Suc b" '


def read(text: str, engine: Engine) -> OwnContext:
    whole = f"theory T imports Main begin\n{CONSTANTS}{text}\nend\n"
    return TheoryDocument(Path("T.thy"), engine.theory_contexts, text=whole).context_at(len(whole))[0]


@pytest.mark.parametrize(
    "before",
    [
        BAD + "declare bad [simp]",
        BAD + "lemmas more [simp] = bad",
        'lemma shows one [simp]: "a = b" and two: "b = a" sorry',
        'locale l = fixes n :: nat assumes [simp]: "n = b"\ninterpretation l a sorry',
        'class single = assumes [simp]: "x = (y :: \'a)"\ninstance nat :: single sorry',
        "class any = fixes any :: 'a\nclass single = assumes same: \"x = (y :: 'a)\"\nsubclass (in any) single sorry",
        'function f :: "nat \\<Rightarrow> nat" where "f n = Suc (f n)" by auto\ntermination sorry',
        'function f :: "nat \\<Rightarrow> nat" where "f n = 0" | "f n = 1" sorry\ntermination by lexicographic_order',
        'typedef none = "{} :: nat set" sorry',
        'class single = assumes same: "x = (y :: \'a)"\ndefault_sort single',
        BAD + "bundle with_bad = bad [simp]\nunbundle with_bad",
    ],
)
def test_automation_may_have_used_it(before: str, engine: Engine) -> None:
    context = read(f"{before}\n{TAKEN} by simp", engine)
    assert "T.taken" not in [name for name, _, _ in FileContext(context).own_facts]


@pytest.mark.parametrize(
    ("before", "proof"),
    [
        (BAD, "using bad by simp"),
        (BAD, "using T.bad by simp"),
        (BAD, 'using "bad" by simp'),
        (BAD + "lemmas more = bad", "using more by simp"),
        (BAD + 'lemma more: "a = b" by (rule bad)', "using more by simp"),
        (BAD + 'lemma (in order) bad: "x \\<le> x" by simp', "using bad by simp"),
        (L + "interpretation l a sorry", "using five by simp"),
        (L + "interpretation i: l a sorry", "using i.five by simp"),
        (L + "interpretation l a sorry", "using l.five[of a] unfold_locales by simp"),
        (L + M + "interpretation l a sorry\ninterpretation i: m a by unfold_locales", "using i.six by simp"),
        (BAD, "by (tactic \\<open>resolve_tac \\<^context> @{thms bad} 1\\<close>)"),
        ('schematic_goal bad: "a = b \\<and> b = ?x" sorry', "using bad by simp"),
        ('experiment begin\nlemma bad: "a = b" sorry\nend', "using bad by simp"),
        ('locale l = fixes n :: nat begin\nlemma bad: "n = b" sorry\nend', "using l.bad by simp"),
    ],
)
def test_a_proof_that_names_it(before: str, proof: str, engine: Engine) -> None:
    context = read(f"{before}\n{TAKEN} {proof}", engine)
    assert "T.taken" not in [name for name, _, _ in FileContext(context).own_facts]


@pytest.mark.parametrize(
    "before",
    [
        BAD,
        'lemma bad: "a = b" oops',
        'notepad begin\nhave "a = b" sorry\nend',
        'locale l = fixes bad :: nat\nlemma other: "a = b" sorry',
        "class any = fixes any :: 'a\ninstance nat :: any ..",
        L + "interpretation l a sorry",
    ],
)
def test_other_lemmas_are_facts(before: str, engine: Engine) -> None:
    context = read(f'{before}\nlemma taken: "Suc a = Suc b \\<longrightarrow> a = b" by simp', engine)
    assert "T.taken" in [name for name, _, _ in FileContext(context).own_facts]
