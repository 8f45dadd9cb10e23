"""Declarations that Isabelle rejects and proofs that prove nothing give no facts; 100 false lemmas rest on them."""

from pathlib import Path

import pytest

from isarstep.apps.engine import Engine
from isarstep.apps.searching import fill_theory
from isarstep.benchmark.problems.file_context import FileContext
from isarstep.isabelle.theory.declarations.induction_facts import induction_facts
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.isabelle.theory.environment.file_environment import OwnContext

FALSE = 'lemma bad: "(0 :: nat) = 1" '
NAT = '"nat \\<Rightarrow> nat"'
FUNCTIONS = [  # no equation holds
    f'fun f :: {NAT} where "f (a + b) = a"',
    f'fun f :: {NAT} where "f (n + 1) = n"',
    f'fun f :: {NAT} where "f (2 * n) = n"',
    f'fun f :: {NAT} where "f (n - 1) = n"',
    f'fun f :: {NAT} where "f (g x) = x"',
    f'fun f :: {NAT} where "f (if b then 0 else n) = n"',
    f'fun f :: {NAT} where "f = (\\<lambda>n. n)"',
    f'fun f :: {NAT} where "f n = f n + 1"',
    f'fun f :: {NAT} where "f n = Suc (f n)"',
    f'fun f :: {NAT} where "f n = Suc (f (n + 1))"',
    f'fun f :: {NAT} where "f n = Suc (f (n - 1))"',
    f'fun f :: {NAT} where "f 0 = 0" | "f (Suc n) = Suc (f (Suc n))"',
    f'fun f :: {NAT} and g :: {NAT} where "f n = Suc (g n)" | "g n = f n"',
    f'fun f :: "{NAT[1:-1]} \\<Rightarrow> nat" where "f n n = 0"',
    f'fun f :: {NAT} where "f n = m"',
    f'fun f :: {NAT} where "g n = f n"',
    f'fun f :: {NAT} where "f 0 = 0" | "f n m = 1"',
    'fun f :: "int \\<Rightarrow> nat" where "f 0 = 1" | "f (n + 1) = 2"',
    'fun f :: "int \\<Rightarrow> nat" where "f (- n) = 1"',
    'fun f :: "nat set \\<Rightarrow> nat" where "f (insert x A) = x"',
    'fun f :: "nat set \\<Rightarrow> nat" where "f {} = 0" | "f {x} = x" | "f {x, y} = y"',
    'fun f :: "nat list \\<Rightarrow> nat list" where "f (xs @ ys) = xs"',
    'fun f :: "nat list \\<Rightarrow> nat" where "f (rev xs) = hd xs"',
    'fun f :: "nat list \\<Rightarrow> nat" where "f (map g xs) = 0" | "f xs = 1"',
    'fun f :: "nat \\<times> nat \\<Rightarrow> nat" where "f (x, x) = 0"',
    'fun f :: "nat option \\<Rightarrow> nat" where "f (the x) = 0"',
    'fun f :: "bool \\<Rightarrow> bool" where "f (p \\<and> q) = p"',
    'fun f :: "bool \\<Rightarrow> bool" where "f (\\<not> p) = p"',
    f'primrec f :: {NAT} where "f (a + b) = a"',
    f'primrec f :: {NAT} where "f (Suc (Suc n)) = 0"',
    f'primrec f :: {NAT} where "f n = 0"',
    f'primrec f :: {NAT} where "f n = Suc (f n)"',
    f'primrec f :: {NAT} where "f 0 = 0" | "f (Suc n) = Suc (f (Suc n))"',
    f'primrec f :: {NAT} where "f 0 = 0" | "f 0 = 1"',
    f'primrec f :: {NAT} where "f 0 = 0" | "f n = 1"',
    'primrec f :: "nat \\<Rightarrow> nat \\<Rightarrow> nat" where "f 0 m = 0" | "f n 0 = 1"',
    'primrec f :: "nat set \\<Rightarrow> nat" where "f (insert x A) = x"',
    f'function f :: {NAT} where "f (a + b) = a" by auto\ntermination by auto',
    f'function f :: {NAT} where "f n = 0" | "f 0 = 1" by auto\ntermination by auto',
    f'function f :: {NAT} where "f n = 0" | "f n = 1" by pat_completeness auto\ntermination by auto',
    f'function f :: {NAT} where "f n = Suc (f n)" by auto\ntermination by auto',
    f'function f :: {NAT} where "f n = Suc (f (n + 1))" by auto\ntermination by (relation "measure id") auto',
    f'function f :: {NAT} where "f n = (let m = f n in Suc m)" by auto\ntermination by auto',
    f'function f :: {NAT} where "f n = 0"\ntermination by auto',
    f'function f :: {NAT} where "f n = 0" by auto',
    f'function f :: {NAT} where "f n = 0" by auto\ntermination',
    f'function f :: {NAT} where "f n = 0" by auto\ntermination by (tactic "cheat_tac")',
    f'function f :: {NAT} where "f n = 0" by (rule no_such_fact)\ntermination by auto',
    f'partial_function (tailrec) f :: {NAT} where "f n = Suc (f n)"',
    f'corec f :: {NAT} where "f n = Suc (f n)"',
    f'definition f :: {NAT} where "f n = f n + 1"',
    f'definition f :: {NAT} where "f (Suc n) = n"',
    f'definition f :: {NAT} where "f n = m"',
    'definition c :: nat where "c = c + 1"',
    'definition c :: bool where "c = (\\<forall>x y :: \'a. x = y)"',
    'definition c :: nat where "c = card (UNIV :: \'a set)"',
    'abbreviation c :: nat where "c \\<equiv> c + 1"',
    'specification (c) same: "c = (0 :: nat) \\<and> c = 1" sorry',
    'consts c :: \'a\noverloading d \\<equiv> "c :: nat" begin definition d :: nat where "d = 0" end',
    'inductive p :: "nat \\<Rightarrow> bool" where "\\<not> p n \\<Longrightarrow> p n"',
    'inductive p :: "nat \\<Rightarrow> bool" where "(p n \\<longrightarrow> False) \\<Longrightarrow> p n"',
    'inductive p :: "nat \\<Rightarrow> bool" where "p n = False \\<Longrightarrow> p n"',
    'inductive p :: "nat \\<Rightarrow> bool" where "p n \\<or> \\<not> p n"',
    'inductive p :: "nat \\<Rightarrow> bool" where "q n"',
    'inductive p :: "nat \\<Rightarrow> bool" and q :: "nat \\<Rightarrow> bool" where "\\<not> q n \\<Longrightarrow> p n" | "p n \\<Longrightarrow> q n"',
    'inductive_set S :: "nat set" where "n \\<notin> S \\<Longrightarrow> n \\<in> S"',
    'coinductive p :: "nat \\<Rightarrow> bool" where "\\<not> p n \\<Longrightarrow> p n"',
    "datatype t = C t",
    'datatype t = C "t \\<Rightarrow> bool"',
    'datatype t = C "t set"',
    "datatype 'a t = C \"('a t \\<Rightarrow> nat) \\<Rightarrow> 'a\"",
    "datatype t = C 'a",
    "datatype t = A | A",
    "record r = x :: nat x :: nat",
    "record r = more :: nat",
    "record 'a r = x :: 'b",
    'typedef t = "{} :: nat set"',
    'typedef t = "{} :: nat set" sorry',
    'typedef t = "{} :: nat set" by (rule no_such_fact)',
    'typedef t = "{x. x = y}" by auto',
    'quotient_type t = nat / "\\<lambda>x y. False" sorry',
    'type_synonym t = "t \\<times> t"',
]
PROOFS = [  # none is a proof of FALSE
    "sorry",
    "oops",
    "\\<proof>",
    "",
    "apply simp",
    "by",
    "qed",
    "proof -\nqed",
    "proof -\nshow ?thesis\nqed",
    "proof -\nshow ?thesis sorry\nqed",
    "proof -\nhave False sorry\nthen show ?thesis by simp\nqed",
    "by (tactic \\<open>Skip_Proof.cheat_tac \\<^context> 1\\<close>)",
    'apply (tactic "cheat_tac @{context} 1") done',
    "proof -\nshow ?thesis by (tactic \\<open>Skip_Proof.cheat_tac \\<^context> 1\\<close>)\nqed",
    "by (rule no_such_fact)",
    "by (simp add: no_such_fact)",
    "by (metis refl no_such_fact)",
    "by (auto simp: refl intro: no_such_fact)",
    "using no_such_fact by simp",
    "unfolding no_such_fact by simp",
    "proof -\nfrom no_such_fact show ?thesis by simp\nqed",
    "proof -\nnote no = no_such_fact\nshow ?thesis using no by simp\nqed",
    "using bad by simp",
    "by (fact bad)",
    "by (simp only: bad)",
]
BEFORE = [  # by simp, FALSE is no fact behind these
    'lemma [simp]: "(0 :: nat) = 1" sorry',
    'lemma [simp]: "(0 :: nat) = 1" by (rule no_such_fact)',
    'lemma [simp]: "(0 :: nat) = 1"',
    "oracle cheat = \\<open>I\\<close>",
    "method_setup cheat = \\<open>Scan.succeed (SIMPLE_METHOD o Skip_Proof.cheat_tac)\\<close>",
    "ML \\<open>val no = Skip_Proof.make_thm \\<^theory> \\<^prop>\\<open>False\\<close>\\<close>",
    "setup \\<open>snd o Thm.add_axiom_global (\\<^binding>\\<open>no\\<close>, \\<^prop>\\<open>False\\<close>)\\<close>",
]
USED = [  # nor is it `using no by simp`
    "notepad begin\nhave no: False sorry\nend",
    "lemma no: False oops",
    "lemma no: False by (rule no_such_fact)",
    "lemmas no = no_such_fact",
    "lemma no: False proof - have False sorry then show False . qed",
    "locale l = assumes no: False\ninterpretation l by unfold_locales",
    "locale l = assumes no: False\ninterpretation l ..",
    "locale l = assumes no: False\ninterpretation l sorry",
    "locale l = assumes no: False\ninterpretation l",
    "locale l = assumes no: False",
    "locale l = assumes other: False begin\nlemma no: False by (rule other)\nend",
    "context assumes no: False begin end",
]
INSTANCES = [  # nat is not shown to be of a class in which all values are the same
    "instance nat :: c sorry",
    "instance nat :: c ..",
    "instance nat :: c by standard",
    "instance nat :: c by intro_classes",
    "instance nat :: c proof qed",
    "instance nat :: c by standard (rule no_such_fact)",
    "instance nat :: c",
    "instantiation nat :: c begin end",
    "instantiation nat :: c begin instance sorry end",
    "instantiation nat :: c begin instance .. end",
    'instantiation nat :: c begin instance proof show "(x :: nat) = y" for x y sorry qed end',
]


def read(text: str, engine: Engine, imports: str = "Main") -> OwnContext:
    whole = f"theory T imports {imports} begin\n{text}\nend\n"
    return TheoryDocument(Path("T.thy"), engine.theory_contexts, text=whole).context_at(len(whole))[0]


def facts(context: OwnContext) -> list[str]:
    return [name for name, _, _ in FileContext(context).own_facts] + [name for name, _ in induction_facts(context)]


@pytest.mark.parametrize("text", FUNCTIONS)
def test_what_is_rejected_says_nothing(text: str, engine: Engine) -> None:
    assert [name for name in facts(read(text, engine)) if ".A" not in name] == []


@pytest.mark.parametrize("proof", PROOFS)
def test_what_is_no_proof(proof: str, engine: Engine) -> None:
    assert facts(read(FALSE + proof, engine)) == []


@pytest.mark.parametrize("before", BEFORE)
def test_automation_that_may_do_anything(before: str, engine: Engine) -> None:
    assert facts(read(f"{before}\n{FALSE} by simp", engine)) == []


@pytest.mark.parametrize("before", USED)
def test_what_is_not_proved_is_not_used(before: str, engine: Engine) -> None:
    assert "T.bad" not in facts(read(f"{before}\n{FALSE} using no by simp", engine))


@pytest.mark.parametrize("instance", INSTANCES)
def test_instances_without_proof(instance: str, engine: Engine) -> None:
    context = read(f'class c = assumes same: "x = (y :: \'a)"\n{instance}', engine)
    assert "T.c" not in context.proved_signature().arities["Nat.nat"]


def test_a_locale_that_rests_on_nothing(engine: Engine) -> None:
    text = "locale l = assumes no: False\nlocale m = fixes n :: nat\nsublocale m \\<subseteq> l by unfold_locales"
    context = read(text, engine)
    assert all(fact.unproved for fact in context.locales["m"].facts["no"])


ENDLESS = '"f LNil = 0" | "f (LCons x xs) = Suc (f xs)"'


@pytest.mark.parametrize(
    "text",
    [
        f'fun f :: "nat llist \\<Rightarrow> nat" where {ENDLESS}',
        f'primrec f :: "nat llist \\<Rightarrow> nat" where {ENDLESS}',
        f'function f :: "nat llist \\<Rightarrow> nat" where {ENDLESS} by pat_completeness auto\ntermination by auto',
    ],
)
def test_values_of_codatatypes_have_no_end(text: str, engine: Engine) -> None:
    assert facts(read(text, engine, "Coinductive.Coinductive_List")) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('fun f :: "nat \\<Rightarrow> nat" where "f 0 = 0" | "f (Suc 0) = 1" | "f (Suc (Suc n)) = f n"', 4),
        ('fun f :: "nat list \\<Rightarrow> nat" where "f [] = 0" | "f [x] = x" | "f (x # y # zs) = f zs"', 4),
        ('fun f :: "(nat \\<times> bool) option \\<Rightarrow> nat" where "f (Some (n, True)) = n" | "f _ = 0"', 4),
        ('fun f :: "char \\<Rightarrow> nat" where "f (Char True a b c d e g h) = 0"', 1),
        ('primrec f :: "nat \\<Rightarrow> nat list \\<Rightarrow> nat" where "f a [] = a" | "f a (x # xs) = f x xs"', 2),
        ('function f :: "nat \\<Rightarrow> nat" where "f 0 = 0" | "f (Suc n) = f n" by pat_completeness auto\n'
         "termination by lexicographic_order", 3),
        ('lemma l: "(0 :: nat) < 1" using zero_less_one by (simp add: less_Suc_eq algebra_simps)', 1),
        ('definition "d = (0 :: nat)"\nlemma l: "d = 0" unfolding d_def by (rule refl)', 2),
        ('lemma l: assumes a: "A" shows "A \\<and> A"\nproof -\nhave b: A using a .\n{ assume c: B have A using b by simp }\n'
         "from a b show ?thesis by (rule conjI)\nqed", 1),
        ("class c = fixes c :: 'a\ninstance nat :: c ..\nlemma l: \"x = x\" by simp", 1),
        ('lemma l: "n = n" for n :: nat\nproof (induct n)\ncase 0 then show ?case by simp\nnext\n'
         "case (Suc n) from Suc show ?case by (rule refl)\nqed", 1),
    ],
)  # fmt: skip
def test_what_isabelle_accepts(text: str, count: int, engine: Engine) -> None:
    assert len(facts(read(text, engine))) == count


FILLED = {  # a false statement behind what would prove it, if it said something
    FUNCTIONS[7]: "(0 :: nat) = 1",
    f'primrec f :: {NAT} where "f 0 = 0" | "f 0 = 1"': "f 0 = 1",
    "datatype t = A | A": "(0 :: nat) = 1",
    "lemma no: False by (rule no_such_fact)": "(0 :: nat) = 1",
    'lemma [simp]: "(0 :: nat) = 1" by (rule no_such_fact)': "(0 :: nat) = 1",
    "locale l = assumes no: False\ninterpretation l by unfold_locales": "(0 :: nat) = 1",
}


def test_fill_proves_nothing_by_what_is_rejected(engine: Engine, tmp_path: Path) -> None:
    """The same through the command that fills gaps: reading, search and provers."""
    for place, (text, false) in enumerate(FILLED.items()):
        path = tmp_path / f"T{place}.thy"
        path.write_text(f'theory T{place} imports Main begin\n{text}\nlemma bad: "{false}"\n  sorry\nend\n')
        line = path.read_text().count("\n") - 1
        (gap,) = fill_theory(engine, path, [line], 1, 0.5).gaps
        assert (gap.proof, gap.crashed) == ("", False), text
