"""`proof (induct rule: r)`: cases by a rule of the file's inductive predicates, or by a few rules of the library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.annotations import without_marks
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_forms import beta_normal
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Const,
    Free,
    Term,
    Typ,
    Type,
    Var,
    abstract,
    applied_constant,
    constants,
    erase,
    frees,
    head_name,
    list_comb,
    rebuilt,
    schematics,
    strip_comb,
    substitute,
    subterms,
)
from isarstep.isabelle.terms.types import match_type, parts_of_type, type_of
from isarstep.isabelle.terms.variables import substitute_frees, with_bound
from isarstep.isabelle.theory.rules.proof_cases import ProofCase, constructors_at
from isarstep.isabelle.theory.text.is_patterns import matched
from isarstep.isabelle.theory.text.statements import type_names, types_inside, with_type_marks

_PAIR = "Product_Type.Pair"
PLACE = "z~"  # variables of a rule that are put for terms
SHOWN = "P~"  # what a rule shows, as a variable of its cases


@dataclass(frozen=True)
class RuleCase:
    """`⋀x. A x ⟹ P x ⟹ P (f x)`: variables, premises and the arguments of what is shown; no term has a type."""

    name: str
    variables: tuple[str, ...]
    premises: tuple[Term, ...]
    arguments: tuple[Term, ...]
    types: tuple[Typ, ...] = ()  # of the variables, where they are known


@dataclass(frozen=True)
class InductionRule:
    """What it is about, with schematic variables, the variables of what it shows, and its cases."""

    major: Term | None
    variables: tuple[str, ...]
    cases: tuple[RuleCase, ...]
    types: tuple[Typ, ...] = ()  # of its variables, where it is for these and their instances only
    more: tuple[Term, ...] = ()  # what else it is about


@dataclass(frozen=True)
class CasesRule:
    """A rule of `cases`: its variables, what it says in each case with new ones, and what it assumes; no term has a
    type."""

    variables: tuple[Var, ...]
    cases: Mapping[str, tuple[Sequence[str], Sequence[Term]]] = field(hash=False)
    premises: tuple[Term, ...] = ()


@dataclass(frozen=True)
class WantedInduction:
    """What an induction is asked for: the goal, what moves into it, what is generalised, the variables named."""

    goal: Term
    moving: tuple[Term, ...]
    arbitrary: Mapping[str, Typ] = field(hash=False)
    given: tuple[Term, ...]
    variables: tuple[Term, ...]
    fixed: Mapping[str, Typ] = field(hash=False)
    apart: bool  # are hypotheses of the induction apart from other premises?
    taken: Mapping[str, Term] = field(default_factory=dict, hash=False)  # terms for variables of the rule
    constructors: frozenset[str] = frozenset()  # of the types of terms among the variables
    equations: int = 0  # that say which terms its variables are: they move into the goal before all others


def rule_cases(rule: InductionRule, asked: WantedInduction, signature: Signature) -> dict[str, ProofCase]:
    """The cases. Raises UserError where the rule does not apply for sure."""
    found: dict[str, Term] = dict(asked.taken)
    moving = list(asked.moving)
    given = list(asked.given)
    if rule.more and 0 < len(given) <= len(rule.more):
        raise UserError("an induction with some of the facts that the rule is about is not read")
    for major in (rule.major, *rule.more) if rule.major is not None else ():
        source = given or moving
        if not source or not matched(major, source[0], found):
            raise UserError("what the rule is about is not among the facts that are given to it")
        source.pop(0)
    values = [found.get(name) for name in rule.variables]
    if not any(values):  # what the rule is about does not mention them
        values = list(asked.variables)
    terms = [each for each in values if each is not None]
    if len(terms) != len(rule.variables) or len({erase(each) for each in terms}) != len(terms):
        raise UserError("an induction on terms that are no variables is not read")
    if [erase(each) for each in terms[len(terms) - len(asked.variables) :]] != [
        erase(each) for each in asked.variables
    ]:
        raise UserError("an induction of this form is not read")
    if not all(isinstance(each, Free) for each in terms[: len(terms) - len(asked.variables)]):
        raise UserError("an induction on terms that are no variables is not read")
    # A term is a variable that is equal to it.
    names = [each.name if isinstance(each, Free) else f"{PLACE}{place}" for place, each in enumerate(terms)]
    pairs = zip(names, terms, strict=True)
    same = [hol.trueprop(hol.eq(Free(name), each)) for name, each in pairs if not isinstance(each, Free)]
    if not are_instances(rule.types, terms, signature):
        raise UserError("an induction by a rule for another type is not read")
    moving = [*same, *given, *moving]
    asked = replace(asked, equations=len(same))
    shown = _abstracted(asked, moving, names)
    found = {**{name: each for name, each in zip(rule.variables, values, strict=True) if each is not None}, **found}
    read = [case for case in rule.cases if not _made_simpler(case, terms, asked.constructors)]
    if not read:
        raise UserError("an induction on a term of this form is not read")
    return {case.name: _case(case, asked, moving, names, shown, found, signature) for case in read}


def _made_simpler(case: RuleCase, terms: Sequence[Term], constructors: frozenset[str]) -> bool:
    """Does Isabelle make an equation of the case simpler, or leave out the case? It does between constructors, and
    where a variable is equal to something."""
    for argument, term in zip(case.arguments, terms, strict=True):
        heads = [strip_comb(each)[0] for each in (argument, term)]
        known = [isinstance(head, Const) and head.name not in constructors for head in heads]
        if not isinstance(term, Free) and not (known[0] or (known[1] and isinstance(heads[0], Const))):
            return True
    return False


def are_instances(types: Iterable[Typ | None], terms: Iterable[Term], signature: Signature) -> bool:
    """Are the types of these terms together instances of those?"""
    found: dict[Typ, Typ] = {}
    same = all(match_type(typ, type_of(term), found) for typ, term in zip(types, terms, strict=False))
    return same and all(isinstance(v, Type) or signature.of_sort(typ, v.sort) for v, typ in found.items())


def _abstracted(asked: WantedInduction, moving: Sequence[Term], names: Sequence[str]) -> Term:
    """What is shown, as a function of the variables."""
    prop = hol.list_pure_imp([with_type_marks(each) for each in moving], with_type_marks(asked.goal))
    for name in reversed(list(asked.arbitrary)):
        if any(node.name == name for node in frees(prop)):
            prop = hol.pure_all(name, None, abstract(prop, Free(name)))
    return _function(prop, names)


def _function(term: Term, names: Sequence[str]) -> Term:
    for name in reversed(names):
        term = Abs(name, None, abstract(term, Free(name)))
    return term


def _fresh(names: Sequence[str], fixed: Mapping[str, Typ]) -> dict[str, str]:
    """For the variables of a case names that nobody has written."""
    fresh = {name: f"{name}__" for name in names}
    while fixed.keys() & fresh.values():
        fresh = {name: f"{text}_" for name, text in fresh.items()}
    return fresh


def _put(term: Term, fresh: Mapping[str, str], values: Mapping[str, Term]) -> Term:
    """A term of a rule with these names for its variables, and terms for schematic ones."""
    named = substitute_frees(term, {name: Free(text) for name, text in fresh.items()})
    return substitute(named, lambda leaf: values.get(leaf.name) if isinstance(leaf, Var) else None)


def _case(
    case: RuleCase,
    asked: WantedInduction,
    moving: Sequence[Term],
    names: Sequence[str],
    shown: Term,
    parameters: Mapping[str, Term],
    signature: Signature,
) -> ProofCase:
    fresh = _fresh(case.variables, asked.fixed)
    values = {name: erase(value) for name, value in parameters.items()}

    def said(node: Term) -> Term:
        formula = hol.dest_trueprop(node)
        head, arguments = strip_comb(formula) if formula is not None else (node, [])
        return list_comb(shown, arguments) if isinstance(head, Free) and head.name == SHOWN else node

    premises = [_put(each, fresh, values) for each in case.premises]
    arguments = [_put(each, fresh, values) for each in case.arguments]
    if any(schematics(each) for each in (*premises, *arguments)):
        raise UserError("an induction with parameters of this form is not read")
    about = [any(node.name == SHOWN for node in frees(each)) for each in premises]
    if any(map(in_formula, premises)):
        premises = [_with_formula(each, asked, moving, names) for each in premises]
    made = [beta_normal(rebuilt(each, said)) for each in premises]
    goal = beta_normal(list_comb(_function(with_type_marks(asked.goal), names), arguments))
    rest = [beta_normal(list_comb(_function(with_type_marks(each), names), arguments)) for each in moving]
    known = dict(zip(fresh.values(), case.types, strict=False))
    typing = infer([*made, goal, *rest], signature, {**asked.fixed, **known})
    terms = [beta_normal(without_marks(term)) for term in typing.propositions]
    if types_inside(terms) - types_inside([asked.goal, *asked.given, *asked.moving]) - type_names(asked.fixed.values()):
        raise UserError("a case with a type that is not known is not read")
    hypotheses = terms[: len(made)]
    formula = hol.dest_trueprop(terms[len(made)])
    if formula is None:
        raise UserError("an induction on a goal of this form is not read")
    induction = tuple(term for term, own in zip(hypotheses, about, strict=True) if own)
    others = tuple(term for term, own in zip(hypotheses, about, strict=True) if not own)
    moved = terms[len(made) + 1 :]
    same, prems = tuple(moved[: asked.equations]), tuple(moved[asked.equations :])
    apart = asked.apart and not same  # with equations Isabelle calls all of them `hyps`
    groups = (("IH", induction), ("hyps", others)) if apart else (("hyps", (*hypotheses, *same)),)
    variables = tuple(
        (fresh[name], typing.frees[fresh[name]]) for name in case.variables if fresh[name] in typing.frees
    )
    if len(variables) < len(case.variables):
        raise UserError("a case with a variable that stands nowhere is not read")
    variables = (*variables, *asked.arbitrary.items())
    return ProofCase(variables, (*groups, ("prems", prems)), formula)


def in_formula(premise: Term) -> bool:
    """Does what is shown stand inside a formula (`∀m. m < n ⟶ P m`)?"""
    inside = sum(isinstance(node, Free) and node.name == SHOWN for node in subterms(premise))
    heads = [strip_comb(formula)[0] for node in subterms(premise) if (formula := hol.dest_trueprop(node)) is not None]
    return inside > sum(isinstance(head, Free) and head.name == SHOWN for head in heads)


def _with_formula(premise: Term, asked: WantedInduction, moving: Sequence[Term], names: Sequence[str]) -> Term:
    """A premise with what is shown as a formula inside: that of the goal, where nothing moves into it."""
    formula = hol.dest_trueprop(asked.goal)
    if moving or asked.arbitrary or formula is None:
        raise UserError("an induction of this form is not read")
    function = _function(with_type_marks(formula), names)
    put = substitute_frees(premise, {SHOWN: function})
    return beta_normal(put)


def predicate_of(prop: Term) -> str:
    """The constant that a fact is about: P of `P x`, S of `x ∈ S`; nothing where there is none."""
    formula = hol.dest_trueprop(prop)
    if formula is None:
        return ""
    sides = hol.dest_binary(hol.MEMBER, formula)
    return head_name(formula if sides is None else sides[1])


def elimination_cases(
    rule: InductionRule, about: Term, signature: Signature, fixed: Mapping[str, Typ]
) -> dict[str, ProofCase]:
    """What a fact about an inductive predicate says in each case. Raises UserError where the fact is not about it."""
    found: dict[str, Term] = {}
    if rule.major is None or not matched(rule.major, about, found):
        raise UserError("what the rule is about is not among the facts that are given to it")
    cases = {}
    for case in rule.cases:
        pairs = zip(rule.variables, case.arguments, strict=True)
        same = [hol.trueprop(hol.eq(Var(name, 0), argument)) for name, argument in pairs]
        premises = [each for each in case.premises if not any(node.name == SHOWN for node in frees(each))]
        cases[case.name] = case.variables, [*same, *premises]
    return chosen_cases(cases, found, signature, fixed)


def rule_of_intros(
    full: str, intros: Sequence[tuple[str, Term]], parameters: int, *, in_set: bool
) -> InductionRule | None:
    """The induction rule of an inductive predicate or set, from its introduction rules. What it shows of a set of pairs
    is about their parts; None where rules have pairs in some places and not in others."""
    width = width_of_members(full, [prop for _, prop in intros]) if in_set else 0
    if width is None:
        return None
    cases = []
    count = 0
    for name, prop in intros:
        plain = substitute(erase(prop), lambda leaf: Free(leaf.name) if isinstance(leaf, Var) else None)
        premises, conclusion = hol.strip_pure_imp(plain)
        arguments = predicate_arguments(conclusion, full, width)
        if arguments is None:
            return None
        count = len(arguments)
        made: list[Term] = []
        leading = arguments[:parameters]
        for premise in premises:
            made.append(premise)
            its = predicate_arguments(premise, full, width)
            if its is not None:
                made.append(hol.trueprop(list_comb(Free(SHOWN), its[parameters:])))
            elif any(node.name == full for node in constants(premise)):
                return None
        names = {each.name: Var(f"p{n}", 0) for n, each in enumerate(leading) if isinstance(each, Free)}
        if len(names) < len(leading):
            return None

        def general(leaf: Term, names: Mapping[str, Var] = names) -> Term | None:
            return names.get(leaf.name) if isinstance(leaf, Free) else None

        variables = dict.fromkeys(n.name for n in (*frees(plain),) if n.name not in names)
        cases.append(
            RuleCase(
                name,
                tuple(variables),
                tuple(substitute(each, general) for each in made),
                tuple(substitute(each, general) for each in arguments[parameters:]),
            )
        )
    variables_of = tuple(f"x{n}" for n in range(count - parameters))
    values = [*(Var(f"p{n}", 0) for n in range(parameters)), *(Var(n, 0) for n in variables_of)]
    return InductionRule(hol.trueprop(about_members(full, values, width)), variables_of, tuple(cases))


def structural_rule(typ: Typ, variable: str, language: Language) -> InductionRule:
    """Of a datatype. Raises UserError where it is none, or where its values lie inside those of another type."""
    cases = []
    for short, constructor, types in constructors_at(typ, language):
        if any(each != typ and typ in parts_of_type(each) for each in types):
            raise UserError("an induction through another type is not read")
        names = [f"{variable if each == typ else 'x'}{place}" for place, each in enumerate(types)]
        fresh = [Free(name) for name in names]
        premises = [hol.trueprop(App(Free(SHOWN), x)) for x, each in zip(fresh, types, strict=True) if each == typ]
        value = list_comb(Const(constructor.name), fresh)
        cases.append(RuleCase(short, tuple(names), tuple(premises), (value,), tuple(types)))
    return InductionRule(None, (variable,), tuple(cases))


def rule_of_proposition(prop: Term, names: Sequence[str], majors: int) -> InductionRule | None:
    """The rule that `⟦A ?x; ⋀y. B y ⟹ ?P (f y)⟧ ⟹ ?P ?x` is: so many premises say what it is about, the others are the
    cases of these names. None where it has another form."""
    premises, conclusion = hol.strip_pure_imp(prop)
    head, arguments = strip_comb(hol.dest_trueprop(conclusion) or conclusion)
    variables = [each for each in arguments if isinstance(each, Var)]
    if not isinstance(head, Var) or not arguments or len({each.name for each in (head, *variables)}) <= len(arguments):
        return None
    if len(premises) != majors + len(names) or len(set(names)) < len(names):
        return None
    premises = [substitute(each, lambda leaf: Free(SHOWN) if leaf == head else None) for each in premises]
    cases = []
    for name, premise in zip(names, premises[majors:], strict=True):
        own, body = without_binders(premise)
        asked, shown = hol.strip_pure_imp(erase(body))
        case, values = strip_comb(hol.dest_trueprop(shown) or shown)
        if case != Free(SHOWN) or len(values) != len(variables) or any(Free(SHOWN) in frees(each) for each in values):
            return None
        if len(set(own)) < len(own) or set(own) & {node.name for node in frees(premise)}:
            return None
        cases.append(RuleCase(name, tuple(own), tuple(asked), tuple(values)))
    about = [erase(each) for each in premises[:majors]]
    if any(Free(SHOWN) in frees(each) for each in about):
        return None
    types = tuple(each.type for each in variables if each.type is not None)
    own_names = tuple(each.name for each in variables)
    return InductionRule(about[0] if about else None, own_names, tuple(cases), types, tuple(about[1:]))


def proposition_of_rule(rule: InductionRule) -> Term:
    """The proposition, without types, that the rule is."""
    shown = Var("P", 0)
    cases = []
    for case in rule.cases:
        stated = hol.list_pure_imp(case.premises, hol.trueprop(list_comb(Free(SHOWN), case.arguments)))
        stated = hol.quantified(hol.pure_all, [Free(name) for name in case.variables], stated)
        cases.append(substitute(stated, lambda leaf: shown if leaf == Free(SHOWN) else None))
    about = [] if rule.major is None else [rule.major]
    return hol.list_pure_imp([*about, *cases], hol.trueprop(list_comb(shown, [Var(v, 0) for v in rule.variables])))


def without_binders(prop: Term) -> tuple[list[str], Term]:
    """The variables that it speaks of all of, and what it says of them."""
    binders, body = hol.strip_pure_all(prop)
    names = [binder.name or f"x{place}" for place, binder in enumerate(binders)]
    for number, name in enumerate(reversed(names)):
        body = with_bound(body, number, Free(name))
    return names, body


def chosen_cases(
    cases: Mapping[str, tuple[Sequence[str], Sequence[Term]]],
    found: Mapping[str, Term],
    signature: Signature,
    fixed: Mapping[str, Typ],
) -> dict[str, ProofCase]:
    """What a rule of `cases` says in each case, with terms for its schematic variables; new variables come first."""
    made = {}
    values = {name: with_type_marks(value) for name, value in found.items()}
    for label, (names, terms) in cases.items():
        fresh = _fresh(names, fixed)
        own = [_put(each, fresh, values) for each in terms]
        if any(schematics(each) for each in own):
            raise UserError("a case with a variable that nothing is put for is not read")
        typing = infer(own, signature, dict(fixed))
        props = tuple(beta_normal(without_marks(term)) for term in typing.propositions)
        if any(text not in typing.frees for text in fresh.values()):
            raise UserError("a case with a variable that stands nowhere is not read")
        if types_inside(props) - types_inside(found.values()) - type_names(fixed.values()):
            raise UserError("a case with a type that is not known is not read")
        made[label] = ProofCase(tuple((text, typing.frees[text]) for text in fresh.values()), (("", props),), None)
    return made


def width_of_members(full: str, props: Iterable[Term]) -> int | None:
    """How many parts the members of a set have in rules about it; None where they have several numbers of them."""
    widths = {len(_row(each)) for prop in props for each in _elements_of(erase(prop), full)}
    return widths.pop() if len(widths) == 1 else None


def about_members(full: str, values: Sequence[Term], width: int) -> Term:
    """That the predicate holds of these, or that the last so many of them are the parts of a member of the set."""
    if not width:
        return list_comb(Const(full), values)
    element = values[-1]
    for each in reversed(values[len(values) - width : -1]):
        element = hol.apply(_PAIR, each, element)
    return hol.apply(hol.MEMBER, element, list_comb(Const(full), values[: len(values) - width]))


def _elements_of(prop: Term, full: str) -> Iterator[Term]:
    """What is said to lie in the set."""
    for node in subterms(prop):
        sides = hol.dest_binary(hol.MEMBER, node)
        if sides is not None and head_name(sides[1]) == full:
            yield sides[0]


def _row(term: Term) -> list[Term]:
    """The parts of a tuple."""
    sides = hol.dest_binary(_PAIR, term)
    return [term] if sides is None else [sides[0], *_row(sides[1])]


def predicate_arguments(prop: Term, full: str, width: int) -> list[Term] | None:
    """Those of the predicate: of a set what it takes, and the parts of its element. None where it is another one."""
    formula = hol.dest_trueprop(prop)
    if formula is None:
        return None
    sides = hol.dest_binary(hol.MEMBER, formula) if width else None
    name, arguments = applied_constant(formula if sides is None else sides[1])
    if name != full or (width and sides is None):
        return None
    return arguments if sides is None else [*arguments, *_row(sides[0])]
