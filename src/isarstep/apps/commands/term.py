"""The command of the logic room: `term` reads, types and prints propositions."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isarstep.common.errors import UserError

if TYPE_CHECKING:
    from isarstep.isabelle.syntax.writing.names import Names
    from isarstep.isabelle.terms.terms import Term


class Form(StrEnum):
    """How to print a proposition."""

    unicode = "unicode"
    latex = "latex"
    mathml = "mathml"
    tokens = "tokens"


def term(
    proposition: Annotated[str | None, typer.Argument(help="Tokens of a proposition, in quotes.")] = None,
    file: Annotated[Path | None, typer.Option(help="Read one proposition a line; - is standard input.")] = None,
    signature: Annotated[
        Path | None, typer.Option(help="Signature file (JSON, .gz, .zst); else the sample inside the package.")
    ] = None,
    form: Annotated[Form, typer.Option(help="How to print.")] = Form.unicode,
    types: Annotated[bool, typer.Option(help="Also print the types of the variables.")] = True,
    variants: Annotated[
        bool, typer.Option(help="Also read other writings: glued or superfluous brackets, bare ABS, VAR v 0.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document for each proposition.")] = False,
) -> None:
    """Decode, type and print propositions that are written as tokens.

    Example:

        isarstep term 'CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE <X0> $ CONST Groups.zero_class.zero )'
        isarstep term --file targets.txt --signature signature.json.zst --form latex --no-types
    """
    from isarstep.isabelle.inference.infer import infer
    from isarstep.isabelle.syntax.writing.names import Names
    from isarstep.isabelle.syntax.writing.sample import sample_signature
    from isarstep.isabelle.terms.signature import Signature
    from isarstep.isabelle.terms.tokens import decode

    if (proposition is None) == (file is None):
        raise UserError("give one proposition, or a file of them with --file")
    known = Signature.load(signature) if signature else sample_signature()
    names = Names.of_signature(known)
    for number, line in enumerate(_lines(file) if file else [proposition or ""], 1):
        try:
            typing = infer([decode(line, strict=not variants)], known)
        except UserError as error:
            raise UserError(f"{file}, line {number}: {error}" if file else str(error)) from error
        shown, rows = _show(typing.propositions[0], form, names), _type_rows(typing.propositions[0], names)
        if as_json:
            print(json.dumps({"text": shown, "types": rows if types else []}, ensure_ascii=False))
        else:
            print(shown, *(f"    {row}" for row in rows if types), sep="\n")


def _lines(file: Path) -> list[str]:
    text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip()]


def _show(proposition: Term, form: Form, names: Names) -> str:
    from isarstep.isabelle.syntax.writing.mathml import to_mathml
    from isarstep.isabelle.syntax.writing.printing import to_latex, to_unicode
    from isarstep.isabelle.terms.tokens import encode_line

    if form is Form.tokens:
        return encode_line(proposition)
    return {Form.unicode: to_unicode, Form.latex: to_latex, Form.mathml: to_mathml}[form](proposition, names)


def _type_rows(proposition: Term, names: Names) -> list[str]:
    """`x₀ :: nat` for every variable, and the sorts of type variables."""
    from isarstep.isabelle.terms.terms import frees, schematics
    from isarstep.isabelle.terms.type_text import show_type, type_variables

    shown = [(names.free(v.name), v.type) for v in frees(proposition)]
    shown += [(names.schematic(v.name, v.index), v.type) for v in schematics(proposition)]
    rows = [f"{name} :: {show_type(typ)}" for name, typ in shown if typ is not None]
    variables = dict.fromkeys(v for _, typ in shown if typ is not None for v in type_variables(typ))
    return rows + [f"{show_type(v)} :: {' ∩ '.join(c.rpartition('.')[2] for c in v.sort)}" for v in variables if v.sort]
