"""Proof graphs: what the miner found in one theory, as frozen dataclasses read from `SESSION/THEORY.jsonl.zst`.

A graph holds no text of the theory and no path. Facts are the nodes, uses are the edges: a proof lists its facts in
order of appearance, and each fact says which earlier facts or library lemmas justify it. docs/graphs.md describes the
file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from isarstep.common.errors import UserError
from isarstep.common.file_reading import read_content
from isarstep.common.memory import without_collection
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, TFree, TVar, Typ, Type, Var
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.isabelle.terms.type_text import format_type

FORMAT = 2
READABLE = (1, 2)  # format 1 has none of the fields that are said to be new in format 2; they get their defaults

FactKind = Literal[
    "goal",  # stated and proved here: by the head, have, show, obtain, consider, subgoal; or handed on by a { } block
    "assumption",  # assume, presume, case, assms, that, premises of subgoal and of the context: nothing justifies it
    "definition",  # the equation of define
    "compound",  # a modified fact such as foo[OF bar]
    "calculation",  # what also and finally have composed; moreover and ultimately compose nothing
]

# How a fact was referred to by the step (or fact) that uses it.
How = Literal[
    "chained",  # then, hence, thus, from, with, finally, ultimately
    "using",
    "unfolding",
    "supply",
    "method",  # an argument of a proof method
    "base",  # the fact that attributes modify (the foo of foo[OF bar])
    "attribute",  # a fact inside an attribute (the bar of foo[OF bar])
    "calculation",  # a step that also/finally/moreover/ultimately composed
    "interpretation",  # what an `interpret` brought rests on the statement proved there (new in format 2)
    "block",  # from a statement to a show or subgoal inside its proof; from what a { } block hands on to its fact
]


@dataclass(frozen=True, slots=True)
class Use:
    """One edge. Exactly one of the three is set: a fact of the same proof, a library lemma, or a collection's name."""

    how: How
    fact: int | None = None  # index in Proof.facts, smaller than the user's own, "block" (and a named subgoal) aside
    lemma: int | None = None  # index in Graph.lemmas
    collection: str | None = None  # a named collection (algebra_simps, ...), opaque


@dataclass(frozen=True, slots=True)
class Fact:
    """One proposition of a proof, with what justifies it. Facts stated together by one step share their uses."""

    kind: FactKind
    step: int  # index in Proof.steps of the command that made it
    name: str | None  # the name it was given in the text, for people only
    prop: Term  # typed, beta-normal; its free variables are in Proof.variables
    uses: tuple[Use, ...]
    # New in format 2: the statement as it stands inside its own proof, where that is another one than `prop`
    # (`A x` for `have A if B for x`), and where the text quotes it: from and to, in symbols of Isabelle counted from 1.
    stated: Term | None = None
    at: tuple[int, int] | None = None
    # New in format 2: what a `show` says around its block, under what the block assumes and for all that it fixes,
    # where that is more than `prop`. The statement that the block proves follows from this.
    outside: Term | None = None


@dataclass(frozen=True, slots=True)
class ProofStep:
    """One command of a proof."""

    ordinal: int  # of the command, counted from the head of the proof
    command: str
    parent: int | None  # index of the step whose proof block encloses this one; None: the head of the proof itself
    depth: int  # nesting of proof blocks
    block: int  # number of the `{ }`/`next` block inside the proof: facts of one never reach its siblings
    case: str | None  # name of the case this block treats
    fixed: tuple[int, ...]  # all variables fixed at this point, in order of introduction, as indices in Proof.variables
    introduced: tuple[int, ...] = ()  # those that this step itself introduces (new in format 2)


@dataclass(frozen=True, slots=True)
class Variable:
    name: str  # the name as free variable in terms of this proof, which no other variable of it has
    type: Typ
    own: str = ""  # the name that the text gave it (new in format 2; of format 1 it is `name`)


@dataclass(frozen=True, slots=True)
class Proof:
    """One proof with its head: lemma, instance, interpretation, termination, notepad, ..."""

    ordinal: int  # of the proof in its theory
    command: str
    name: str | None  # full name of the theorem, where it got one
    line: int
    variables: tuple[Variable, ...]
    steps: tuple[ProofStep, ...]  # steps[0] is the head command
    facts: tuple[Fact, ...]  # the head's own statements are the facts of step 0 with kind "goal"
    complete: bool  # False: the theory failed or ran out of time inside this proof
    unresolved: tuple[str, ...]  # references that could not be resolved, each "step ordinal: name: reason"
    offset: int = 0  # of the head command in the text, in symbols from 1 (new in format 2)
    locale: str | None = None  # the locale or class in which it stands (new in format 2)


@dataclass(frozen=True, slots=True)
class Lemma:
    """A library lemma (or a fact from outside the proof), by full name.

    index 0 when the fact has a single theorem, else from 1.
    """

    name: str
    index: int
    prop: Term


@dataclass(frozen=True, slots=True)
class DeclaredConstant:
    name: str
    type: Typ  # most general, with schematic type variables and sorts
    abbreviates: Term | None = None  # what it stands for, when it is an abbreviation
    after: int | None = None  # how many proofs of the theory begin before its declaration (new in format 2)


@dataclass(frozen=True, slots=True)
class TheorySignature:
    """What one theory adds."""

    constants: tuple[DeclaredConstant, ...]
    types: tuple[tuple[str, int], ...]  # constructor, number of arguments
    classes: tuple[tuple[str, tuple[str, ...]], ...]  # class, all its super-classes
    arities: tuple[tuple[str, str, tuple[tuple[str, ...], ...]], ...]  # constructor, class, sorts of the arguments
    coercions: tuple[Term, ...]
    arities_after: tuple[int | None, ...] = ()  # for each arity, as `after` of a constant (new in format 2)


@dataclass(frozen=True, slots=True)
class Rule:
    """A theorem that the theory hands to Isabelle's automation.

    kind: `simp`, `cong`, `intro`, `intro!`, `intro?` and the like for elim and dest, `trans`, `sym`, or `in NAME` for a
    member of a named collection.
    """

    kind: str
    name: str
    index: int
    prop: Term | None = None  # of `simp`: the equation (==) in the direction in which the simplifier rewrites


@dataclass(frozen=True, slots=True)
class Graph:
    """Everything mined from one theory."""

    isabelle: str
    session: str
    theory: str  # long name, e.g. HOL.Parity
    parents: tuple[str, ...]
    hash: str  # of the theory's source
    lemmas: tuple[Lemma, ...]
    proofs: tuple[Proof, ...]
    signature: TheorySignature
    theorems: tuple[Lemma, ...]  # all named theorems of the theory: the fact base
    failures: tuple[str, ...]  # what went wrong while the theory was loaded, empty when all is well
    terms: tuple[Term, ...] = ()  # every term and subterm of the above, each after its own parts
    # See docs/graphs.md, with types and terms as text.
    notation: Mapping[str, Any] = field(default_factory=dict, hash=False)
    rules: tuple[Rule, ...] = ()  # what the theory adds for automation (new in format 2)
    removed: tuple[str, ...] = ()  # rules of its parents that no longer hold: "KIND NAME INDEX" (new in format 2)


_CURE = "mine the theory again"


def read_graph(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]] | None = None) -> Graph:
    """The proof graph in a file, its records changed by a function if one is given.

    a file that is not whole, or not a graph of this format, is a UserError that says what is wrong.
    """
    return parse_graph(read_content(path, _CURE), str(path), change)


def parse_graph(data: bytes, where: str, change: Callable[[dict[str, Any]], dict[str, Any]] | None = None) -> Graph:
    """The graph that JSON lines stand for; `where` names them in errors."""
    builder = _Builder()
    number = 0
    with without_collection():
        try:
            for number, line in enumerate(data.splitlines(), 1):  # noqa: B007 (the number is for the error below)
                builder.add(json.loads(line) if change is None else change(json.loads(line)))
            return builder.graph()
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            what = f"{type(error).__name__}: {error}" if not isinstance(error, _Malformed) else str(error)
            raise UserError(f"{where}: line {number}: not a proof graph of format {FORMAT}: {what}; {_CURE}") from error


class _Malformed(ValueError):
    """Said in words of ours."""


_KINDS = frozenset(get_args(FactKind))
_HOWS = frozenset(get_args(How))


class _Builder:
    """Collects the records of one file. Tables grow line by line, so a row that refers forward finds nothing there."""

    def __init__(self) -> None:
        self._head: dict[str, Any] | None = None
        self._types: list[Typ] = []
        self._terms: list[Term] = []
        self._lemmas: list[Lemma] = []
        self._proofs: list[Proof] = []
        self._others: dict[str, Any] = {"signature": TheorySignature((), (), (), (), ()), "theorems": ()}
        self._uses: dict[tuple[str, str, int | str], Use] = {}

    def add(self, record: dict[str, Any]) -> None:
        if self._head is None:
            if record.get("format") not in READABLE:
                raise _Malformed(f"the first line says format {record.get('format')}")
            self._head = record
            return
        if "failures" in self._others:
            raise _Malformed("something follows the end record")
        for key, value in record.items():
            match key:
                case "types":
                    self._add_types(value)
                case "terms":
                    self._add_terms(value)
                case "lemma":
                    self._lemmas.append(self._lemma(value))
                case "proof":
                    self._proofs.append(self._proof(value))
                case "signature":
                    self._others["signature"] = self._read_signature(value)
                case "theorems":
                    self._others["theorems"] = tuple(self._lemma(row) for row in value)
                case "notation":
                    self._others["notation"] = self._read_notation(value)
                case "rules":
                    self._others["removed"] = tuple(value.pop("removed", ()))
                    rules = (self._rule(kind, row) for kind, rows in value.items() for row in rows)
                    self._others["rules"] = tuple(rules)
                case "end":
                    self._others["failures"] = tuple(value["failures"])
                case _:
                    raise _Malformed(f"unknown record {key}")

    def graph(self) -> Graph:
        head = self._head
        if head is None:
            raise _Malformed("the file is empty")
        if "failures" not in self._others:
            raise _Malformed("the file has no end record, so it is not whole")
        return Graph(
            **{name: head[name] for name in ("isabelle", "session", "theory", "hash")},
            parents=tuple(head["parents"]),
            lemmas=tuple(self._lemmas),
            proofs=tuple(self._proofs),
            terms=tuple(self._terms),
            **self._others,
        )

    def _add_types(self, rows: list[list[Any]]) -> None:
        types = self._types
        for name, *rest in rows:
            if name[0] == "'":
                types.append(TFree(name, tuple(rest[0])))
            elif name[0] == "?":
                types.append(TVar(name[1:], rest[0], tuple(rest[1])))
            elif rest and min(rest) < 0:
                raise _Malformed("a negative number in the type table")
            else:
                types.append(Type(name, tuple([types[i] for i in rest])))

    def _add_terms(self, rows: list[list[Any]]) -> None:
        types, terms = self._types, self._terms
        add = terms.append
        for row in rows:
            kind = row[0]
            if kind == "a":
                _, function, argument = row
                if function < 0 or argument < 0:
                    raise _Malformed("a negative number in the term table")
                add(App(terms[function], terms[argument]))
            elif kind == "c":
                add(Const(row[1], types[row[2]]))
            elif kind == "b":
                add(Bound(row[1]))
            elif kind == "f":
                add(Free(row[1], types[row[2]]))
            elif kind == "v":
                add(Var(row[1], row[2], types[row[3]]))
            elif kind == "l":
                add(Abs(row[1], types[row[2]], terms[row[3]]))
            else:
                raise _Malformed(f"unknown kind of term {kind!r}")

    def _lemma(self, row: list[Any]) -> Lemma:
        name, index, term = row
        return Lemma(name, index, self._terms[term])

    def _rule(self, kind: str, row: list[Any]) -> Rule:
        name, index, *term = row
        return Rule(kind, name, index, self._terms[term[0]] if term else None)

    def _use(self, row: list[Any], facts: int) -> Use:
        how, sort, target = row
        key = (how, sort, target)
        found = self._uses.get(key)
        if found is None:
            if how not in _HOWS:
                raise _Malformed(f"unknown kind of use {how!r}")
            if sort == "f":
                found = Use(how, fact=target)
            elif sort == "l":
                if not 0 <= target < len(self._lemmas):
                    raise _Malformed(f"a use of lemma {target}, which is not there")
                found = Use(how, lemma=target)
            elif sort == "c":
                found = Use(how, collection=target)
            else:
                raise _Malformed(f"unknown target of a use {sort!r}")
            self._uses[key] = found
        if sort == "f" and not 0 <= target < facts:
            raise _Malformed(f"a use of fact {target}, which is not there")
        return found

    def _proof(self, proof: dict[str, Any]) -> Proof:
        types, terms = self._types, self._terms
        count = len(proof["facts"])
        steps = tuple(
            ProofStep(ordinal, command, parent, depth, block, case, tuple(fixed), *map(tuple, introduced))
            for ordinal, command, parent, depth, block, case, fixed, *introduced in proof["steps"]
        )
        facts = []
        for kind, step, name, term, uses, *new in proof["facts"]:
            stated, at, outside = new or (None, None, None)
            if kind not in _KINDS:
                raise _Malformed(f"unknown kind of fact {kind!r}")
            if not 0 <= step < len(steps):
                raise _Malformed(f"a fact of step {step}, which is not there")
            found = tuple([self._use(use, count) for use in uses])
            inside, around = (None if number is None else terms[number] for number in (stated, outside))
            facts.append(Fact(kind, step, name, terms[term], found, inside, None if at is None else tuple(at), around))
        return Proof(
            proof["ordinal"],
            proof["command"],
            proof["name"],
            proof["line"],
            tuple(Variable(name, types[number], *(own or [name])) for name, number, *own in proof["variables"]),
            steps,
            tuple(facts),
            proof["complete"],
            tuple(proof["unresolved"]),
            proof.get("offset", 0),
            proof.get("locale"),
        )

    def _read_signature(self, value: dict[str, Any]) -> TheorySignature:
        types, terms = self._types, self._terms
        return TheorySignature(
            tuple(
                DeclaredConstant(n, types[t], None if a is None else terms[a], *new)
                for n, t, a, *new in value["constants"]
            ),
            tuple((name, arguments) for name, arguments in value["types"]),
            tuple((name, tuple(above)) for name, above in value["classes"]),
            tuple((name, of, tuple(tuple(sort) for sort in sorts)) for name, of, sorts, *_ in value["arities"]),
            tuple(terms[term] for term in value["coercions"]),
            tuple(new[0] if new else None for _, _, _, *new in value["arities"]),
        )

    def _read_notation(self, value: dict[str, Any]) -> dict[str, Any]:
        """The record, with text instead of numbers of types and terms, so that it means something outside this file."""
        types, terms = self._types, self._terms
        notation = dict(value)
        if "synonyms" in notation:
            notation["synonyms"] = [[name, args, format_type(types[t])] for name, args, t in value["synonyms"]]
        if "locales" in notation:
            notation["locales"] = [
                {
                    **locale,
                    "parameters": [[name, format_type(types[t])] for name, t in locale.get("parameters", ())],
                    "constants": [[name, encode_line(terms[t])] for name, t in locale.get("constants", ())],
                }
                for locale in value["locales"]
            ]
        return notation
