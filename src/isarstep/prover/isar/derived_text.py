"""A derivation as Isar: by contradiction, with every step from those before it by a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from isarstep.isabelle.terms.terms import Free, Term
from isarstep.prover.isar.method_text import written_names
from isarstep.prover.outcomes.verdict import Derived, DerivedStep

# What unfolds the words that encodings unfold, beside what `blast` and `auto` know of sets.
_UNFOLDING = {
    "Fun.inj_on": "inj_on_def",
    "HOL.Ex1": "Ex1_def",
    "HOL.Let": "Let_def",
    "HOL.eq": "set_eq_iff fun_eq_iff",
    "Product_Type.prod.case_prod": "split_beta",
    "Orderings.ord_class.less_eq": "le_fun_def",
    "Orderings.ord_class.less": "less_le_not_le le_fun_def",
    "Lattices.inf_class.inf": "inf_fun_def",
    "Lattices.sup_class.sup": "sup_fun_def",
}


def derived_lines(
    derived: Derived,
    prefix: str,
    using: str,
    known_as: Mapping[str, str],
    text_of: Callable[[Term], str],
    variable_of: Callable[[Free], str],
    rewrites: Callable[[str], bool],
) -> list[str] | None:
    """Of a proof of what is to be shown; None where a fact has no name. `using` are all premises, for those without a
    name of their own; `rewrites` says of a fact of the library whether it is a rewrite rule."""

    def justified(step: DerivedStep) -> str | None:
        names = written_names(step.facts)
        if names is None:
            return None
        own = [known_as[name] for name in step.premises if name in known_as]
        given = own if len(own) == len(step.premises) else using.split()
        given += [f"{prefix}{number}" for number in step.steps]
        if step.kind == "metis":
            method = f"(metis {' '.join(names)})" if names else "metis"
        else:
            method = _in_other_words(step, names, all(map(rewrites, step.facts)))
        before = f"using {' '.join(given)} " if given else ""
        return f"{before}by {method}"

    lines = ["proof (rule ccontr)", f'  assume {prefix}0: "¬ ?thesis"']
    for number, step in enumerate(derived.steps[1:], 1):
        reason = justified(step)
        if reason is None:
            return None
        stated = f"obtain {' and '.join(map(variable_of, step.obtained))} where" if step.obtained else "have"
        lines += [f'  {stated} {prefix}{number}: "{text_of(step.formula)}"', f"    {reason}"]
    reason = justified(derived.last)
    return None if reason is None else [*lines, "  show False", f"    {reason}", "qed"]


def _in_other_words(step: DerivedStep, names: Sequence[str], rewriting: bool) -> str:
    """Rules of the library hold for all values: inserted, `blast` takes them for some values alone and `auto` for
    none."""
    rules = " ".join(names)
    unfolding = " ".join(_UNFOLDING[word] for word in sorted(step.words & _UNFOLDING.keys()))
    if step.obtained and rules:
        tries = [f"metis {rules}", f"(insert {rules}, blast)"]
    elif not rules:
        adding = f" simp add: {unfolding}" if unfolding else ""
        tries = ["blast", f"(auto{adding}; fail)", "metis", "fastforce"]
        if not step.premises and not step.steps:  # what defines a symbol
            tries = ["(auto intro: someI the_equality; fail)", *tries]
    elif rewriting:
        every = f"{rules} {unfolding}".strip()
        tries = [f"(auto simp add: {every}; fail)", f"metis {rules}", f"(unfold {rules}, blast)"]
        tries += [f"(insert {rules}, blast)", f"fastforce simp add: {every}"]
    else:
        adding = f" simp add: {unfolding}" if unfolding else ""
        tries = [f"metis {rules}", f"(auto intro: {rules}{adding}; fail)", f"(insert {rules}, blast)"]
        tries += [f"(insert {rules}, (auto{adding}; fail))", f"(insert {rules}, fastforce{adding})"]
    return f"({' | '.join(tries)})"
