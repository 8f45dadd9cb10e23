"""What is known at an example when its target is to be written: types of variables, and which constants exist.

A proof's context knows the types of all variables that are fixed in it, whether the example mentions them or not, and
so does the benchmark: what a target may contain is not given away by what is typed. Which constants and instances are
there, `isabelle/context/theory_contexts.py` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import variables_of
from isarstep.benchmark.store.store import Split
from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import Context, infer_context
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Term
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import parse_type

if TYPE_CHECKING:
    from isarstep.isabelle.context.theory_contexts import Exists, TheoryContexts

# Of an example: types of variables, which constants are there, and the signature with the instances that are.
Known: TypeAlias = "tuple[Context, Exists, Signature]"
KnownAt = Callable[[Corpus, int], Known]


def known_types(example: Example, signature: Signature) -> Context:
    """The recorded types of variables that are fixed or in F.2-F.4; else those that the propositions give them."""
    lines = [line for _, line in example.source(hints=False)]
    if not example.types:
        return inferred(lines, signature)
    numbers = {*range(example.fixed), *(number for line in lines for number in variables_of(line))}
    return {name: recorded_type(text) for name, text in example.types.items() if int(name[2:-1]) in numbers}


recorded_type = lru_cache(100_000)(parse_type)


def inferred(lines: Sequence[str], signature: Signature) -> Context:
    """The types that propositions give to their variables, as far as they can be read and typed together."""
    readable: list[Term] = []
    for line in lines:
        try:
            term = decode(line, strict=False)
            infer_context([*readable, term], signature)
        except UserError:
            continue
        readable.append(term)
    return infer_context(readable, signature)


def known_in_split(split: Split, theory_contexts: TheoryContexts) -> KnownAt:
    """For a corpus that was made from a split, or a part of it."""
    number = {identifier: place for place, identifier in enumerate(split.table()["id"].to_pylist())}

    def known(corpus: Corpus, at: int) -> Known:
        example = split[number[corpus.ids[at]]]
        here = theory_contexts.at(example.theory)
        return known_types(example, here.signature), here.known(example), here.signature

    return known
