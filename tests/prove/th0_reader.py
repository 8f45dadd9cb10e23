"""Reads the TH0 that `encode_th0` writes back into SMT-LIB, so that cvc5 can judge that encoding too. Strict: anything
else fails.
"""

from __future__ import annotations

import re

TOKEN = re.compile(r"\s*(<=>|=>|[!?^~&|@=>:,()\[\]]|\$?\w+)")


def th0_to_smt(text: str) -> str:
    lines = ["(set-logic HO_ALL)"]
    for line in text.strip().splitlines():
        found = re.fullmatch(r"thf\((\w+),(type|axiom|conjecture),(.*)\)\.", line)
        assert found, line
        label, role, rest = found.groups()
        if role == "type":
            name, _, typ = rest.partition(": ")
            if typ == "$tType":
                lines.append(f"(declare-sort {name} 0)")
            else:
                arguments, result = _uncurry(_Reader(typ).typ())
                lines.append(f"(declare-fun {name} ({' '.join(_sort(a) for a in arguments)}) {_sort(result)})")
        else:
            formula = _Reader(rest).whole()
            wrapped = f"(not {formula})" if role == "conjecture" else formula
            lines.append(f"(assert (! {wrapped} :named {label}))")
    return "\n".join([*lines, "(check-sat)"]) + "\n"


Typ = str | tuple["Typ", "Typ"]


def _uncurry(typ: Typ) -> tuple[list[Typ], Typ]:
    arguments = []
    while isinstance(typ, tuple):
        arguments.append(typ[0])
        typ = typ[1]
    return arguments, typ


def _sort(typ: Typ) -> str:
    if isinstance(typ, str):
        return {"$o": "Bool"}.get(typ, typ)
    arguments, result = _uncurry(typ)
    return f"(-> {' '.join(_sort(a) for a in arguments)} {_sort(result)})"


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = TOKEN.findall(text)
        assert "".join(self.tokens) == re.sub(r"\s", "", text), text
        self.at = 0

    def take(self, wanted: str | None = None) -> str:
        token = self.tokens[self.at]
        assert wanted is None or token == wanted, (wanted, token)
        self.at += 1
        return str(token)

    def typ(self) -> Typ:
        if self.tokens[self.at] == "(":
            self.take()
            left = self.typ()
            self.take(">")
            right = self.typ()
            self.take(")")
            return (left, right)
        return self.take()

    def whole(self) -> str:
        result = self.term()
        assert self.at == len(self.tokens)
        return result

    def term(self) -> str:
        token = self.take()
        if token != "(":
            return {"$true": "true", "$false": "false"}.get(token, token)
        head = self.tokens[self.at]
        if head in ("!", "?", "^"):
            self.take()
            self.take("[")
            variables = []
            while True:
                name = self.take()
                self.take(":")
                variables.append(f"({name} {_sort(self.typ())})")
                if self.take() == "]":
                    break
            self.take(":")
            body = self.term()
            self.take(")")
            word = {"!": "forall", "?": "exists", "^": "lambda"}[head]
            inner = re.fullmatch(r"\(lambda \((\(.*?\))\) (.*)\)", body) if head == "^" else None
            if inner:  # cvc5 wants nested lambdas as one
                return f"(lambda ({' '.join(variables)} {inner[1]}) {inner[2]})"
            return f"({word} ({' '.join(variables)}) {body})"
        if head == "~":
            self.take()
            body = self.term()
            self.take(")")
            return f"(not {body})"
        parts = [self.term()]
        sign = self.take()
        while True:
            parts.append(self.term())
            after = self.take()
            if after == ")":
                break
            assert after == sign
        if sign == "@":
            head_text, *arguments = parts
            if head_text.startswith("(") and not head_text.startswith("(lambda"):
                return f"{head_text[:-1]} {' '.join(arguments)})"
            return f"({' '.join(parts)})"
        word = {"&": "and", "|": "or", "=>": "=>", "<=>": "=", "=": "="}[sign]
        return f"({word} {' '.join(parts)})"
