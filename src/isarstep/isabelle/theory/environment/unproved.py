"""What rests on `sorry`: lemmas by their names, also those that are not read, and all that automation may have used.

Isabelle accepts a proof by something that is not proved; here it proves nothing. Names are compared by their last part:
`foo`, `local.foo`, `a.foo` of a locale and `i.foo` of an instance are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise

from isarstep.isabelle.theory.environment.file_environment import OwnContext
from isarstep.isabelle.theory.text.source import DECLARATIONS, STATEMENTS, UNREAD_GOALS, OuterCommand, SourceToken
from isarstep.isabelle.theory.text.unread_symbols import IN_CODE

_SORRY = ("sorry", "\\<proof>")
# Words of ML that make theorems without proofs.
_CHEATING = re.compile(r"Skip_Proof|cheat|\bmake_thm|add_axiom|add_oracle|\boracle|skip_proofs|skip_proof")
_NAME = re.compile(r"[^\W\d][\w'.]*")
_RENAMING = ("lemmas", "note")  # facts by other names
_NAMING = ("lemmas", "declare")  # facts, and nothing else
_INSTANCES = ("interpretation", "global_interpretation", "sublocale")
_BY_INSTANCES = ("unfold_locales", "intro_locales", "standard")  # methods that take what is known to be an instance
_USING = ("notes", "monos", "rewrites")  # facts behind it are used
_MAKING_METHODS = ("method_setup", "attribute_setup", "simproc_setup", "method", "parse_translation")
_IN_ML = ("tactic", "raw_tactic", "rotate_tactic", "ML_tactic")
_OPENING = ("have", "show", "hence", "thus", "obtain", "consider", "interpret", "subgoal")
_ENDING = ("by", "done", "sorry", ".", "..", "\\<proof>")
_CITING = frozenset("using unfolding from with by apply apply_end proof qed".split())
_WITH_FACTS = frozenset("rule intro elim erule drule frule metis meson smt insert subst unfold fold fact".split())
_MODIFIERS = frozenset("add only simp intro elim dest split rule cong unfold".split())
# What names of facts end with that commands make beside what they name.
_MADE = frozenset("def axioms inverse inject cases induct intro intros simps raw transfer code idem finite iff".split())
# Facts that have no names of their own, and collections of facts of Isabelle/HOL.
_NAMELESS = frozenset("_ - this that assms prems calculation and IH hyps TrueI method_facts".split())
COLLECTIONS = frozenset(
    """ac_simps algebra algebra_simps algebra_split_simps arith arith_simps asymp_equiv_intros asymp_equiv_simps
    bilinear_simps bit_simps bounded_linear_intros cancelation_simproc_eq_elim code_abbrev code_post code_pred_def
    code_unfold cont2cont cont_intro continuous_intros derivative_eq_intros derivative_intros divide_const_simps
    divide_simps effect_intros eval execute_simps field_split_simps field_simps fps_expansion_intros
    friend_of_corec_simps landau_divide_simps landau_simps laurent_expansion_intros lipschitz_intros list_arith
    measurable measure_function meromorphic_intros metric_nnf metric_pre_arith metric_prenex metric_unfold mod_simps
    mono_intros nitpick_simp nitpick_unfold no_atp order_continuous_intros partial_function_mono quot_equiv
    quot_preserve quot_respect quot_thm quotient_def real_asymp_preproc rel_simps relator_distr relator_domain
    relator_eq relator_eq_onp relator_mono set_intros sign_simps simps singularity_intros success_intros
    tendsto_eq_intros tendsto_intros termination_simp transfer_rule typedef_intros uniform_limit_intros
    vector_add_divide_simps zmod_simps trans sym""".split()
)


def rests_on_sorry(context: OwnContext, command: OuterCommand, proof: Sequence[OuterCommand]) -> bool:
    """Is something in the proof of a command, or something that is named there, not proved?"""
    if context.hidden_by_sorry or any(each.name in _SORRY for each in proof):
        return True
    if _is_proved(command) and not is_finished(proof):
        return True
    known = names_inside((command, *proof)) - {label_of(command)}
    if any(token.keyword("in") for token in command.tokens[:2]):
        known |= context.named_in_locales
    if any(runs_code(each) or names_nothing(context, each, known) for each in proof):
        return True
    if context.unproved_instances and context.locale_attributes:
        return True  # rules of the locale are those of automation
    names = set(_names((command, *proof) if _names_facts(command) else proof))
    if command.name in STATEMENTS and context.unproved_instances and not names.isdisjoint(_BY_INSTANCES):
        return True
    return any(each.rpartition(".")[2] in context.unproved for each in names) or _instance_named(context, names)


def _instance_named(context: OwnContext, names: set[str]) -> bool:
    """Is one of them a fact of an instance that rests on `sorry`?"""
    if not context.unproved_instances:
        return False
    ends = tuple(f".{name.removeprefix('local.')}" for name in names)
    tables = [context.facts, *([context.target.facts] if context.target is not None else [])]
    return any(
        f".{full}".endswith(ends) and any(fact.unproved for fact in facts)
        for table in tables
        for full, facts in table.items()
    )


def note_unproved(context: OwnContext, command: OuterCommand, proof: Sequence[OuterCommand]) -> None:
    """Keep what a command leaves behind that rests on `sorry`."""
    attributes = any(token.keyword("[") for token in command.tokens)
    if attributes and (context.target is not None or any(token.keyword("in", "=") for token in command.tokens)):
        context.locale_attributes = True
    if command.name == "default_sort":  # of type variables that are written without one: facts would say too much
        context.hidden_by_sorry = True
    cheating = command.name in (*IN_CODE, *_MAKING_METHODS) and any(_CHEATING.search(t.text) for t in command.tokens)
    if command.name == "oracle" or cheating:
        context.hidden_by_sorry = True
    if command.name == "notepad" or any(each.name == "oops" for each in proof):
        return
    unproved = rests_on_sorry(context, command, proof) or (
        command.name == "lemmas" and names_nothing(context, command, frozenset())
    )
    in_locale = context.target is not None or command.name in ("locale", "context")
    (context.named_in_locales if in_locale else context.named).update(names_inside((command,)))
    context.has_instances |= command.name in (*_INSTANCES, "experiment", "bundle")
    if not unproved:
        return
    if command.name in STATEMENTS:
        pairs = pairwise(command.tokens)
        labels = [t.text for t, sign in pairs if sign.keyword(":", "[") and t.kind in ("name", "string")]
        context.unproved |= {each.rpartition(".")[2] for each in labels}
    elif command.name == "lemmas":
        context.unproved |= {each.rpartition(".")[2] for each in _names((command,))}
    if command.name in _INSTANCES:
        context.unproved_instances = True
    elif command.name not in (*STATEMENTS, "lemmas") or attributes:
        context.hidden_by_sorry = True


def _is_proved(command: OuterCommand) -> bool:
    """Is it a statement that a proof has to follow? Of some others only Isabelle knows."""
    return command.name in (*STATEMENTS, *_INSTANCES, "typedef", "function", "termination")


def is_finished(proof: Sequence[OuterCommand]) -> bool:
    """Is this, by its keywords, the whole proof of one goal?"""
    stack = ["goal"]
    shown = [False]  # by the innermost `proof -`, which solves nothing itself
    for command in proof:
        name = command.name
        if not stack:
            return False
        if name in _ENDING or name == "qed":
            if name == "qed" and (stack.pop() != "proof" or not shown.pop()):
                return False
            if stack.pop() != "goal" or (name == "by" and not command.tokens):
                return False
        elif name == "proof":
            if stack[-1] != "goal":
                return False
            stack.append("proof")
            shown.append([token.text for token in command.tokens] != ["-"])
        elif name == "{":
            stack.append("{")
        elif name == "}":
            if stack.pop() != "{":
                return False
        elif name in _OPENING:
            if (stack[-1] == "goal") != (name == "subgoal"):
                return False
            shown[-1] = shown[-1] or name in ("show", "thus")
            stack.append("goal")
    return not stack


def is_immediate(proof: Sequence[OuterCommand]) -> bool:
    """Is it a proof by what is known already, which shows no assumption of a locale or class?"""
    names = [each.name for each in proof]
    words = {token.text for each in proof for token in each.tokens if not token.keyword("(", ")", "-")}
    return names in ([".."], ["."], ["by"], ["proof", "qed"]) and words <= {*_BY_INSTANCES, "intro_classes"}


def runs_code(command: OuterCommand) -> bool:
    """Is a method of a proof written in ML, which may prove anything?"""
    if command.name not in ("by", "apply", "proof", "qed", "apply_end"):
        return False
    return any(token.text in _IN_ML or _CHEATING.search(token.text) for token in command.tokens)


def names_inside(commands: Iterable[OuterCommand]) -> frozenset[str]:
    """Whatever may get a name in these commands."""
    found: set[str] = set()
    for each in commands:
        if each.name not in _CITING:
            used = {*facts_named(each)} if each.name in _RENAMING else ()
            found.update(t.text for t in each.tokens if _NAME.fullmatch(t.text) and t.text not in used)
    return frozenset(found)


def names_nothing(context: OwnContext, command: OuterCommand, known: Set[str]) -> bool:
    """Does it use a fact that there is not? What has a name of several parts may be made by any command."""
    in_locale = context.in_locale or context.has_instances

    def is_known(name: str) -> bool:
        return name in known or name in context.named or (in_locale and name in context.named_in_locales)

    for name in facts_named(command):
        if not name[0].isalpha() or "." in name or is_known(name):
            continue
        if name in _NAMELESS or name in COLLECTIONS:
            continue
        parts = name.split("_")
        if parts[-1] in _MADE and any(is_known("_".join(parts[a:b])) for a, b in _ranges(len(parts))):
            continue
        if not context.has_fact(name) and not context.in_library(name):
            return True
    return False


def label_of(command: OuterCommand) -> str:
    """The name of a lemma, which nothing has before it is proved."""
    tokens = list(_outside_brackets(command.tokens))
    if len(tokens) > 3 and tokens[0].keyword("(") and tokens[1].keyword("in"):
        tokens = tokens[4:]
    return tokens[0].text if len(tokens) > 1 and tokens[1].keyword(":") else ""


def _ranges(count: int) -> Iterator[tuple[int, int]]:
    """Of the parts of `less_eq_t_def` those that may be the name of a constant, a locale or a type."""
    return ((a, b) for a in range(count) for b in range(a + 1, count + 1) if (a, b) != (0, count))


def facts_named(command: OuterCommand) -> Iterator[str]:
    """Names that can be those of facts only; what stands in square brackets is left out."""
    tokens = command.tokens
    if command.name in ("lemmas", "note"):
        facts = False
        for token in _outside_brackets(tokens):
            facts = token.keyword("=") or (facts and not token.keyword("and"))
            if facts and token.kind == "name":
                yield token.text
        return
    if command.name in ("using", "unfolding", "from", "with"):
        yield from (token.text for token in _outside_brackets(tokens) if token.kind == "name" and token.text != "and")
        return
    if command.name not in ("by", "apply", "proof", "qed"):
        return
    around: list[bool] = []
    facts, method = False, True
    outside: list[SourceToken] = list(_outside_brackets(tokens))
    for token, after in zip(outside, [*outside[1:], None], strict=False):
        if token.keyword("("):
            around.append(facts)
            facts, method = False, True
        elif token.keyword(")"):
            facts, method = around.pop() if around else False, False
        elif token.keyword(",", ";", "|"):
            facts, method = False, True
        elif after is not None and after.keyword(":", "!", "?", "="):
            facts, method = token.text in _MODIFIERS, False
        elif token.keyword("in"):
            facts = False
        elif token.kind == "name":
            if not around:  # a method without arguments
                facts = False
            elif method:
                facts, method = token.text in _WITH_FACTS, False
            elif facts:
                yield token.text


def _outside_brackets(tokens: Iterable[SourceToken]) -> Iterator[SourceToken]:
    depth = 0
    for token in tokens:
        depth += token.keyword("[")
        if not depth:
            yield token
        depth -= token.keyword("]")


def _names_facts(command: OuterCommand) -> bool:
    """May it use facts that it names outside of a proof? What it declares may have the name of a lemma elsewhere."""
    if command.name in (*DECLARATIONS, *STATEMENTS, *UNREAD_GOALS, "class"):
        return command.name in _NAMING or any(token.keyword(*_USING) for token in command.tokens)
    return True


def _names(commands: Iterable[OuterCommand]) -> Iterator[str]:
    """Whatever may be the name of a fact; in ML, every word."""
    for command in commands:
        code = command.name in (*IN_CODE, "ML_prf") or any(token.text.endswith("tactic") for token in command.tokens)
        for token in command.tokens:
            words = _NAME.findall(token.text) if code else [token.text] if _NAME.fullmatch(token.text) else ()
            yield from words
