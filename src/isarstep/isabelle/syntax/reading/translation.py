"""From syntax trees to terms: rules of the context first, then what Isabelle does in code, written here once.

Names are resolved on the way: bound variables, then fixed ones, then constants of the context, then free variables.
Type constraints stay in the term as applications of `CONSTRAINT`, for type inference to use and remove.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any, TypeAlias

from isarstep.isabelle.inference.infer import CONSTRAINT, DUMMY, IN_TEXT, refuse_large
from isarstep.isabelle.syntax.grammar.case_expressions import MARK
from isarstep.isabelle.syntax.grammar.hidden_arguments import Hidden, with_hidden
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.parser import Token, Tree, row_of
from isarstep.isabelle.syntax.grammar.patterns import TAKES_PROPOSITIONS, is_meta
from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.syntax.reading.record_syntax import record_type
from isarstep.isabelle.syntax.reading.syntax_code import CODE
from isarstep.isabelle.terms.normal_forms import TooLargeError
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    TVar,
    Typ,
    Type,
    Var,
    fun,
    head_name,
    list_comb,
)
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import instantiate_type

_CONST, _BINDER, _TYPE, _FIXED = "\\<^const>", "\\<^binder>", "\\<^type>", "\\<^fixed>"
_MOST_TREES = 100_000  # of one text, with what rules of notation make of it
_MOST_DIGITS = 9  # of a schematic variable's index

# Applications and abstractions with the piece of text that each was read from: first character, character behind it.
Spans: TypeAlias = list[tuple[Term, int, int]]


class Translator:
    """One text read in one language."""

    def __init__(
        self,
        language: Language,
        fixed: Container[str] = (),
        bound: Mapping[str, Term] | None = None,
        spans: Spans | None = None,
    ) -> None:
        self.language = language
        self.spans = spans
        self.bound = bound or {}  # terms that the text calls by ?thesis, ?x or ...
        self.fixed = fixed
        # name -> where it is bound, innermost last: the depth of a binder, or the variable of a pattern
        self.scope: dict[str, list[int | str]] = {}
        self.depth = 0
        self.constrained = False
        self.dummies = 0
        self.trees = 0  # that were translated: rules of notation may double them
        self.structures = language.structures
        self.alternative = 0  # which of several constants of the same name is meant, counted from the last one
        self.locale_first = False  # are names those of some locale, though nobody has said which?
        self.sorts: dict[str, tuple[str, ...]] = {}  # what the text says of its type variables
        self.hidden: Hidden = {}
        self.rules = language.parse_rules

    def proposition(self, tree: Tree) -> Term:
        """A tree where a proposition is expected."""
        if type(tree) is tuple and tree[0] == "_aprop":
            return self.term(tree[1])
        term = self.term(tree)
        judgment = self.language.judgment
        name = head_name(term)
        if judgment is None or is_meta(term) or name == judgment or self.language.takes_propositions(name):
            return term
        return App(Const(judgment), term)

    # Terms

    def term(self, tree: Tree) -> Term:
        if self.spans is None or type(tree) is not tuple:
            return self.translated(tree)
        made = self.translated(tree)
        if type(made) is App or type(made) is Abs:
            places = _places(tree)
            if places:
                self.spans.append((made, min(begin for begin, _ in places), max(end for _, end in places)))
        return made

    def translated(self, tree: Tree) -> Term:
        while True:
            self.trees += 1
            if self.trees > _MOST_TREES:
                raise TooLargeError
            if type(tree) is Token:
                return self.leaf(tree)
            head = tree if type(tree) is str else tree[0]
            if type(head) is not str:
                return list_comb(self.term(head), [self.term(argument) for argument in tree[1:]])
            rewritten = self.rewrite(head, tree)
            if rewritten is None:
                break
            tree = rewritten
        arguments: tuple[Tree, ...] = () if type(tree) is str else tree[1:]
        if head.startswith(_CONST):
            return self.constant(head[len(_CONST) :], arguments)
        if head.startswith(_BINDER):
            return self.binder(head[len(_BINDER) :], arguments[0], arguments[1])
        if head.startswith(_FIXED):
            return list_comb(Free(head[len(_FIXED) :]), [self.term(argument) for argument in arguments])
        code = CODE.get(head)
        if code is None:
            raise ReadError(0, head, "a notation that is known here")
        return code(self, *arguments)

    def constant(self, name: str, arguments: tuple[Tree, ...]) -> Term:
        made: Term = self.language.local.get(name) or Const(name)
        if self.hidden:
            made = with_hidden(made, self.hidden)
        proposition = name in TAKES_PROPOSITIONS or self.language.takes_propositions(name)
        for argument in arguments:
            made = App(made, self.proposition(argument) if proposition else self.term(argument))
        return made

    def leaf(self, token: Token) -> Term:
        if token.kind == "schematic":
            if token in self.bound:
                return self.bound[token]
            return Var(*_indexed(token))
        if token.kind != "name":
            raise ReadError(max(token.start, 0), token, "an expression")
        depths = self.scope.get(token)
        if depths:
            inner = depths[-1]
            return Bound(self.depth - inner) if type(inner) is int else Free(str(inner))
        text = str(to_isabelle(token))  # no more a token: terms are kept
        if text in self.fixed:
            return Free(text)
        meant = self.meaning(text)
        if meant is not None:
            return with_hidden(meant, self.hidden) if self.hidden else meant
        if "." in text:
            raise ReadError(max(token.start, 0), text, "a constant of this context")
        return Free(text)

    def meaning(self, text: str) -> Term | None:
        """What a name stands for that is no variable."""
        inside = bool(self.language.local) or self.locale_first
        local = self.language.local_meaning(text, self.fixed) if inside else None
        if local is not None:
            return local
        found = self.language.constants.resolve(text, self.alternative)
        if found is not None:
            return Const(found)
        return self.language.local_meaning(text, self.fixed)  # perhaps a locale in which nobody has said that we are

    # Rules

    def rewrite(self, head: str, tree: Tree) -> Tree | None:
        """What the first rule that fits makes of the tree."""
        for left, right in self.rules.get(head, ()):
            found: dict[str, Tree] = {}
            if _match(left, tree, found):
                return _fill(right, found)
            if left == head and type(tree) is tuple:  # a rule for the head alone
                return (_fill(right, found), *tree[1:])
        return None

    # Binders

    def abstraction(self, pattern: Tree, body: Tree | Callable[[], Term]) -> Term:
        """`λpattern. body`: rules of the context take patterns apart until a variable is left."""
        typ = None
        while type(pattern) is tuple and pattern[0] == "_constrain":
            typ = self.typ(pattern[2])
            pattern = pattern[1]
        if type(pattern) is not Token and pattern != "_idtdummy":
            if callable(body):
                raise ReadError(0, None, "a variable behind the binder")
            whole = self.rewrite("_abs", ("_abs", pattern, body))
            if whole is not None:
                return self.term(whole)
            simpler = self.rewrite(pattern if type(pattern) is str else str(pattern[0]), pattern)
            if simpler is None:
                raise ReadError(0, None, "a variable or a tuple of variables behind the binder")
            return self.abstraction(simpler, body)
        self.depth += 1
        if type(pattern) is Token:
            self.scope.setdefault(pattern, []).append(self.depth)
        made = body() if callable(body) else self.term(body)
        if type(pattern) is Token:
            self.scope[pattern].pop()
        self.depth -= 1
        function: Term = Abs(str(to_isabelle(pattern)) if type(pattern) is Token else "uu_", None, made)
        if typ is not None:
            function = self.constrain(function, fun(typ, self.dummy_type()))
        return function

    def binder(self, name: str, variables: Tree, body: Tree | Callable[[], Term]) -> Term:
        """A constant applied to an abstraction, for each of the variables."""
        if type(variables) is tuple and variables[0] in ("_idts", "_pttrns"):
            _, first, rest = variables
            return App(Const(name), self.abstraction(first, lambda: self.binder(name, rest, body)))
        if name in TAKES_PROPOSITIONS:
            return App(Const(name), self.abstraction(variables, lambda: self.proposition(body)))
        return App(Const(name), self.abstraction(variables, body))

    def nested(self, variables: Tree, body: Tree) -> Tree:
        """`_abs` for every one of the variables."""
        if type(variables) is tuple and variables[0] in ("_idts", "_pttrns"):
            return ("_abs", variables[1], self.nested(variables[2], body))
        return ("_abs", variables, body)

    def lifted(self, tree: Tree) -> Term:
        """A term under one more binder, whose variable it cannot name."""
        self.depth += 1
        made = self.term(tree)
        self.depth -= 1
        return made

    def pattern_variables(self, pattern: Tree, names: list[str]) -> dict[str, str]:
        """The variables of a pattern of `case`, with names that nobody else has; `_` is one, too."""
        found: dict[str, str] = {}
        todo = [pattern]
        while todo:
            node = todo.pop()
            if type(node) is Token and node.kind == "name" and "." not in node:
                if self.language.constants.resolve(to_isabelle(node)) is None:
                    self.dummies += 1
                    found[str(node)] = f"{node}{MARK}{self.dummies}"
            elif type(node) is tuple:
                todo.extend(node[1:] if node[0] != "_constrain" else node[1:2])
        names.extend(found)
        return found

    # Types

    def constrain(self, term: Term, typ: Typ) -> Term:
        refuse_large(typ)
        self.constrained = True
        return App(Const(CONSTRAINT, fun(typ, typ)), term)

    def dummy_type(self) -> Typ:
        self.dummies += 1
        return TVar(DUMMY, self.dummies)

    def typ(self, tree: Tree) -> Typ:
        if type(tree) is Token:
            if tree.kind == "tid":
                return TVar(str(tree), IN_TEXT, self.sorts.get(str(tree), ()))
            if tree.kind == "tvar":
                return TVar(*_indexed(tree))
            return self.constructor(tree, [])
        if tree == "_dummy":
            return self.dummy_type()
        head = tree if type(tree) is str else tree[0]
        arguments: tuple[Tree, ...] = () if type(tree) is str else tree[1:]
        if head.startswith(_TYPE):
            return self.applied(head[len(_TYPE) :], [self.typ(argument) for argument in arguments])
        if head == "_tapp":
            return self.constructor(arguments[1], [self.typ(arguments[0])])
        if head == "_tappl":
            first, others, name = arguments
            return self.constructor(name, [self.typ(first), *map(self.typ, row_of("_types", others))])
        if head == "_bracket":
            result = self.typ(arguments[1])
            for argument in reversed(row_of("_types", arguments[0])):
                result = fun(self.typ(argument), result)
            return result
        if head == "_ofsort":
            variable = self.typ(arguments[0])
            assert type(variable) is TVar
            self.sorts[variable.name] = self.sort(arguments[1])
            return TVar(variable.name, variable.index, self.sort(arguments[1]))
        if head == "_vec_type":
            return Type("Finite_Cartesian_Product.vec", (self.typ(arguments[0]), self.dimension(arguments[1])))
        if head in ("_record_type", "_record_type_scheme"):
            return record_type(self, *arguments)
        rewritten = self.rewrite(head, tree)
        if rewritten is None:
            raise ReadError(0, head, "a type")
        return self.typ(rewritten)

    def dimension(self, tree: Tree) -> Typ:
        """The index type of a vector; a variable is one of finite types, as Isabelle's code for `real^'n` has it."""
        typ = self.typ(tree)
        if type(tree) is not Token or type(typ) is not TVar or typ.index != IN_TEXT:
            return typ
        self.sorts[typ.name] = ("Finite_Set.finite",)
        return TVar(typ.name, typ.index, self.sorts[typ.name])

    def sort(self, tree: Tree) -> tuple[str, ...]:
        if tree == "_topsort":
            return ()
        classes = row_of("_classes", tree[1] if type(tree) is tuple and tree[0] == "_sort" else tree)
        return tuple(sorted(self.class_name(item) for item in classes))

    def class_name(self, token: Tree) -> str:
        found = self.language.classes.resolve(to_isabelle(str(token)))
        if found is None:
            raise ReadError(max(getattr(token, "start", 0), 0), str(token), "a type class of this context")
        return found

    def constructor(self, token: Tree, arguments: list[Typ]) -> Typ:
        name = self.language.types.resolve(to_isabelle(str(token))) or (
            str(token) if str(token) in ("fun", "prop") else None
        )
        if name is None:
            raise ReadError(max(getattr(token, "start", 0), 0), str(token), "a type of this context")
        return self.applied(name, arguments)

    def applied(self, name: str, arguments: list[Typ]) -> Typ:
        synonym = self.language.synonyms.get(name)
        count = len(synonym[0]) if synonym else self.language.signature.types.get(name, len(arguments))
        if len(arguments) != count:
            raise ReadError(0, name, f"{count} arguments of this type")
        if synonym is None:
            return Type(name, tuple(arguments))
        values = dict(zip(synonym[0], arguments, strict=True))
        variables: dict[Typ, Typ] = {v: values[v.name] for v in type_variables(synonym[1]) if v.name in values}
        made = instantiate_type(synonym[1], variables)
        refuse_large(made)
        return made


def _places(tree: Tree) -> list[tuple[int, int]]:
    """Where the names and numbers of a tree stand."""
    found = []
    todo = [tree]
    while todo:
        node = todo.pop()
        if type(node) is tuple:
            todo.extend(node)
        elif type(node) is Token and node.start >= 0:
            found.append((node.start, node.start + len(node)))
    return found


def _match(pattern: Any, tree: Tree, found: dict[str, Tree]) -> bool:
    if type(pattern) is tuple:
        if type(tree) is not tuple or len(tree) != len(pattern):
            return False
        return all(_match(part, piece, found) for part, piece in zip(pattern, tree, strict=True))
    if pattern[0] == "?":
        found[pattern] = tree
        return True
    return bool(pattern == tree) and type(tree) is str


def _fill(pattern: Any, found: dict[str, Tree]) -> Tree:
    if type(pattern) is tuple:
        return tuple(_fill(part, found) for part in pattern)
    if pattern[0] == "?":
        return found[pattern]
    return str(pattern)


def _indexed(token: Token) -> tuple[str, int]:
    """Name and index of a schematic variable: `?x.1`."""
    name, _, index = token[1:].partition(".")
    if len(index) > _MOST_DIGITS:
        raise ReadError(max(token.start, 0), token, f"an index of at most {_MOST_DIGITS} digits")
    return name, int(index or "0")
