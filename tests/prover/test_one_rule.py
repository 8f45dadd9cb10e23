"""Steps that one fact of a library gives."""

from __future__ import annotations

from tests.prover.derivations import FACTS
from tests.prover.language import SIGNATURE, lemma, read, read_type

from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.terms.hol import as_formula, dest_trueprop, trueprop
from isarstep.isabelle.terms.terms import Term
from isarstep.prover.check.single_rule_steps import CONTRADICTION, OfferedRule, OneRule, RuleStep, Way

TYPES = {
    "xs": "(list nat)", "ys": "(list nat)", "x": "nat", "y": "nat", "z": "nat", "n": "nat", "A": "(set nat)",
    "B": "(set nat)", "C": "(set nat)", "f": "(fun nat nat)", "a": "real", "b": "real", "c": "real", "P": "bool",
}  # fmt: skip
MORE: dict[str, tuple[str, dict[str, str]]] = {
    "subset_antisym": ("(==> (<= A B) (<= B A) (= A B))", {"A": "(set 'a)"}),
    "subsetI": ("(==> (!! (x) (==> (in x A) (in x B))) (<= A B))", {"A": "(set 'a)"}),
    "dvdE": ("(==> (dvd a b) (!! (k) (==> (= b (* a k)) thesis)) thesis)", {"a": "nat", "thesis": "bool"}),
    "disjE": ("(==> (| P Q) (==> P R) (==> Q R) R)", {"P": "bool", "Q": "bool", "R": "bool"}),
    "card_mono": ("(==> (finite B) (<= A B) (<= (card A) (card B)))", {"A": "(set 'a)"}),
    "card_Un": ("(==> (finite A) (finite B) (<= (card (sup A B)) (+ (card A) (card B))))", {"A": "(set 'a)"}),
    "cancel": ("(==> (neq c 0) (= (= (* c a) (* c b)) (= a b)))", {"a": "real"}),
    "triangle": ("(<= (abs (+ a b)) (+ (abs a) (abs b)))", {"a": "real"}),
    "digits": ("(= (Bit1 k) (Bit1 (Bit0 k)))", {}),
    "mod_mod": ("(==> (dvd c b) (= (mod (mod a b) c) (mod a c)))", {"a": "nat"}),
}


def typed(*texts: str) -> list[Term]:
    types = {name: read_type(text) for name, text in TYPES.items()}
    return list(infer([read(text) for text in texts], SIGNATURE, types).propositions)


def found(names: list[str], goal: str, *given: str, kinds: frozenset[str] = frozenset()) -> list[RuleStep]:
    *premises, wanted = typed(*given, goal)
    rules = [OfferedRule(lemma(name, *{**FACTS, **MORE}[name]), at, kinds) for at, name in enumerate(names)]
    formula = dest_trueprop(wanted)
    assert formula is not None
    known = [each for each in map(as_formula, premises) if each is not None]
    return OneRule(known, formula, SIGNATURE).steps(rules)


def away(names: list[str], goal: str, *given: str) -> list[Term]:
    return [trueprop(each.formula, typed=True) for each in found(names, goal, *given)]


def ways(steps: list[RuleStep]) -> list[Way]:
    return [step.way for step in steps]


def test_the_premises_of_a_rule_for_the_goal_without_those_that_are_given() -> None:
    assert away(["order_antisym"], "(= x y)", "(<= x y)") == typed("(<= y x)")
    assert away(["subset_antisym"], "(= A B)") == typed("(<= A B)", "(<= B A)")
    assert away(["order_trans"], "(<= x y)") == []  # what stands between is left open


def test_what_a_rule_leaves_open_may_be_found_in_the_facts() -> None:
    assert away(["order_trans"], "(<= (f x) z)", "(<= (f y) z)") == typed("(<= (f x) (f y))")
    # The equation is given: what is wanted beside it is that the factor is not 0.
    assert away(["cancel"], "(= b c)", "(= (* a b) (* a c))") == typed("(neq a 0)")


def test_premises_for_all_elements_are_shown_as_such() -> None:
    assert away(["subsetI"], "(<= A B)") == typed("(Ball A (fn (x) (in x B)))")


def test_the_conclusion_of_a_rule_whose_premises_are_given() -> None:
    assert away(["order_antisym"], "(<= (Suc x) y)", "(<= x y)", "(<= y x)") == [*typed("(= x y)"), *typed("(= y x)")]
    assert away(["order_antisym"], "(<= (Suc x) y)", "(<= x y)") == []  # the other premise is not given
    assert away(["finite_imageI"], "(<= x y)", "(finite A)") == []  # of every function: left open
    assert away(["card_mono"], "P", "(finite B)", "(<= (image f A) B)") == typed("(<= (card (image f A)) (card B))")


def test_two_facts_are_used_before_one_is_used_twice() -> None:
    steps = found(["card_Un"], "P", "(finite A)", "(finite B)")
    assert trueprop(steps[0].formula, typed=True) in typed(
        "(<= (card (sup A B)) (+ (card A) (card B)))", "(<= (card (sup B A)) (+ (card B) (card A)))"
    )
    assert len(steps) == 4
    assert steps[1].cost + 10 < steps[2].cost


def test_a_rule_of_elimination_says_that_something_exists_or_which_cases_there_are() -> None:
    assert away(["dvdE"], "P", "(dvd x y)") == typed("(EX (k) (= y (* x k)))")
    assert away(["disjE"], "P", "(| (<= x y) (<= y x))") == []  # the same again


def test_the_goal_rewritten_once_the_equation_and_the_side_where_it_stands() -> None:
    assert away(["rev_rev"], "(<= (length (rev (rev xs))) 0)") == typed(
        "(= (rev (rev xs)) xs)", "(= (length (rev (rev xs))) (length xs))", "(<= (length xs) 0)"
    )
    assert away(["power_Suc"], "(<= a (^ b (Suc n)))") == typed(
        "(= (^ b (Suc n)) (* b (^ b n)))", "(<= a (* b (^ b n)))"
    )
    assert away(["add_commute"], "(<= (+ x y) z)") == []  # the same in another order
    assert away(["digits"], "(<= x 3)") == []  # inside of a numeral


def test_an_equation_is_used_backwards_where_the_facts_speak_of_what_comes_of_it() -> None:
    steps = away(["mod_mod"], "(= (mod x 3) 2)", "(= (mod x 6) 5)")
    assert typed("(= (mod x 3) (mod (mod x 6) 3))")[0] in steps
    assert away(["mod_mod"], "(= (mod x 3) 2)", "(= (mod y 6) 5)") == []


def test_an_inequality_that_shares_a_side_with_the_goal() -> None:
    assert away(["triangle"], "(<= (abs a) (+ (abs (- a b)) (abs b)))") == typed(
        "(<= (abs (+ (- a b) b)) (+ (abs (- a b)) (abs b)))"
    )


def test_of_a_contradiction_that_is_sought_the_facts_are_negated() -> None:
    (step,) = found([], "False", "(finite A)")
    assert trueprop(step.formula, typed=True) == typed("(~ (finite A))")[0]
    assert step.rule == CONTRADICTION


def test_rules_that_look_relevant_are_used_in_every_way_declared_ones_as_they_are_meant() -> None:
    fact = lemma("subset_antisym", *MORE["subset_antisym"])
    assert OfferedRule(fact, 0).fits("forwards", "")
    for kind, forwards in (("intro!", False), ("dest", True), ("trans", True)):
        offered = OfferedRule(fact, 9, frozenset((kind,)), relevant=False)
        assert offered.fits("forwards", "") is forwards
        assert not offered.fits("rewriting", "")
        assert offered.fits("backwards", "HOL.eq") is (kind == "intro!")
        assert offered.fits("backwards", "Orderings.ord_class.less_eq") is (kind != "dest")


def test_a_rule_of_introduction_comes_before_others() -> None:
    names = ["rev_rev"] * 9 + ["subset_antisym"]
    plain, declared = (found(names, "(= A B)", kinds=frozenset(kinds)) for kinds in ((), ("intro!",)))
    assert plain[0].cost > declared[0].cost


def test_constants_that_nobody_mentions_cost() -> None:
    new, old = found(["finite_subset"], "(finite A)", "(<= A B)"), found(["order_antisym"], "(= A B)", "(<= A B)")
    assert new[0].cost == old[0].cost == 0
    assert found(["card_mono"], "P", "(finite B)", "(<= A B)")[0].cost > 10


def test_of_products_that_are_compared_the_squares_of_differences() -> None:
    assert away([], "(<= (* a b) (^ a 2))") == typed("(<= 0 (^ (- a b) 2))")
    assert away([], "(<= (+ a b) a)") == []
    assert away([], "(<= (* x y) (^ x 2))") == []  # of natural numbers there is nothing to say
