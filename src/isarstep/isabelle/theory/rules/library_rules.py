"""Rules of the library for `induct` and `cases`: facts of it, and the names that it gives to their cases."""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import Term, erase, schematics
from isarstep.isabelle.theory.environment.file_environment import OwnContext
from isarstep.isabelle.theory.rules.rule_cases import CasesRule, InductionRule, rule_of_proposition, without_binders

# How many premises say what an induction is about, and the names of its cases.
_INDUCTIONS = """
less_induct 0 less
wf_induct_rule 1 less
wfp_induct_rule 1 less
measure_induct_rule 0 less
finite_induct 1 empty insert
infinite_finite_induct 0 infinite empty insert
finite_psubset_induct 1 psubset
finite_subset_induct 2 empty insert
finite_ne_induct 2 singleton insert
rev_induct 0 Nil snoc
rev_nonempty_induct 1 single snoc
list_induct2 1 Nil Cons
list_induct3 2 Nil Cons
list_nonempty_induct 1 single cons
length_induct 0 1
dec_induct 1 base step
inc_induct 1 base step
strict_inc_induct 1 base step
less_Suc_induct 1 1 2
nat_less_induct 0 1
nat_induct_at_least 1 base Suc
nat_induct_non_zero 1 1 Suc
int_ge_induct 1 base step
int_le_induct 1 base step
rtranclp_induct 1 base step
converse_rtranclp_induct 1 base step
rtrancl_induct 1 base step
converse_rtrancl_induct 1 base step
tranclp_induct 1 base step
converse_tranclp_induct 1 base step
trancl_induct 1 base step
converse_trancl_induct 1 base step
linorder_wlog 0 le sym
"""
_DISTINCTIONS = """
linorder_cases less equal greater
le_cases le ge
linorder_le_cases le ge
int_cases nonneg neg
int_cases2 nonneg nonpos
rev_cases Nil snoc
"""
MEASURE = "<V0>"  # the variable of `measure_induct_rule` that Isabelle calls f


def _named(table: str) -> dict[str, list[str]]:
    return {name: words for name, *words in map(str.split, table.strip().splitlines())}


_CASES_OF_INDUCTIONS, _CASES_OF_DISTINCTIONS = _named(_INDUCTIONS), _named(_DISTINCTIONS)


def _stated(name: str, context: OwnContext) -> Term | None:
    found = context.theory_context.library_facts(name)
    return found[0][1] if len(found) == 1 else None


def library_rule(name: str, context: OwnContext) -> InductionRule | None:
    """A rule of induction by its name."""
    words = _CASES_OF_INDUCTIONS.get(name.rpartition(".")[2])
    prop = _stated(name, context) if words is not None else None
    return None if words is None or prop is None else rule_of_proposition(prop, words[1:], int(words[0]))


def library_choice(name: str, context: OwnContext) -> CasesRule:
    """A rule of `cases` by its name. Raises KeyError where there is none."""
    names = _CASES_OF_DISTINCTIONS[name.rpartition(".")[2]]
    prop = _stated(name, context)
    if prop is None:
        raise KeyError(name)
    premises, conclusion = hol.strip_pure_imp(prop)
    cases: dict[str, tuple[Sequence[str], Sequence[Term]]] = {}
    for case, premise in zip(names, premises, strict=True):
        variables, body = without_binders(premise)
        cases[case] = variables, hol.strip_pure_imp(erase(body))[0]
    return CasesRule(tuple(v for v in schematics(prop) if v != hol.dest_trueprop(conclusion)), cases)
