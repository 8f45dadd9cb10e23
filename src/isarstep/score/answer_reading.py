"""Answers in notation, as people and language models write them, become tokens.

They are read where the example stands: with the notation of its theory, the types of its variables and the names that
the text gives to them.
"""

from __future__ import annotations

from functools import cache, cached_property

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.symbols import from_isabelle, normal, to_isabelle
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.terms.equality import same_term
from isarstep.isabelle.terms.normal_names import normalise
from isarstep.isabelle.terms.terms import Free, Term, Var, erase, substitute, subterms
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.type_text import parse_type


class AnswerReader:
    """Reads propositions for examples of one benchmark."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._names_in = cache(self._names_of_theory)

    @cached_property
    def _uses(self) -> dict[str, int]:
        return dict(zip(self._benchmark.vocabulary, self._benchmark.vocabulary_counts, strict=True))

    def _names_of_theory(self, theory: str) -> Names:
        """Constants and notation as they are at the end of a theory."""
        theory_context = self._benchmark.theory_contexts.at(theory)
        return Names.of_signature(theory_context.signature, uses=self._uses, language=theory_context.language)

    def names(self, example: Example) -> Names:
        """How the example's own theory writes, variables under the names that people gave them where one can."""
        own = {variable: from_isabelle(name) for variable, name in example.names.items()}
        return self._names_in(example.theory).with_fitting(own)

    def read(self, example: Example, text: str) -> str:
        """The proposition as normalised tokens; a UserError where it cannot be read."""
        names, language = self.names(example), self._benchmark.theory_contexts.at(example.theory).language
        term = _typed(text, example, names, language)
        strangers = sorted({n.name for n in subterms(term) if type(n) is Free and not n.name.startswith("<X")})
        if strangers:
            raise UserError(f"{strangers[0]!r} is neither a constant nor a variable of the question")
        if _is_target_unfolded(term, example, language):
            return example.f1
        return encode_line(normalise(erase(canonical(term, language)), ()))


def _typed(text: str, example: Example, names: Names, language: Language) -> Term:
    """The term with types, read where the example stands, its variables numbered."""
    context = {to_isabelle(normal(names.free(variable))): parse_type(typ) for variable, typ in example.types.items()}

    def numbered(leaf: Free | Var) -> Term | None:
        return names.variable(from_isabelle(leaf.name)) if type(leaf) is Free else None

    return substitute(read_formula(text, language, context).term, numbered)


def _is_target_unfolded(term: Term, example: Example, language: Language) -> bool:
    """Is it the hidden step but for abbreviations? Which of them a proof shows folded is no part of what is asked."""
    context = {variable: parse_type(typ) for variable, typ in example.types.items()}
    try:
        target = infer([decode(example.f1)], language.signature, context).propositions[0]
        both = [encode_line(erase(expand(each, language.signature))) for each in (target, term)]
    except UserError:  # what has no type here is compared as it is written
        return False
    return same_term(*both)
