"""Rules of the library for `induct` and `cases`, by name: what they are about and what their cases are."""

from __future__ import annotations

from functools import cache

from isarstep.logic.annotations import without_marks
from isarstep.logic.infer import PROP
from isarstep.logic.terms import Free, Term, Typ, Type, Var, erase, substitute
from isarstep.logic.variables import as_schematic
from isarstep.theory.declarations import open_type
from isarstep.theory.outer import SourceToken
from isarstep.theory.rule_cases import SHOWN, InductionRule, RuleCase
from isarstep.theory.statements import Scope, readings_of_pattern

# A rule: its name, what it is about, the variables of what it shows, those of the rule alone. Below it its cases:
# name and variables, premises, and what P is shown of.
_LIBRARY = r"""
less_induct | | x |
  less x | \<And>y. y < x \<Longrightarrow> P y | x
wf_induct_rule | wf r | a | r
  less x | \<And>y. (y, x) \<in> r \<Longrightarrow> P y | x
finite_induct | finite F | F |
  empty | | {}
  insert x F | finite F; x \<notin> F; P F | insert x F
infinite_finite_induct | | A |
  infinite A | \<not> finite A | A
  empty | | {}
  insert x F | finite F; x \<notin> F; P F | insert x F
rev_induct | | xs |
  Nil | | []
  snoc x xs | P xs | xs @ [x]
rev_cases | | xs |
  Nil | | []
  snoc ys y | | ys @ [y]
list_induct2 | length xs = length ys | xs ys |
  Nil | | [], []
  Cons x xs y ys | length xs = length ys; P xs ys | x # xs, y # ys
list_nonempty_induct | xs \<noteq> [] | xs |
  single x | | [x]
  cons x xs | xs \<noteq> []; P xs | x # xs
dec_induct | i \<le> j | j | i j
  base | | i
  step n | i \<le> n; n < j; P n | Suc n
inc_induct | i \<le> j | i | i j
  base | | j
  step n | i \<le> n; n < j; P (Suc n) | n
nat_induct_at_least | m \<le> n | n | m
  base | | m
  Suc n | m \<le> n; P n | Suc n
rtranclp_induct | r\<^sup>*\<^sup>* a b | b | r a
  base | | a
  step y z | r\<^sup>*\<^sup>* a y; r y z; P y | z
converse_rtranclp_induct | r\<^sup>*\<^sup>* a b | a | r b
  base | | b
  step y z | r y z; r\<^sup>*\<^sup>* z b; P z | y
rtrancl_induct | (a, b) \<in> r\<^sup>* | b | r a
  base | | a
  step y z | (a, y) \<in> r\<^sup>*; (y, z) \<in> r; P y | z
converse_rtrancl_induct | (a, b) \<in> r\<^sup>* | a | r b
  base | | b
  step y z | (y, z) \<in> r; (z, b) \<in> r\<^sup>*; P z | y
tranclp_induct | r\<^sup>+\<^sup>+ a b | b | r a
  base y | r a y | y
  step y z | r\<^sup>+\<^sup>+ a y; r y z; P y | z
trancl_induct | (a, b) \<in> r\<^sup>+ | b | r a
  base y | (a, y) \<in> r | y
  step y z | (a, y) \<in> r\<^sup>+; (y, z) \<in> r; P y | z
converse_tranclp_induct | r\<^sup>+\<^sup>+ a b | a | r b
  base y | r y b | y
  step y z | r y z; r\<^sup>+\<^sup>+ z b; P z | y
converse_trancl_induct | (a, b) \<in> r\<^sup>+ | a | r b
  base y | (y, b) \<in> r | y
  step y z | (y, z) \<in> r; (z, b) \<in> r\<^sup>+; P z | y
wfp_induct_rule | wfp r | a | r
  less x | \<And>y. r y x \<Longrightarrow> P y | x
measure_induct_rule | | a | f
  less x | \<And>y. f y < f x \<Longrightarrow> P y | x
finite_psubset_induct | finite A | A |
  psubset A | finite A; \<And>B. B \<subset> A \<Longrightarrow> P B | A
finite_subset_induct | finite F; F \<subseteq> A | F | A
  empty | | {}
  insert a F | finite F; a \<in> A; a \<notin> F; P F | insert a F
finite_ne_induct | finite F; F \<noteq> {} | F |
  singleton x | | {x}
  insert x F | finite F; F \<noteq> {}; x \<notin> F; P F | insert x F
rev_nonempty_induct | xs \<noteq> [] | xs |
  single x | | [x]
  snoc x xs | xs \<noteq> []; P xs | xs @ [x]
list_induct3 | length xs = length ys; length ys = length zs | xs ys zs |
  Nil | | [], [], []
  Cons x xs y ys z zs | length xs = length ys; length ys = length zs; P xs ys zs | x # xs, y # ys, z # zs
nat_induct_non_zero | 0 < n | n |
  1 | | 1
  Suc n | 0 < n; P n | Suc n
strict_inc_induct | i < j | i | j
  base i | j = Suc i | i
  step i | Suc i < j; P (Suc i) | i
less_Suc_induct | i < j | i j |
  1 i | | i, Suc i
  2 i j k | i < j; j < k; P i j; P j k | i, k
int_ge_induct | k \<le> i | i | k
  base | | k
  step i | k \<le> i; P i | i + 1
int_le_induct | i \<le> k | i | k
  base | | k
  step i | i \<le> k; P i | i - 1
length_induct | | xs |
  1 xs | \<forall>ys. length ys < length xs \<longrightarrow> P ys | xs
nat_less_induct | | n |
  1 n | \<forall>m. m < n \<longrightarrow> P m | n
linorder_wlog | | a b |
  le a b | a \<le> b | a, b
  sym a b | P b a | a, b
"""
# Those that hold for one type, and those that hold for the types of a class.
_TYPES = {
    "int_ge_induct": Type("Int.int"), "int_le_induct": Type("Int.int"), "nat_induct_non_zero": Type("Nat.nat"),
    "less_Suc_induct": Type("Nat.nat"), "strict_inc_induct": Type("Nat.nat"),
    "nat_less_induct": Type("Nat.nat"), "dec_induct": Type("Nat.nat"),
    "inc_induct": Type("Nat.nat"), "nat_induct_at_least": Type("Nat.nat"),
}  # fmt: skip
_CLASSES = {"less_induct": "wellorder", "linorder_wlog": "linorder"}


@cache
def _rules(table: str) -> dict[str, tuple[list[str], list[list[str]]]]:
    """The columns of every rule of a table, and those of its cases."""
    rules: dict[str, tuple[list[str], list[list[str]]]] = {}
    cases: list[list[str]] = []
    for line in table.strip().splitlines():
        columns = [column.strip() for column in line.split("|")]
        if line.startswith(" "):
            cases.append(columns)
        else:
            cases = []
            rules[columns[0]] = columns[1:], cases
    return rules


def _texts(column: str, separator: str = ";") -> list[str]:
    return [text.strip() for text in column.split(separator) if text.strip()]


def library_rule(name: str, scope: Scope) -> InductionRule | None:
    """A rule of the library by its name, read in the words of this place."""
    base = name.rpartition(".")[2]
    known = _rules(_LIBRARY).get(base)
    if known is None:
        return None
    (abouts, variables, others), cases = known
    inner = Scope(scope.source, scope.language, scope.unread)
    general = others.split()

    def read(text: str, names: str, wanted: Typ | None = PROP) -> Term:
        inner.fixed = {each: open_type(each) for each in ("P", *general, *names.split())}
        (term,) = readings_of_pattern(SourceToken("string", text, 0, 0, 0), inner, wanted)

        def named(leaf: Term) -> Term | None:
            if not isinstance(leaf, Free):
                return None
            return Free(SHOWN) if leaf.name == "P" else Var(leaf.name, 0) if leaf.name in general else None

        return substitute(erase(without_marks(term)), named)

    made = []
    for called, premises, shown in cases:
        case, _, names = called.partition(" ")
        asked = tuple(read(text, names) for text in _texts(premises))
        values = tuple(read(text, names, None) for text in _texts(shown, ","))
        made.append(RuleCase(case, tuple(names.split()), asked, values))
    majors = [
        substitute(read(about, variables), lambda leaf: Var(leaf.name, 0) if isinstance(leaf, Free) else None)
        for about in _texts(abouts)
    ]
    types = (_TYPES[base],) if base in _TYPES else ()
    return InductionRule(
        majors[0] if majors else None,
        tuple(variables.split()),
        tuple(made),
        types,
        tuple(majors[1:]),
        _CLASSES.get(base, ""),
    )


# A rule and the variables that are given; its cases: name and new variables, and what is said of both.
_CHOICES = r"""
linorder_cases | x y
  less | x < y
  equal | x = y
  greater | y < x
le_cases | x y
  le | x \<le> y
  ge | y \<le> x
linorder_le_cases | x y
  le | x \<le> y
  ge | y \<le> x
int_cases | z
  nonneg n | z = int n
  neg n | z = - int (Suc n)
int_cases2 | z
  nonneg n | z = int n
  nonpos n | z = - int n
"""


def library_choice(name: str, scope: Scope) -> tuple[tuple[str, ...], dict[str, tuple[tuple[str, ...], list[Term]]]]:
    """Of a rule of `cases` the variables that are given, and by case the new ones and what is said, with schematic
    variables in the place of those that are given. Raises KeyError where there is none."""
    (given,), cases = _rules(_CHOICES)[name.rpartition(".")[2]]
    inner = Scope(scope.source, scope.language, scope.unread)
    found = {}
    for called, said in cases:
        case, _, names = called.partition(" ")
        inner.fixed = {each: open_type(each) for each in (*given.split(), *names.split())}
        terms = []
        for text in _texts(said):
            (term,) = readings_of_pattern(SourceToken("string", text, 0, 0, 0), inner, PROP)
            terms.append(as_schematic(erase(without_marks(term)), given.split()))
        found[case] = (tuple(names.split()), terms)
    return tuple(given.split()), found
