"""A small notation for the propositions of these tests: S-expressions over a signature written by hand, typed by
`logic.infer`.
"""

from __future__ import annotations

import re

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    TFree,
    TVar,
    Typ,
    Type,
    Var,
    rebuild,
    substitute_types,
)
from isarstep.isabelle.terms.type_text import parse_type

TYPE_NAMES = {
    "nat": "Nat.nat", "int": "Int.int", "real": "Real.real", "complex": "Complex.complex", "bool": "HOL.bool",
    "set": "Set.set", "list": "List.list", "unit": "Product_Type.unit", "prod": "Product_Type.prod", "num": "Num.num",
    "option": "Option.option", "measure": "Sigma_Algebra.measure", "poly": "Polynomial.poly",
}  # fmt: skip

# Class -> direct super-classes.
CLASSES = {
    "HOL.type": "",
    "Orderings.ord": "HOL.type",
    "Orderings.preorder": "Orderings.ord",
    "Orderings.order": "Orderings.preorder",
    "Orderings.linorder": "Orderings.order",
    "Orderings.bot": "HOL.type",
    "Orderings.top": "HOL.type",
    "Orderings.no_top": "Orderings.order",
    "Orderings.wellorder": "Orderings.linorder",
    "Lattices.inf": "HOL.type",
    "Lattices.sup": "HOL.type",
    "Lattices.distrib_lattice": "Lattices.inf Lattices.sup Orderings.order",
    "Complete_Lattices.Inf": "HOL.type",
    "Complete_Lattices.Sup": "HOL.type",
    "Finite_Set.finite": "HOL.type",
    "Groups.plus": "HOL.type",
    "Groups.zero": "HOL.type",
    "Groups.one": "HOL.type",
    "Groups.minus": "HOL.type",
    "Groups.uminus": "HOL.type",
    "Groups.times": "HOL.type",
    "Groups.abs": "HOL.type",
    "Power.power": "Groups.one Groups.times",
    "Rings.divide": "HOL.type",
    "Rings.modulo": "Rings.divide",
    "Rings.dvd": "Groups.times",
    "Fields.inverse": "Rings.divide",
    "Groups.ab_semigroup_add": "Groups.plus",
    "Groups.comm_monoid_add": "Groups.ab_semigroup_add Groups.zero",
    "Groups.ab_group_add": "Groups.comm_monoid_add Groups.minus Groups.uminus",
    "Num.numeral": "Groups.one Groups.plus",
    "Rings.semiring_1": "Num.numeral Groups.comm_monoid_add Power.power Rings.dvd",
    "Rings.ring_1": "Rings.semiring_1 Groups.ab_group_add",
    "Rings.comm_ring_1": "Rings.ring_1",
    "Rings.idom": "Rings.comm_ring_1",
    "Fields.field": "Rings.idom Fields.inverse",
    "Rings.linordered_idom": "Rings.idom Orderings.linorder Groups.abs",
    "Fields.linordered_field": "Fields.field Rings.linordered_idom",
    "Archimedean_Field.floor_ceiling": "Fields.linordered_field",
    "Groups.ordered_cancel_comm_monoid_diff": "Groups.comm_monoid_add Groups.minus Orderings.order",
    "Real_Vector_Spaces.norm": "HOL.type",
}

ARITIES = {
    "nat": "Orderings.wellorder Lattices.distrib_lattice Orderings.no_top Orderings.bot Rings.semiring_1 Groups.minus \
        Rings.modulo Groups.ordered_cancel_comm_monoid_diff",
    "int": "Rings.linordered_idom Rings.modulo Orderings.no_top Lattices.distrib_lattice",
    "real": "Archimedean_Field.floor_ceiling Orderings.no_top Lattices.distrib_lattice Real_Vector_Spaces.norm",
    "complex": "Fields.field Real_Vector_Spaces.norm",
    "bool": "Finite_Set.finite Orderings.linorder Orderings.bot Orderings.top Lattices.distrib_lattice",
    "unit": "Finite_Set.finite Orderings.wellorder Orderings.bot Orderings.top",
    "num": "Orderings.linorder Groups.plus Groups.times",
    "set/1": "Orderings.order Orderings.bot Orderings.top Lattices.distrib_lattice Groups.minus Groups.uminus \
        Complete_Lattices.Inf Complete_Lattices.Sup",
    "list/1": "HOL.type",
    "option/1": "HOL.type",
    "prod/2": "HOL.type",
    "measure/1": "HOL.type",
    "poly/1": "HOL.type",
}

# Alias, name, type. `'a` with a class after `::` carries that sort everywhere in the type.
CONSTANTS = """
True HOL.True bool
False HOL.False bool
~ HOL.Not (fun bool bool)
& HOL.conj (fun bool (fun bool bool))
| HOL.disj (fun bool (fun bool bool))
--> HOL.implies (fun bool (fun bool bool))
= HOL.eq (fun 'a (fun 'a bool))
All HOL.All (fun (fun 'a bool) bool)
Ex HOL.Ex (fun (fun 'a bool) bool)
Ex1 HOL.Ex1 (fun (fun 'a bool) bool)
The HOL.The (fun (fun 'a bool) 'a)
Eps Hilbert_Choice.Eps (fun (fun 'a bool) 'a)
if HOL.If (fun bool (fun 'a (fun 'a 'a)))
Let HOL.Let (fun 'a (fun (fun 'a 'b) 'b))
undefined HOL.undefined 'a
Trueprop HOL.Trueprop (fun bool prop)
==> Pure.imp (fun prop (fun prop prop))
== Pure.eq (fun 'a (fun 'a prop))
!! Pure.all (fun (fun 'a prop) prop)
<= Orderings.ord_class.less_eq (fun 'a (fun 'a bool)) :: Orderings.ord
< Orderings.ord_class.less (fun 'a (fun 'a bool)) :: Orderings.ord
min Orderings.ord_class.min (fun 'a (fun 'a 'a)) :: Orderings.ord
max Orderings.ord_class.max (fun 'a (fun 'a 'a)) :: Orderings.ord
bot Orderings.bot_class.bot 'a :: Orderings.bot
top Orderings.top_class.top 'a :: Orderings.top
Least Orderings.ord_class.Least (fun (fun 'a bool) 'a) :: Orderings.ord
inf Lattices.inf_class.inf (fun 'a (fun 'a 'a)) :: Lattices.inf
sup Lattices.sup_class.sup (fun 'a (fun 'a 'a)) :: Lattices.sup
Inf Complete_Lattices.Inf_class.Inf (fun (set 'a) 'a) :: Complete_Lattices.Inf
Sup Complete_Lattices.Sup_class.Sup (fun (set 'a) 'a) :: Complete_Lattices.Sup
+ Groups.plus_class.plus (fun 'a (fun 'a 'a)) :: Groups.plus
- Groups.minus_class.minus (fun 'a (fun 'a 'a)) :: Groups.minus
* Groups.times_class.times (fun 'a (fun 'a 'a)) :: Groups.times
neg Groups.uminus_class.uminus (fun 'a 'a) :: Groups.uminus
zero Groups.zero_class.zero 'a :: Groups.zero
one Groups.one_class.one 'a :: Groups.one
abs Groups.abs_class.abs (fun 'a 'a) :: Groups.abs
/ Rings.divide_class.divide (fun 'a (fun 'a 'a)) :: Rings.divide
mod Rings.modulo_class.modulo (fun 'a (fun 'a 'a)) :: Rings.modulo
cong Cong.unique_euclidean_semiring_class.cong (fun 'a (fun 'a (fun 'a bool))) :: Rings.modulo
dvd Rings.dvd_class.dvd (fun 'a (fun 'a bool)) :: Rings.dvd
inverse Fields.inverse_class.inverse (fun 'a 'a) :: Fields.inverse
^ Power.power_class.power (fun 'a (fun nat 'a)) :: Power.power
numeral Num.numeral_class.numeral (fun num 'a) :: Num.numeral
One Num.num.One num
Bit0 Num.num.Bit0 (fun num num)
Bit1 Num.num.Bit1 (fun num num)
Suc Nat.Suc (fun nat nat)
of_nat Nat.semiring_1_class.of_nat (fun nat 'a) :: Rings.semiring_1
of_int Int.ring_1_class.of_int (fun int 'a) :: Rings.ring_1
nat Int.nat (fun int nat)
floor Archimedean_Field.floor_ceiling_class.floor (fun 'a int) :: Archimedean_Field.floor_ceiling
in Set.member (fun 'a (fun (set 'a) bool))
Collect Set.Collect (fun (fun 'a bool) (set 'a))
Ball Set.Ball (fun (set 'a) (fun (fun 'a bool) bool))
Bex Set.Bex (fun (set 'a) (fun (fun 'a bool) bool))
insert Set.insert (fun 'a (fun (set 'a) (set 'a)))
image Set.image (fun (fun 'a 'b) (fun (set 'a) (set 'b)))
vimage Set.vimage (fun (fun 'a 'b) (fun (set 'b) (set 'a)))
Pow Set.Pow (fun (set 'a) (set (set 'a)))
atLeastAtMost Set_Interval.ord_class.atLeastAtMost (fun 'a (fun 'a (set 'a))) :: Orderings.ord
atLeastLessThan Set_Interval.ord_class.atLeastLessThan (fun 'a (fun 'a (set 'a))) :: Orderings.ord
lessThan Set_Interval.ord_class.lessThan (fun 'a (set 'a)) :: Orderings.ord
greaterThan Set_Interval.ord_class.greaterThan (fun 'a (set 'a)) :: Orderings.ord
finite Finite_Set.finite (fun (set 'a) bool)
card Finite_Set.card (fun (set 'a) nat)
Max Lattices_Big.linorder_class.Max (fun (set 'a) 'a) :: Orderings.linorder
inj_on Fun.inj_on (fun (fun 'a 'b) (fun (set 'a) bool))
o Fun.comp (fun (fun 'b 'c) (fun (fun 'a 'b) (fun 'a 'c)))
id Fun.id (fun 'a 'a)
upd Fun.fun_upd (fun (fun 'a 'b) (fun 'a (fun 'b (fun 'a 'b))))
Pair Product_Type.Pair (fun 'a (fun 'b (prod 'a 'b)))
fst Product_Type.prod.fst (fun (prod 'a 'b) 'a)
snd Product_Type.prod.snd (fun (prod 'a 'b) 'b)
case_prod Product_Type.prod.case_prod (fun (fun 'a (fun 'b 'c)) (fun (prod 'a 'b) 'c))
Sigma Product_Type.Sigma (fun (set 'a) (fun (fun 'a (set 'b)) (set (prod 'a 'b))))
Unity Product_Type.Unity unit
Nil List.list.Nil (list 'a)
Cons List.list.Cons (fun 'a (fun (list 'a) (list 'a)))
append List.append (fun (list 'a) (fun (list 'a) (list 'a)))
rev List.rev (fun (list 'a) (list 'a))
nth List.nth (fun (list 'a) (fun nat 'a))
length List.length (fun (list 'a) nat)
hd List.list.hd (fun (list 'a) 'a)
map List.list.map (fun (fun 'a 'b) (fun (list 'a) (list 'b)))
setof List.list.set (fun (list 'a) (set 'a))
Some Option.option.Some (fun 'a (option 'a))
None Option.option.None (option 'a)
suminf Series.suminf (fun (fun nat 'a) 'a)
fact Factorial.semiring_char_0_class.fact (fun nat 'a)
sqrt NthRoot.sqrt (fun real real)
pi Transcendental.pi real
ln Transcendental.ln_class.ln (fun real real)
norm Real_Vector_Spaces.norm_class.norm (fun 'a real) :: Real_Vector_Spaces.norm
of_real Real_Vector_Spaces.of_real (fun real complex)
Im Complex.complex.Im (fun complex real)
Arcsin Complex_Transcendental.Arcsin (fun complex complex)
csqrt Complex.csqrt (fun complex complex)
ii Complex.imaginary_unit complex
sets Sigma_Algebra.sets (fun (measure 'a) (set (set 'a)))
space Sigma_Algebra.space (fun (measure 'a) (set 'a))
emeasure Sigma_Algebra.emeasure (fun (measure 'a) (fun (set 'a) real))
measure_space Sigma_Algebra.measure_space (fun (set 'a) (fun (set (set 'a)) (fun (fun (set 'a) real) bool)))
sigma_algebra Sigma_Algebra.sigma_algebra (fun (set 'a) (fun (set (set 'a)) bool))
positive Sigma_Algebra.positive (fun (set (set 'a)) (fun (fun (set 'a) real) bool))
countably_additive Sigma_Algebra.countably_additive (fun (set (set 'a)) (fun (fun (set 'a) real) bool))
disjoint_family Disjoint_Sets.disjoint_family (fun (fun nat (set 'a)) bool)
subalgebra Probability.subalgebra (fun (measure 'a) (fun (measure 'a) bool))
path_image Path_Connected.path_image (fun (fun real complex) (set complex))
winding Winding_Numbers.winding_number (fun (fun real complex) (fun complex complex))
contour Contour_Integration.contour_integral (fun (fun real complex) (fun (fun complex complex) complex))
proots Polynomial.proots (fun (poly complex) (set complex))
proots_within Polynomial.proots_within (fun (poly complex) (fun (set complex) (set complex)))
box Topology_Euclidean_Space.box (fun complex (fun complex (set complex)))
cbox Topology_Euclidean_Space.cbox (fun complex (fun complex (set complex)))
sqr Library.sqr (fun 'a 'a) :: Groups.times
"""

BINDERS = {
    "ALL": "All", "EX": "Ex", "EX1": "Ex1", "THE": "The", "SOME": "Eps", "COLLECT": "Collect", "LEAST": "Least",
}  # fmt: skip


def read_type(text: str) -> Typ:
    """The prefix form with short names; a type variable without a sort is of class HOL.type."""
    text = re.sub(r"(?<![\w(])('[a-z]+)|\(('[a-z]+)(?= ::)", lambda m: f"({m[1]} :: HOL.type)" if m[1] else m[0], text)
    return parse_type(re.sub(r"(?<![\w.'])[a-z]+(?![\w.'])", lambda m: TYPE_NAMES.get(m[0], m[0]), text))


def _signature() -> tuple[Signature, dict[str, str]]:
    constants, aliases = [], {}
    for line in CONSTANTS.strip().splitlines():
        alias, name, rest = line.split(" ", 2)
        text, _, sort = rest.partition(" :: ")
        if sort:
            text = re.sub(r"'a(?!\w)", f"('a :: {sort})", text)
        aliases[alias] = name
        constants.append(Constant(name, read_type(text)))
    arities, types = [], [("fun", 2), ("prop", 0)]
    for key, classes in ARITIES.items():
        name, _, count = key.partition("/")
        types.append((TYPE_NAMES[name], int(count or 0)))
        parameters = [["HOL.type"]] * int(count or 0)
        arities += [(TYPE_NAMES[name], sort, parameters) for sort in ["HOL.type", *classes.split()]]
    arities.append(("fun", "HOL.type", [["HOL.type"], ["HOL.type"]]))
    pointwise = ("Orderings.ord", "Orderings.order", "Orderings.bot", "Orderings.top", "Lattices.inf", "Lattices.sup")
    arities += [("fun", sort, [["HOL.type"], [sort]]) for sort in pointwise]
    return Signature.build(constants, types, ((c, s.split()) for c, s in CLASSES.items()), arities), aliases


SIGNATURE, ALIASES = _signature()


def read(text: str) -> Term:
    """An S-expression as a term without types. `(ALL (x y) body)`, `(fn (x) body)`, numbers, `?` never: variables
    are free.
    """
    pieces = re.findall(r"[()]|[^\s()]+", text)
    position = 0

    def parse() -> object:
        nonlocal position
        piece = pieces[position]
        position += 1
        if piece != "(":
            return piece
        items = []
        while pieces[position] != ")":
            items.append(parse())
        position += 1
        return items

    tree = parse()
    assert position == len(pieces), text
    return _proposition(tree, ())


def _proposition(tree: object, bound: tuple[str, ...]) -> Term:
    if isinstance(tree, list) and tree[0] == "==>":
        *premises, conclusion = tree[1:]
        result = _proposition(conclusion, bound)
        for premise in reversed(premises):
            result = App(App(Const("Pure.imp"), _proposition(premise, bound)), result)
        return result
    if isinstance(tree, list) and tree[0] == "!!":
        names = tuple(tree[1])
        body = _proposition(tree[2], (*reversed(names), *bound))
        for name in reversed(names):
            body = App(Const("Pure.all"), Abs(name, None, body))
        return body
    if isinstance(tree, list) and tree[0] == "==":
        return _term(tree, bound)
    return App(Const("HOL.Trueprop"), _term(tree, bound))


def _term(tree: object, bound: tuple[str, ...]) -> Term:
    if isinstance(tree, str):
        if tree in bound:
            return Bound(bound.index(tree))
        if tree.isdigit():
            return _number(int(tree))
        return Const(ALIASES[tree]) if tree in ALIASES else Free(tree)
    assert isinstance(tree, list)
    head = tree[0]
    if isinstance(head, str) and (head == "fn" or head in BINDERS):
        names = tuple(tree[1])
        body = _term(tree[2], (*reversed(names), *bound))
        for name in reversed(names):
            body = Abs(name, None, body)
            if head != "fn":
                body = App(Const(ALIASES[BINDERS[head]]), body)
        return body
    if head == "set":
        result: Term = Const("Orderings.bot_class.bot")
        for element in reversed(tree[1:]):
            result = App(App(Const("Set.insert"), _term(element, bound)), result)
        return result
    if isinstance(head, str) and head in ("notin", "neq"):
        inner = ["in" if head == "notin" else "=", *tree[1:]]
        return App(Const("HOL.Not"), _term(inner, bound))
    result = _term(head, bound)
    for argument in tree[1:]:
        result = App(result, _term(argument, bound))
    return result


def _number(value: int) -> Term:
    if value < 2:
        return Const("Groups.one_class.one" if value else "Groups.zero_class.zero")
    num: Term = Const("Num.num.One")
    for bit in bin(value)[3:]:
        num = App(Const("Num.num.Bit1" if bit == "1" else "Num.num.Bit0"), num)
    return App(Const("Num.numeral_class.numeral"), num)


def local(texts: list[str], types: dict[str, str]) -> list[Term]:
    """Propositions about fixed variables, typed together."""
    return list(infer([read(t) for t in texts], SIGNATURE, {k: read_type(v) for k, v in types.items()}).propositions)


def lemma(name: str, text: str, types: dict[str, str]) -> Named:
    """A library lemma: its variables and type variables are schematic."""
    typed = infer([read(text)], SIGNATURE, {k: read_type(v) for k, v in types.items()}).propositions[0]

    def open_type(typ: Typ) -> Typ:
        if isinstance(typ, TFree):
            return TVar(typ.name, 0, typ.sort)
        return Type(typ.name, tuple(open_type(a) for a in typ.args)) if isinstance(typ, Type) else typ

    opened = substitute_types(typed, open_type)

    def open_variable(leaf: Term, _depth: int) -> Term:
        return Var(leaf.name, 0, leaf.type) if isinstance(leaf, Free) else leaf

    return Named(name, rebuild(opened, open_variable))
