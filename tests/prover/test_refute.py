"""Values that refute: only where HOL determines them, only where the premises hold, and never a theorem."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.prover.derivations import FACTS, FALSE, TRUE
from tests.prover.language import SIGNATURE, lemma, local
from tests.prover.small_library import library_of

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms.terms import Type
from isarstep.prover.outcomes.step import Step, ranked
from isarstep.prover.outcomes.verdict import Refuted
from isarstep.prover.values.domains import Undetermined
from isarstep.prover.values.equations import LibraryEquations
from isarstep.prover.values.executable import BuiltInOnly, Machine
from isarstep.prover.values.operations import OPERATIONS_OF_CONSTANTS
from isarstep.prover.values.refutation import RefutationSearch, Refuter


def search(premises: list[str], goal: str, types: dict[str, str], wanted: int | None = None) -> RefutationSearch:
    *given, wanted_goal = local([*premises, goal], types)
    return Refuter(BuiltInOnly(), SIGNATURE).search(given, wanted_goal, 20.0, wanted)


def refuted(premises: list[str], goal: str, types: dict[str, str]) -> bool:
    return search(premises, goal, types).counterexample is not None


NAT, INT, REAL = {"x": "nat", "y": "nat"}, {"x": "int", "y": "int"}, {"x": "real", "y": "real"}


@pytest.mark.parametrize(
    ("premises", "goal", "types"),
    [
        ([], "(= (* x x) (+ x x))", NAT),
        ([], "(= (+ (- x y) y) x)", NAT),  # subtraction stops at 0
        ([], "(= (/ x x) 1)", REAL),  # 0 / 0 = 0
        (["(< x y)"], "(< (+ x 1) y)", INT),
        (["(<= x y)"], "(<= (* x x) (* y y))", INT),
        ([], "(= (rev xs) xs)", {"xs": "(list 'a)"}),
        (["(= (f x) (f y))"], "(= x y)", {"f": "(fun 'a 'b)"}),
        (["(<= A B)"], "(= A B)", {"A": "(set 'a)"}),
        (["(EX (n) (P n))"], "(ALL (n) (P n))", {"P": "(fun nat bool)"}),
        (["(= y (* x x))", "(< 1 x)"], "(= (mod y 2) 0)", INT),
        ([], "(= (card A) 0)", {"A": "(set nat)"}),
        ([], "(| (<= A B) (<= B A))", {"A": "(set nat)"}),
    ],
)
def test_false_goals_are_refuted(premises: list[str], goal: str, types: dict[str, str]) -> None:
    assert refuted(premises, goal, types)


@pytest.mark.parametrize(
    ("premises", "goal", "types"),
    [
        ([], "(= (hd Nil) (zero))", {}),
        ([], "(= (nth xs (length xs)) 0)", {"xs": "(list nat)"}),
        ([], "(= (THE (n) (< n 0)) 0)", {}),
        ([], "(= (SOME (n) (< n 2)) (Suc 0))", {}),
        ([], "(= undefined (Suc 0))", {}),
        ([], "(= (Max (set)) 0)", {"x": "nat"}),
        ([], "(= (sqrt 2) 1)", {}),  # not rational: not computed
        ([], "(< pi 3)", {}),
        ([], "(EX (n) (< (* n n) n))", {"n": "nat"}),  # infinitely many candidates
        ([], "(~ (ALL (n) (<= 0 (* n n))))", {"n": "nat"}),
        (["False"], "(= x y)", NAT),
    ],
)
def test_what_is_not_determined_is_not_refuted(premises: list[str], goal: str, types: dict[str, str]) -> None:
    assert not refuted(premises, goal, types)


def test_no_true_derivation_is_refuted() -> None:
    wrong = []
    for derivation in TRUE:
        *given, goal = local([*derivation.premises, derivation.goal], derivation.types)
        # Facts are theorems: they hold whatever the values are.
        if Refuter(BuiltInOnly(), SIGNATURE).search(given, goal, 0.3).counterexample:
            wrong.append(derivation.name)
    assert wrong == []


def test_some_false_derivations_are_refuted() -> None:
    found = 0
    for derivation in FALSE[:40]:
        *given, goal = local([*derivation.premises, derivation.goal], derivation.types)
        found += Refuter(BuiltInOnly(), SIGNATURE).search(given, goal, 3.0).counterexample is not None
    assert found >= 8


def test_no_fact_is_refuted_and_many_are_evaluated() -> None:
    wrong, evaluated = [], 0
    for name, (text, types) in FACTS.items():
        found = Refuter(BuiltInOnly(), SIGNATURE).search([], lemma(name, text, types).prop, 2.0, 20)
        wrong += [name] if found.counterexample else []
        evaluated += found.satisfying >= 20
    assert wrong == []
    assert evaluated >= 20


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("(= (/ x 0) 0)", NAT), ("(= (mod x 0) x)", NAT), ("(= (- x (+ x y)) 0)", NAT), ("(= (/ x 0) 0)", REAL),
        ("(= (inverse (- x x)) 0)", REAL), ("(= (/ (neg 7) 2) (+ x (- (neg 4) x)))", INT),
        ("(= (mod (neg 7) 2) (+ x (- 1 x)))", INT), ("(= (mod (+ x (- 7 x)) (neg 2)) (neg 1))", INT),
        ("(= (nat (neg (of_nat x))) 0)", NAT), ("(= (floor (neg (/ (+ x (- 1 x)) 2))) (neg 1))", REAL),
        ("(= (card (sup top A)) 0)", {"A": "(set nat)"}),
    ],
)  # fmt: skip
def test_isabelles_division_and_subtraction(text: str, types: dict[str, str]) -> None:
    found = search([], text, types, 20)
    assert found.counterexample is None
    assert found.satisfying >= 10


def test_a_premise_with_schematic_variables_holds_for_all_of_them() -> None:
    general = lemma("g", "(= (g n) 0)", {"g": "(fun nat nat)"}).prop
    goal = local(["(= (g 1) 1)"], {"g": "(fun nat nat)"})[0]
    # `∀n. ?g n = 0` for all `?g` is false, so nothing is refuted under it.
    assert Refuter(BuiltInOnly(), SIGNATURE).search([general], goal, 0.5).counterexample is None


def refuted_with(facts: list[Named], goal: str, types: dict[str, str]) -> bool:
    library = library_of([("T", fact) for fact in facts], SIGNATURE)
    meanings = LibraryEquations(library, SIGNATURE, frozenset({"T"}))
    (term,) = local([goal], types)
    return Refuter(meanings, SIGNATURE).search([], term, 5.0).counterexample is not None


def test_functions_and_datatypes_through_the_library() -> None:
    option = [
        lemma("Option.option.exhaust", "(==> (==> (= y None) P) (!! (x) (==> (= y (Some x)) P)) P)", {"P": "bool"}),
        lemma("Option.option.inject", "(= (= (Some x) (Some y)) (= x y))", {}),
        lemma("Option.option.distinct", "(neq None (Some x))", {}),
        lemma("Option.option.induct", "(==> (P None) (!! (x) (P (Some x))) (P q))", {"q": "(option 'a)"}),
        lemma("Library.sqr_def", "(== (sqr x) (* x x))", {"x": "('a :: Groups.times)"}),
    ]

    assert refuted_with(option, "(= p None)", {"p": "(option nat)"})
    assert refuted_with(option, "(= (sqr x) x)", {"x": "int"})
    assert not refuted_with(option, "(<= x (sqr x))", {"x": "int"})
    # Without a word on constructors that are different and injective there is no datatype.
    for missing in range(4):
        assert not refuted_with(option[:missing] + option[missing + 1 :], "(= p None)", {"p": "(option nat)"})


def test_records_have_the_constructor_of_their_rules() -> None:
    types = {"q": "(option 'a)"}
    induct = lemma("Option.ext_induct", "(==> (!! (x) (P (Some x))) (P q))", types)  # as if it were a record's
    inject = lemma("Option.ext_inject", "(= (= (Some x) (Some y)) (= x y))", {})
    assert refuted_with([induct, inject], "(= p (Some 0))", {"p": "(option nat)"})
    assert not refuted_with([induct, inject], "(EX (n) (= p (Some n)))", {"p": "(option bool)"})
    for facts in (
        [induct],
        [inject],
        [lemma("Option.ext_induct", "(==> (!! (x) (P (Some (Suc x)))) (P q))", {}), inject],
    ):
        assert not refuted_with(facts, "(= p (Some 0))", {"p": "(option nat)"})


@pytest.mark.parametrize(
    ("premises", "goal", "types", "why"),
    [
        ([], "(= (+ x undefined) (* 2 x))", NAT, "a constant that nothing computes"),
        (["(< x undefined)"], "(<= 0 x)", NAT, "a constant that nothing computes"),
        (["(= y undefined)"], "(<= 0 x)", NAT, "a constant that nothing computes"),
        ([], "(ALL (n) (< n undefined))", {"n": "nat"}, "a constant that nothing computes"),
        ([], "(= p q)", {"p": "(option nat)", "q": "(option nat)"}, "a type without known values"),
    ],
)
def test_no_values_are_made_for_what_nothing_computes(
    premises: list[str], goal: str, types: dict[str, str], why: str
) -> None:
    found = search(premises, goal, types)
    assert (found.asked, found.tried, found.undetermined, found.why_not) == (0, 0, 0, why)


def test_functions_and_types_that_belong_to_small_types_have_no_values_of_their_own() -> None:
    machine = Machine(BuiltInOnly(), OPERATIONS_OF_CONSTANTS)
    assert machine.operation("Enum.finite_2.case_finite_2", Type("Enum.finite_2")) is None
    with pytest.raises(Undetermined):
        machine.domain(Type("Enum.finite_2.finite_2_IITN_finite_2"))


def test_a_part_that_nothing_computes_may_not_matter() -> None:
    found = search([], "(--> (< x 3) (| (< x 5) (< x undefined)))", NAT, 20)
    assert found.satisfying >= 3
    assert found.counterexample is None


def test_equations_whose_right_side_nothing_computes_compute_nothing() -> None:
    unknown = lemma("Library.sqr_def", "(== (sqr x) (* x undefined))", {"x": "('a :: Groups.times)"})
    library = library_of([("T", unknown)], SIGNATURE)
    meanings = LibraryEquations(library, SIGNATURE, frozenset({"T"}))
    (term,) = local(["(= (sqr x) (+ x x))"], {"x": "int"})
    found = Refuter(meanings, SIGNATURE).search([], term, 20.0)
    assert (found.asked, found.why_not) == (0, "a constant that nothing computes")


def test_the_same_question_has_the_same_answer() -> None:
    first, second = (search([], "(= (* x y) (+ x y))", INT).counterexample for _ in range(2))
    assert first == second
    assert first is not None


def test_evaluation_ends() -> None:
    machine = Machine(BuiltInOnly(), OPERATIONS_OF_CONSTANTS)
    (term,) = local(["(= (^ 2 (^ 2 (^ 2 (^ 2 (^ 2 2))))) (Suc 0))"], {})
    with pytest.raises(Undetermined):
        machine.evaluate(machine.code(term), ())


def test_a_false_step_comes_after_the_others() -> None:
    steps = [Step(n, str(n), local(["True"], {})[0], "", 0.0) for n in range(2)]
    false = replace(steps[0], first=Refuted("evaluation", "n = 2"))
    assert [step.id for step in ranked([false, steps[1]])] == [1, 0]
    assert str(false.first) == "false: n = 2"
