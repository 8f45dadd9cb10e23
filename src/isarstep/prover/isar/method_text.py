"""A proof method as Isar writes it, from what a prover used: a suggestion, which Isabelle has not seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from isarstep.isabelle.terms.hol import dest_trueprop
from isarstep.isabelle.terms.terms import Free, Term, constants
from isarstep.prover.atp.problems import DEFINITION
from isarstep.prover.outcomes.verdict import Proved

# Of a fact: Num.num_double, rules(29), l.\<Q>_f; of a session, with which the library may begin it: Word-Lib.T.f.
_NAME = re.compile(r"[A-Za-z](?:[\w.']|-(?=[\w-]*\.)|\\<\^?\w+>)*(\(\d+\))?")
_CONDITIONS = re.compile(r"\[OF ([^]]*)\]")
_ARITHMETIC = frozenset(
    {
        "Groups.plus_class.plus", "Groups.minus_class.minus", "Groups.uminus_class.uminus", "Groups.times_class.times",
        "Groups.zero_class.zero", "Groups.one_class.one", "Num.numeral_class.numeral", "Num.num.Bit0", "Num.num.Bit1",
        "Num.num.One", "Orderings.ord_class.less", "Orderings.ord_class.less_eq", "HOL.eq", "HOL.Trueprop", "HOL.Not",
        "HOL.conj", "HOL.disj", "HOL.implies", "HOL.not_equal", "Pure.imp", "Nat.Suc",
    }
)  # fmt: skip
# Facts that the library hides, under names that they still have.
_ACCESSIBLE = {
    "Groups.semigroup_add_class.add_assoc": "add.assoc",
    "Groups.ab_semigroup_add_class.add_commute": "add.commute",
    "Groups.semigroup_mult_class.mult_assoc": "mult.assoc",
    "Groups.ab_semigroup_mult_class.mult_commute": "mult.commute",
}
# What declared simp rules say the other way round: with both, simp does not end. Its arithmetic knows them anyway.
_REVERSED = ("Nat.Suc_eq_plus1", "Nat.Suc_eq_plus1_left")
# What closes what rewriting leaves, where no prover was asked.
_LAST = {"simp, algebra": "algebra", "simp, residues": "presburger", "simp, eval": "eval"}
_LINEAR_ORDERS = ("linorder_neq_iff", "linorder_not_less")
_SETS = ("Set", "Set_Interval", "Groups_Big", "Finite_Set", "Lattices_Big", "List")
_DIVISIBILITY = frozenset(
    {
        "Rings.divide_class.divide",
        "Rings.modulo_class.modulo",
        "Rings.dvd_class.dvd",
        "Parity.semiring_parity_class.even",
    }
)


def suggested_method(
    proof: Proved,
    goal: Term,
    local: Sequence[tuple[str, bool]],
    own: Mapping[str, bool],
    called: Callable[[str], str | None],
    goals: int = 1,
) -> str | None:
    """`using a by (simp add: b)`; None where something that was used has no name.

    `local` are the facts `F.2(1)`, `F.2(2)`, ... with whether they are given to the method anyway; `own` the facts of
    the theory, with whether they are simp rules; `called` says how a fact is written there; `goals` that are shown
    together are `goal`."""
    proof = replace(proof, method=with_named_conditions(proof.method, lambda name: _local_name(name, local)))
    used = _written_facts(proof, local, own, called)
    if used is None or (proof.steps and proof.by != "algebra"):  # one method alone does not do it
        return None
    before = f"using {' '.join(dict.fromkeys(used.using))} " if used.using else ""
    if proof.cases and " rule: " in proof.method and used.local != used.using:
        if not all(used.local):
            return None
        # The rule takes the facts that it is about first: what is chained would stand before them.
        before, facts = "", " ".join(dict.fromkeys(used.local))
        method = _of_cases(replace(proof, method=f"use {facts} in \\<open>{proof.method}\\<close>"), used.named)
    elif proof.cases:
        method = _of_cases(proof, used.named)
    else:
        method = "auto" if used.automatic else _method(proof, goal, used.named)
        if method.startswith("((simp add: algebra_simps"):  # what is linear needs none of it, and `linarith` is quick
            method = f"(linarith | {method.removeprefix('(')}"
        method = _with_others(method, used.named, [*used.named, *used.rules])
    if goals > 1:  # most methods are about one goal
        method = {"simp": "simp_all", "auto": "auto"}.get(method, f"{method}+")
    return f"{before}by {method}"


def _local_name(fact: str, local: Sequence[tuple[str, bool]]) -> str | None:
    """What a given fact is called; None for one without a name."""
    place = int(fact[4:-1]) if fact.startswith("F.2(") else 0
    return local[place - 1][0] or None if 0 < place <= len(local) else None


class _WrittenFacts(NamedTuple):
    """All that a proof used, as Isar names it."""

    local: list[str]
    using: list[str]  # of the local ones those that are not given to the method anyway
    named: list[str]
    rules: list[str]  # simp rules, for a proof by rewriting
    automatic: bool  # did a prover use simp rules without a name?


def _written_facts(
    proof: Proved, local: Sequence[tuple[str, bool]], own: Mapping[str, bool], called: Callable[[str], str | None]
) -> _WrittenFacts | None:
    """None where something has no name."""
    parts = proof.cases or (proof,)
    if any("?" in part.facts or part.cases for part in proof.cases) or "?" in proof.facts:
        return None
    by_rules = all(part.by.startswith("simp") for part in parts)
    declared = {name for part in parts for name in part.declared}
    found = _WrittenFacts([], [], [], [], False)
    # What an induction is about goes into it with all that is given about it.
    given_first = [name for name in proof.facts if name.startswith("F.2(")]
    for fact in dict.fromkeys((*given_first, *(name for part in parts for name in part.facts))):
        if fact.startswith((DEFINITION, "case(", "goal(")):
            continue
        if fact.startswith("F.2("):
            text, given = local[int(fact[4:-1]) - 1]
            if not text and not given:
                return None
            found.local.append(text)
            found.using.extend([] if given else [text])
            continue
        name, rule = called(fact), own.get(fact, False) or fact in declared
        if name is not None:
            (found.rules if rule and by_rules else found.named).append(_ACCESSIBLE.get(fact, name))
        elif not rule:
            return None
        elif not by_rules:
            found = found._replace(automatic=True)
    return found


def _with_others(method: str, named: list[str], every: list[str]) -> str:
    """Others behind a method that says how a prover found it, not how Isabelle does: rewriting may leave a goal there,
    and `metis` knows no arithmetic. Those that unfold definitions come first. What rewriting did with declared simp
    rules alone needs none."""
    listed, rules = " ".join(named), " ".join(name for name in named if name not in _REVERSED)
    rewriting = f"(auto simp add: {rules}; fail)" if rules else "(auto; fail)"
    with_all = f"metis {' '.join(every)}".strip()
    if method.startswith("(metis "):
        if any(name.endswith("_def") for name in named):
            return f"({rewriting} | metis {listed} | fastforce simp add: {listed})"
        return f"(metis {listed} | (simp add: {listed}; fail) | (auto intro: {listed}; fail) | {rewriting})"
    if method.startswith(("(auto", "auto")):
        if not named:
            return f"({rewriting} | fastforce | {with_all})"
        return f"({rewriting} | fastforce simp add: {listed} | {with_all})"
    if method == "linarith":
        return "(linarith | (auto; fail) | metis)"
    if method == "presburger":  # it may take minutes
        return "((auto; fail) | presburger | metis)"
    if named and method == f"(simp add: {listed})":
        return f"((simp add: {listed}; fail) | {rewriting} | {with_all})"
    return method


def _with_few_rules(
    listed: list[str],
    others: Mapping[str, bool],
    never: Sequence[str],
    to_eliminate: bool,
    with_orders: list[str],
    *,
    endless: bool,
) -> str:
    """With a fact that is no rewrite rule simp may not end: it gets the rules alone, and later all but those that are
    `never` rules. `others` say whether they eliminate: with such introduction rules `auto` runs on, and `blast` takes
    them well. `metis` and `fastforce` may not end, and come after `auto` and simp, which mostly do: `metis` comes
    after `fastforce` where a premise is to eliminate, and gets goals with definitions unfolded first, but after `auto`
    where cvc5 may have used arithmetic. `blast` knows the sets that encodings unfold. `endless`: `auto` may not end
    with these introduction rules, and the others come first."""
    rules = [name for name in listed if name not in others and name not in _REVERSED]
    unfolded = [name for name in rules if name.endswith("_def")]
    adding = f" simp add: {' '.join(rules)}" if rules else ""
    named, metis = " ".join(others), f"metis {' '.join(listed)}"
    introduced = " ".join(name for name, eliminated in others.items() if not eliminated)
    eliminating = " ".join(name for name, eliminated in others.items() if eliminated)
    as_rules = f"intro: {introduced}" * bool(introduced) + f" elim: {eliminating}" * bool(eliminating)
    searching = [f"(auto {as_rules.strip()}{adding}; fail)"]
    if eliminating and not adding:
        searching.append(f"blast {as_rules.strip()}")
    inserted = f"(insert {named}, (auto{adding}; fail))"
    every = " ".join(name for name in listed if name not in never)
    simp = [f"(simp add: {every}; fail)", f"(auto simp add: {every}; fail)"] if every else []
    fastforce = f"(insert {' '.join(listed)}, (fastforce; fail))"
    if to_eliminate:
        tries = [*searching, inserted, fastforce, metis, *simp, *with_orders]
    elif unfolded:
        rest = " ".join(name for name in listed if name not in unfolded)
        unfold = f"unfold {' '.join(unfolded)}"
        by_rule = [f"({unfold}, rule {named}, (auto{adding}; fail))"] if len(others) == 1 else []
        first = [inserted, f"({unfold}, metis {rest})"]
        if not with_orders:
            first, simp = [*reversed(first)], [*simp, f"(insert {rest}, {unfold}, blast)"]
        tries = [*searching, *by_rule, *first, metis, *simp, fastforce, *with_orders]
    else:
        quick = [] if eliminating else [inserted, *simp]
        first = [metis, *searching] if endless else [*searching, metis]
        tries = [*quick, *first, *([inserted, *simp] if eliminating else []), *with_orders, fastforce]
    return f"({' | '.join(tries)})"


def with_named_conditions(method: str, label: Callable[[str], str | None]) -> str:
    """The conditions of definitions that a method unfolds, `d_def[OF F.2(1)]`, under the names that they have where it
    is printed; without them where one has none."""

    def named(found: re.Match[str]) -> str:
        labels = [label(name) for name in found[1].split()]
        return f"[OF {' '.join(filter(None, labels))}]" if all(labels) else ""

    return _CONDITIONS.sub(named, method)


def _of_cases(proof: Proved, named: list[str]) -> str:
    """`(induct n) simp_all`: one method for all cases, because each was proved alone."""
    named = [name for name in named if name not in _REVERSED]
    if any("algebra" in part.by for part in proof.cases):
        named = list(dict.fromkeys((*named, "algebra_simps", "power2_eq_square")))
    listed = " ".join(named)
    if all(part.by == "simp" for part in proof.cases):
        return f"({proof.method}) " + (f"(simp_all add: {listed})" if named else "simp_all")
    return f"({proof.method}) " + (f"(auto simp add: {listed})" if named else "auto")


def method_with_all_given(
    proof: Proved,
    goal: Term,
    rewrites: Callable[[str], bool] = lambda fact: True,
    eliminates: Callable[[str], bool] = lambda fact: False,
    leaves_open: Callable[[str], bool] = lambda fact: False,
) -> str | None:
    """`by (metis f g)` behind `using` with every fact at hand; None where something that was used has no name.
    `rewrites` and `eliminates` say of a fact whether that is what it is for, `leaves_open` whether its premises speak
    of what it does not conclude."""
    named: dict[str, str] = {}
    for fact in library_facts(proof):
        if not _NAME.fullmatch(fact):
            return None
        named[fact] = _ACCESSIBLE.get(fact, fact)
    # Rewriting with declared simp rules needs no names; `metis` does.
    rules = proof.declared if proof.by.startswith("simp") else ()
    listed = [name for fact, name in named.items() if fact not in rules]
    no_rules = [fact for fact in named if fact not in rules and (fact in proof.reversed or not rewrites(fact))]
    if not proof.method and no_rules:
        # From `n = Suc m ⟹ thesis`, as `obtains` states it, `metis` gets what it does not end with.
        to_eliminate = isinstance(dest_trueprop(goal), Free)
        others, orders = {named[fact]: eliminates(fact) for fact in no_rules}, _with_orders(proof, listed)
        endless = any(leaves_open(fact) for fact in no_rules if not others[named[fact]])
        return f"by {_with_few_rules(listed, others, proof.reversed, to_eliminate, orders, endless=endless)}"
    method = _method(proof, goal, listed)
    method = method if proof.method else _with_others(method, listed, list(named.values()))
    if method.startswith("(metis "):  # which does not end where a conditional equation has to be used once
        tries = method[1:-1].split(" | ")
        method = f"({' | '.join(sorted(tries, key=lambda each: 'simp add:' not in each))})"
    if not proof.method and method.endswith(")") and " | " in method:
        method = " | ".join([method[:-1], *_with_orders(proof, listed)]) + ")"
    return f"by {method}"


def library_facts(proof: Proved) -> list[str]:
    """The names of what it used beside what is given."""
    return [name for name in proof.facts if name != "P" and not name.startswith(("F.", "case(", "goal(", DEFINITION))]


def written_names(facts: Iterable[str]) -> list[str] | None:
    """How facts of the library are called; None where one has no name."""
    found = [*facts]
    return [_ACCESSIBLE.get(fact, fact) for fact in found] if all(map(_NAME.fullmatch, found)) else None


def _with_orders(proof: Proved, listed: Sequence[str]) -> list[str]:
    """cvc5 knows by itself that numbers have a linear order, and does not say where it used that: `metis` with facts
    that say so."""
    return [f"metis {' '.join((*listed, *_LINEAR_ORDERS))}"] if "cvc5" in proof.by and listed else []


def _method(proof: Proved, goal: Term, named: list[str]) -> str:
    names = {constant.name for constant in constants(goal)}
    listed = " ".join(named)
    if proof.by == "eval" and not proof.method:
        return "eval" if any(name.partition(".")[0] in _SETS for name in names) else "((simp; fail) | eval)"
    if proof.by == "algebra" and not proof.method:
        return "(algebra | linarith | (simp; fail) | (simp add: field_simps power2_eq_square))"
    if proof.method and not named:
        return proof.method
    if proof.by in _LAST:
        with_rules, of_rings = f"simp add: {listed}" if named else "simp", f"{listed} algebra_simps power2_eq_square"
        tries = [f"(simp add: {of_rings.strip()}; fail)", f"(auto simp add: {of_rings.strip()}; fail)"]
        return f"({' | '.join([*tries, f'({with_rules}, {_LAST[proof.by]})'])})"
    if proof.by == "simp":
        return f"(simp add: {listed})" if named else "simp"
    if proof.by.startswith("simp"):
        return f"(auto simp add: {listed})" if named else "auto"
    if named and all(name.endswith("_def") for name in named):
        return f"(simp add: {listed})"
    if named:
        return f"(metis {listed})"
    if names & _DIVISIBILITY:
        return "presburger"
    return "linarith" if names & _ARITHMETIC - {"HOL.eq"} and names <= _ARITHMETIC else "auto"
