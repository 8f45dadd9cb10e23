"""Statements as students and textbooks write them: each is read as the term that stands below it, or refused in words.

`statements.txt` has the text, and behind `=` the term with constants by the last part of their name and the types of
its free variables, or behind `!` what is said about it. A line with @ names the theory in which the next ones stand.
"""

import re
from functools import cache
from pathlib import Path

import pytest
from tests.embedded import embedded_benchmark
from tests.isabelle.syntax import complex_main

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.patterns import numeral_value
from isarstep.isabelle.syntax.reading.reader import read_formula, read_statement
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Var, erase
from isarstep.isabelle.terms.type_text import show_type


def statements():
    context, text = "", ""
    for line in (Path(__file__).parent / "statements.txt").read_text("utf-8").splitlines():
        if line.startswith("@"):
            context = line[1:]
        elif line.startswith("    "):
            yield context, text, line.strip()
        elif line and not line.startswith("#"):
            text = line


STATEMENTS = list(statements())


@cache
def benchmark() -> Benchmark:
    return embedded_benchmark()


@cache
def language(context: str) -> Language:
    if context == "Complex_Main":
        return complex_main.language()
    found = benchmark().theory_contexts.at(context).language
    assert found is not None
    return found


def nested(term, scope=()) -> str:
    """A term as lists in brackets, with its own names of bound variables."""
    if isinstance(term, App):
        head, arguments = term, []
        while isinstance(head, App):
            arguments.append(head.arg)
            head = head.fun
        if isinstance(head, Const) and head.name == "Num.numeral_class.numeral" and len(arguments) == 1:
            return str(numeral_value(arguments[0]))
        return "(" + " ".join(nested(part, scope) for part in [head, *reversed(arguments)]) + ")"
    if isinstance(term, Abs):
        return f"(λ{term.name} {nested(term.body, (*scope, term.name))})"
    if isinstance(term, Bound):
        return scope[-1 - term.index]
    if isinstance(term, Const):
        return term.name.rpartition(".")[2]
    return f"?{term.name}" if isinstance(term, Var) else term.name


def answer(text: str, language: Language) -> str:
    try:
        reading = read_formula(text, language)
    except UserError as error:
        return f"! {error}"
    term = nested(reading.term).removeprefix("(Trueprop ")
    term = term[:-1] if term.count(")") > term.count("(") else term
    types = ", ".join(f"{name} :: {show_type(typ)}" for name, typ in reading.frees.items())
    return f"= {term} ;; {types}".strip()


def test_there_are_enough_of_them():
    assert len(STATEMENTS) >= 500
    assert sum(1 for *_, wanted in STATEMENTS if wanted.startswith("=")) >= 300


@pytest.mark.parametrize(("context", "text", "wanted"), STATEMENTS)
def test_read_as_stated_or_refused_in_words(context, text, wanted):
    found = answer(text, language(context))
    assert found == wanted
    assert "CONST" not in found, "a student does not read tokens"
    assert not re.search(r"\bFREE\b", found)
    if wanted.startswith("!"):
        assert "\n" not in found


@pytest.mark.parametrize(("context", "text", "wanted"), STATEMENTS)
def test_a_statement_of_a_problem_is_the_same_term(context, text, wanted):
    """Both ways into the reader agree; one that leaves types to others may still be refused when they are looked at."""
    here = language(context)
    try:
        term = read_statement(text, here).term
    except UserError as error:
        assert wanted == f"! {error}" or " has type " in wanted or " is no " in wanted
    else:
        if wanted.startswith("="):
            assert term == erase(canonical(read_formula(text, here).term, here))
        else:
            assert " has type " in wanted or " is no " in wanted, f"read as {nested(term)}"
