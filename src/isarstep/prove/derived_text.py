"""A derivation as Isar: by contradiction, with every step from those before it by a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from isarstep.logic.terms import Free, Term
from isarstep.prove.method_text import written_names
from isarstep.prove.verdict import Derived, DerivedStep

# What unfolds the words that encodings unfold; `blast` and `auto` know those of sets.
_UNFOLD = "set_eq_iff inj_on_def Pow_def psubset_eq Ex1_def Let_def split_beta le_fun_def"
_METHODS = {
    "unfold": f"(blast | (auto; fail) | (auto simp add: {_UNFOLD}; fail) | fastforce | metis)",
    "obtain": f"(blast | metis | (auto; fail) | (auto simp add: {_UNFOLD}; fail) | fastforce)",
}


def derived_lines(
    derived: Derived,
    prefix: str,
    using: str,
    known_as: Mapping[str, str],
    text_of: Callable[[Term], str],
    variable_of: Callable[[Free], str],
) -> list[str] | None:
    """Of a proof of what is to be shown; None where a fact has no name. `using` are all premises, for those without a
    name of their own."""

    def justified(step: DerivedStep) -> str | None:
        names = written_names(step.facts)
        if names is None:
            return None
        own = [known_as[name] for name in step.premises if name in known_as]
        given = own if len(own) == len(step.premises) else using.split()
        given += [f"{prefix}{number}" for number in step.steps]
        method = _METHODS.get(step.kind, f"(metis {' '.join(names)})" if names else "metis")
        given = given if step.kind == "metis" else [*names, *given]
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

