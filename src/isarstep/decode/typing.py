"""Types: hypotheses that cannot be completed to a well-typed proposition are dropped as soon as a subterm closes.

What is written so far is taken apart into its open applications. They must have types together, whatever is still to
come; and the innermost one, given some more arguments, must fit where it stands. A finished hypothesis must be a
proposition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from isarstep.decode.constraints import Grammar, GrammarState, Kind
from isarstep.decode.hypotheses import Rules
from isarstep.errors import UserError
from isarstep.logic.infer import PROP, Context, Inference, infer_context, well_formed
from isarstep.logic.signature import Signature
from isarstep.logic.terms import Abs, App, Const, Free, Term, Typ, abstract, list_comb
from isarstep.logic.tokens import decode as read_term
from isarstep.train.corpus import UNK, Corpus, Longs

CLOSING = (Kind.CONSTANT, Kind.VARIABLE, Kind.SCHEMATIC, Kind.INDEX, Kind.CLOSE, Kind.END)  # a subterm ends here
MORE_ARGUMENTS = 32  # no constant takes more

Contexts = Callable[[Corpus, int], Context]


class TypedGrammar(Grammar):
    """`contexts` gives the known types of an example's variables; without it they are inferred from its source."""

    def __init__(self, vocabulary: Sequence[str], signature: Signature, contexts: Contexts | None = None) -> None:
        super().__init__(vocabulary)
        self.vocabulary = tuple(vocabulary)
        self.signature = signature
        self.contexts = contexts or self.context_of_source

    def context_of_source(self, corpus: Corpus, example: int) -> Context:
        """Types that the source gives to its variables, as far as its propositions can be read and typed together."""
        here = slice(int(corpus.source_starts[example]), int(corpus.source_starts[example + 1]))
        readable: list[Term] = []
        for number in corpus.sources[here].tolist():
            tokens = corpus.proposition(number).tolist()
            if UNK in tokens:
                continue
            try:
                term = read_term([self.vocabulary[t] for t in tokens], strict=False)
                infer_context([*readable, term], self.signature)
            except UserError:
                continue
            readable.append(term)
        return infer_context(readable, self.signature)

    def start(self, corpus: Corpus, examples: Longs, rules: Rules, device: torch.device) -> TypedState:
        contexts = [self.contexts(corpus, int(example)) for example in examples]
        return TypedState(self, self.variables_of(corpus, examples), rules, device, contexts)


class TypedState(GrammarState):
    prunes = True

    def __init__(
        self, grammar: TypedGrammar, variables_BV: Tensor, rules: Rules, device: torch.device, contexts: list[Context]
    ) -> None:
        super().__init__(grammar, variables_BV, rules, device)
        self.typed = grammar
        self.contexts = contexts
        self.written: list[list[tuple[int, ...]]] = [[()] * rules.beam for _ in contexts]
        self.verdicts: list[dict[tuple[int, ...], bool]] = [{} for _ in contexts]
        self.kind_list = grammar.kinds.tolist()

    def prune(self, scores_BQ: Tensor, parents_BQ: Tensor, tokens_BQ: Tensor) -> Tensor:
        """Candidates come best first: looked at until enough for the next beam are found sound, the rest is dropped."""
        enough = 2 * self.beams
        scores, parents, tokens = scores_BQ.tolist(), parents_BQ.tolist(), tokens_BQ.tolist()
        for row, row_scores in enumerate(scores):
            sound = 0
            for at, score in enumerate(row_scores):
                if score == -float("inf"):
                    continue
                if sound == enough or not self.possible(row, parents[row][at], tokens[row][at]):
                    row_scores[at] = -float("inf")
                else:
                    sound += 1
        return torch.tensor(scores, dtype=scores_BQ.dtype, device=scores_BQ.device)

    def possible(self, row: int, parent: int, token: int) -> bool:
        kind = self.kind_list[token]
        if kind not in CLOSING:
            return True
        tokens = (*self.written[row][parent], token)
        verdict = self.verdicts[row].get(tokens)
        if verdict is None:
            names = [self.typed.vocabulary[t] for t in tokens]
            context = self.contexts[row]
            if kind == Kind.END:
                verdict = bool(well_formed(names[:-1], self.typed.signature, context))
            else:
                verdict = completable(open_applications(names), self.typed.signature, context)
            self.verdicts[row][tokens] = verdict
        return verdict

    def advance(self, parents_BK: Tensor, tokens_BK: Tensor) -> None:
        super().advance(parents_BK, tokens_BK)
        pairs = zip(self.written, parents_BK.tolist(), tokens_BK.tolist(), strict=True)
        self.written = [
            [(*old[parent], token) for parent, token in zip(parents, tokens, strict=True)]
            for old, parents, tokens in pairs
        ]

    def keep(self, rows: Tensor) -> None:
        super().keep(rows)
        chosen = rows.tolist()
        self.written = [self.written[row] for row in chosen]
        self.contexts = [self.contexts[row] for row in chosen]
        self.verdicts = [self.verdicts[row] for row in chosen]


@dataclass(frozen=True)
class Open:
    """One unfinished application, and the variables bound in its group before it."""

    term: Term | None
    binders: list[str]

    def given(self, more: int) -> Term:
        """As it would be, closed, with some more arguments of types unknown."""
        assert self.term is not None
        term = list_comb(self.term, (Free(f"%{n}") for n in range(more)))
        for name in reversed(self.binders):
            term = Abs("x", None, abstract(term, Free(name)))
        return term


def completable(levels: Sequence[Open], signature: Signature, context: Context) -> bool:
    """A necessary condition, never a sufficient one: what passes may still turn out to be a dead end."""
    pieces = [level.term for level in levels if level.term is not None]
    if not typable(pieces, signature, context):
        return False
    last = levels[-1]
    if last.term is None:
        return True
    around = levels[-2].term if len(levels) > 1 else None
    if len(levels) > 1 and around is None:  # an abstraction in head position: nothing is expected of it
        return True
    for more in range(MORE_ARGUMENTS):
        whole = last.given(more)
        if around is None:
            fits = typable([whole], signature, context, PROP)
        else:
            fits = typable([*pieces[:-2], App(around, whole)], signature, context)
        if fits:
            return True
        if not typable([whole], signature, context):  # it takes no more arguments
            return False
    return False


def typable(terms: Sequence[Term], signature: Signature, context: Context, wanted: Typ | None = None) -> bool:
    try:
        inference = Inference(signature, context)
        for term in terms:
            inference.check(term, wanted)
    except UserError:
        return False
    return True


def open_applications(tokens: Sequence[str]) -> list[Open]:
    """The applications that an unfinished term consists of, outermost first, without what is still to come.

    Variables bound further out, and schematic ones, become free ones of a name that no context has, so that all
    pieces agree on their types.
    """
    groups: list[Open] = [Open(None, [])]
    binders: list[str] = []  # in scope, outermost first
    fresh = 0
    at = 0

    def push(term: Term) -> None:
        last = groups[-1]
        groups[-1] = Open(term if last.term is None else App(last.term, term), last.binders)

    while at < len(tokens):
        token = tokens[at]
        if token == "(":
            groups.append(Open(None, []))
        elif token == ")":
            closed = groups.pop()
            del binders[len(binders) - len(closed.binders) :]
            push(closed.given(0))
        elif token == "ABS":
            fresh += 1
            groups[-1].binders.append(f"!{fresh}")
            binders.append(f"!{fresh}")
        elif token in ("CONST", "FREE", "VAR", "BOUND"):
            at += 1
            name = tokens[at]
            if token == "CONST":
                push(Const(name))
            elif token == "BOUND":
                push(Free(binders[-1 - int(name)]))
            else:
                push(Free(name if token == "FREE" else f"?{name}"))
        at += 1
    return groups
