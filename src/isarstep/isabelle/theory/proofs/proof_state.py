"""Structured proofs, command by command: what is fixed, assumed and known, and the goal that is open.

What is not read makes the block in which it stands unknown from there on, with the reason; nothing is guessed. A state
behind `apply` is Isabelle's alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from isarstep.common.cancellation import check_deadline
from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import App, Free, Term, Typ, frees, strip_comb
from isarstep.isabelle.theory.environment.declarations import new_names, open_type, plain_names, sides_of, types_of
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.environment.locale_tables import OwnFact, numbered_names
from isarstep.isabelle.theory.environment.stated import (
    ReadStatement,
    StatedProps,
    as_equation,
    exported,
    read_lemma,
    read_rows,
    rules_for_witnesses,
    some_witnesses,
    stated_props,
    witnesses_of,
)
from isarstep.isabelle.theory.environment.unproved import label_of, names_inside, names_nothing, runs_code
from isarstep.isabelle.theory.proofs.case_methods import choice_cases, find_cases
from isarstep.isabelle.theory.proofs.named_facts import FactNames
from isarstep.isabelle.theory.proofs.proof_block import (
    LOST,
    Block,
    OpenGoal,
    ProofState,
    called_by_number,
    composed_facts,
    is_open_type,
    joined_goals,
    without_lost,
)
from isarstep.isabelle.theory.text.is_patterns import PATTERN_NAME, bound_by_pattern, bound_in_statement
from isarstep.isabelle.theory.text.source import DIAGNOSTIC, HEADINGS, STATEMENTS, OuterCommand, SourceToken, split_at
from isarstep.isabelle.theory.text.statements import NotRead, Scope, read_together, sorts_in, with_type_marks

# What they prove is Isabelle's; inside, `fix`, `assume` and `show` are read as they stand.
WITHOUT_STATEMENT = ("instance", "interpretation", "global_interpretation", "subclass", "termination")


class ProofWalk:
    """One proof, from its statement on."""

    def __init__(self, context: OwnContext, command: OuterCommand) -> None:
        self.context, self.source = context, context.source
        reader = context.reader(command)
        target = context.target
        block = Block(bound={})
        if target is not None:
            block.fixed.update(target.parameters)
            block.sorts.update(target.sorts)
            for name in sorted(target.facts, key=lambda name: "." in name):  # short names before others
                facts = target.facts[name]
                if any(fact.unproved for fact in facts):
                    block.facts[name] = facts  # for whoever names it
                else:
                    self._put(block, name, facts)
        self.goals: list[OpenGoal] = []
        self.refused: list[str] = []  # what is not read on the way
        self.blocks: list[Block] = [block]
        self.chain: tuple[OwnFact, ...] | None = None
        self.chain_unread: tuple[str, ...] = ()
        self.chain_nothing = False  # does the next statement rest on a fact that there is not?
        self.named = names_inside((command,)) - {label_of(command)}
        if reader.command == "notepad":
            return
        if reader.command in WITHOUT_STATEMENT:
            statement = ReadStatement("", [], dict(block.fixed), [], [], [], [], reader.start)
        else:
            statement = read_lemma(reader, self.scope())
        self._open(reader, statement, lambda _proved: None)

    # What holds here

    @property
    def block(self) -> Block:
        return self.blocks[-1]

    def scope(self, block: Block | None = None) -> Scope:
        here = block or self.block
        bound = {name: with_type_marks(term) for name, term in here.bound.items()}
        made = Scope(self.source, self.context.language, self.context.unread, here.fixed, here.sorts, bound)
        made.structures = here.structures
        made.class_type = self.context.target.class_type if self.context.target is not None else None
        made.goals = {name: here.bound[name] for name in ("?thesis", "?case") if name in here.bound}
        return made

    def _put(self, block: Block, name: str, facts: Sequence[OwnFact]) -> None:
        if name:
            block.facts[name] = tuple(facts)
        block.lost = block.lost - {name}
        said = {fact.prop for fact in block.known}
        block.known = (*block.known, *(fact for fact in without_lost(facts) if fact.prop not in said))

    def _note(self, block: Block, name: str, props: Sequence[Term], *, sorry: bool = False) -> tuple[OwnFact, ...]:
        names = numbered_names(name, len(props))
        made = tuple(OwnFact(each, prop, unproved=sorry) for each, prop in zip(names, props, strict=True))
        self._put(block, name, made)
        return made

    def _open(self, reader: TokenReader, statement: ReadStatement, finish: Callable[[bool], None]) -> None:
        """Begin the proof of a statement, in a block of its own."""
        inner = self.block.copy()
        inner.this = self.chain or ()  # what is given to a statement with variables of its own is about others
        for name in statement.new:
            inner.fix(name, statement.fixed[name])
        given, inner.this = inner.this, self.block.this
        inner.fixed.update(statement.fixed)
        for name, sort in sorts_in(statement.fixed.values()):  # who writes 'a in the proof means one of this sort
            inner.sorts.setdefault(name, sort)
        inner.structures = statement.structures or inner.structures
        assumed: list[OwnFact] = []
        for props in statement.assumes:
            assumed += self._note(inner, props.label, props.terms)
        if assumed:
            name = "assms" if reader.command in STATEMENTS else "that"
            self._put(inner, name, [replace(fact, name=f"{name}({n})") for n, fact in enumerate(assumed, 1)])
            inner.assumed = tuple(fact.prop for fact in assumed)
        goals = statement.goals
        if statement.obtains:  # `thesis`, from what follows for the witnesses
            inner.fixed["thesis"] = hol.BOOL
            goals = [hol.trueprop(Free("thesis", hol.BOOL), typed=True)]
            self._note(inner, "that", rules_for_witnesses(statement.obtains, goals[0]))
        before = dict(inner.bound)
        for props in (*statement.assumes, *statement.shows):
            self._match_patterns(inner, props)
            for pattern in (each for row in props.patterns for each in row):
                for name in PATTERN_NAME.findall(pattern.text):
                    self.block.bound.pop(name, None)
        if not (statement.new or statement.assumes):  # what a pattern is for is known behind the proof, too
            self.block.bound.update(inner.bound.items() - before.items())
        self._bind(inner, goals, "?thesis")
        unknown = self.block.unknown
        unread = self.chain_unread
        chained = without_lost(given)
        if len(chained) < len(given):
            unread = (*unread, "this")
        self.chain, self.chain_unread = None, ()
        opened = OpenGoal(reader.command, goals, inner, finish, chained, unread, unknown, place=reader.start)
        opened.sorry, self.chain_nothing = self.chain_nothing, False
        self.goals.append(opened)
        self.blocks.append(inner)

    def _bind(self, block: Block, props: Sequence[Term], name: str) -> None:
        block.bound.pop(name, None)
        if len(props) == 1:
            formula = hol.dest_trueprop(hol.strip_pure_imp(props[0])[1])
            if formula is not None:
                block.bound[name] = formula

    def _match_patterns(self, block: Block, props: StatedProps) -> None:
        for term, patterns in zip(props.terms, props.patterns, strict=True):
            for pattern in patterns:
                for name in PATTERN_NAME.findall(pattern.text):
                    block.bound.pop(name, None)
                block.bound.update(bound_in_statement(pattern, term, self.scope(block)))

    # Commands

    def step(self, command: OuterCommand) -> bool:
        """Go on by one command; False when the proof is over."""
        check_deadline()
        name, reader = command.name, self.context.reader(command)
        if name in HEADINGS or name in DIAGNOSTIC or name in ("supply", "ML_prf"):
            return True
        if self.goals and (runs_code(command) or names_nothing(self.context, command, self.named)):
            if name in ("from", "with"):
                self.chain_nothing = True
            else:
                self.goals[-1].sorry = True
        self.named |= names_inside((command,))
        do = _STEPS.get(name)
        try:
            if do is None:
                raise NotRead(self.source, reader.start, f"`{name}` in a proof is not read")
            if self.block.unknown and name not in _CLOSING and name not in ("next", "{", "}", "proof"):
                if name in _GOALS:
                    self._open_unknown(reader)
                return True
            do(self, reader)
        except UserError as error:
            self.refused.append(str(error))
            alone = name in _ALONE or (name == "interpret" and _prefixed(reader, self.context))
            if alone and not any(map(is_open_type, self.block.fixed.values())):
                self._open_unknown(reader, str(error))
                return True
            self.block.unknown = self.block.unknown or str(error)
            if name in _GOALS:
                self._open_unknown(reader)
        return bool(self.goals)

    def _open_unknown(self, reader: TokenReader, only: str = "") -> None:
        """A goal of which nothing is known: its proof is walked over. `only`: why this is not read, while what follows
        is, but for what rests on it."""
        block, labels = self.block, {t.text for t, sign in pairwise(reader.tokens) if sign.keyword(":")}
        why = only or block.unknown

        def finish(_proved: bool) -> None:
            if not only:
                block.unknown = block.unknown or why
                return
            block.this = (LOST,)
            block.lost = block.lost | labels
            block.bound.pop("...", None)

        if not only:
            self.chain = None
        self._open(reader, ReadStatement("", [], dict(block.fixed), [], [], [], [], reader.start), finish)
        self.goals[-1].unknown = why

    def do_have(self, reader: TokenReader) -> None:
        if reader.command in ("hence", "thus"):
            self.chain = self.block.this
        outer = self.block
        statement = read_lemma(reader, self.scope())
        self._settle(outer, statement.fixed)

        def finish(proved: bool) -> None:
            own = {name: statement.fixed[name] for name in statement.new}
            facts: list[OwnFact] = []
            for props in statement.shows:
                terms = [exported(term, own, statement.premises) for term in props.terms]
                facts += self._note(outer, props.label, terms, sorry=not proved)
            if statement.label and not any(props.label for props in statement.shows):
                self._put(outer, statement.label, facts)
            outer.this = tuple(facts)
            self._after(outer, statement.goals)

        self._open(reader, statement, finish)

    def _settle(self, block: Block, types: Mapping[str, Typ]) -> None:
        """Types of fixed variables that were not known before."""
        for name, typ in block.fixed.items():
            if is_open_type(typ) and name in types:
                block.fixed[name] = types[name]

    def _after(self, block: Block, props: Sequence[Term]) -> None:
        """What `...` stands for behind a statement: the last argument of its formula."""
        block.bound.pop("...", None)
        if props:
            formula = hol.dest_trueprop(hol.strip_pure_imp(props[-1])[1])
            if isinstance(formula, App):
                block.bound["..."] = formula.arg

    def do_proof(self, reader: TokenReader) -> None:
        goal = self.goals[-1]
        block = goal.block
        block.this, block.calculation = (), ()
        block.unknown = goal.unknown
        find_cases(goal, reader, self.scope(block), self.context)
        goal.begun = block.again()
        inner = block.again()
        self.blocks[-1] = inner

    def do_next(self, reader: TokenReader) -> None:
        goal = self.goals[-1]
        if self.block.braces:
            self.do_close(reader)
            self.do_open(reader)
            return
        if goal.begun is None:
            raise NotRead(self.source, reader.start, "`next` outside a proof")
        self.blocks[-1] = goal.begun.again()

    def do_end(self, reader: TokenReader) -> None:
        """by, qed, done, sorry and the like."""
        goal = self.goals.pop()
        self.blocks.pop()
        self.chain = None
        if reader.command in ("sorry", "oops", "\\<proof>"):
            goal.sorry = True
        if self.goals and goal.sorry:
            self.goals[-1].sorry = True
        goal.finish(not goal.sorry)

    def do_apply(self, reader: TokenReader) -> None:
        where = self.source.where(reader.start)
        self.goals[-1].unknown = f"{where}: a state behind `{reader.command}` needs an Isabelle"

    def do_subgoal(self, reader: TokenReader) -> None:
        self.block.unknown = f"{self.source.where(reader.start)}: a state behind `subgoal` needs an Isabelle"
        self._open_unknown(reader)

    def do_fix(self, reader: TokenReader) -> None:
        for new in plain_names(reader, self.scope()):
            self.block.fix(new.name, new.type or open_type(new.name))
        reader.end()

    def do_assume(self, reader: TokenReader) -> None:
        rows = stated_props(reader, "if", "for")
        premises = stated_props(reader, "for") if reader.accept("if") else []
        scope = self.scope().inner()
        new = new_names(reader, scope) if reader.accept("for") else []
        if not rows or reader.here is not None:
            raise reader.refused("expected propositions and nothing else")
        scope.fixed.update(types_of(new))
        block = self.block
        read = read_rows((*rows, *premises), scope)
        own = {each.name: read.frees[each.name] for each in new if each.name in read.frees}
        others = {name: typ for name, typ in read.frees.items() if name not in own}
        unknown = [name for name in others if name not in block.fixed]
        if unknown:  # Isabelle takes it for a variable that nobody fixed: then nothing is shown
            raise NotRead(self.source, rows[0].texts[0].inside, f"{unknown[0]!r} is neither a constant nor fixed here")
        self._settle(block, others)
        facts = list[OwnFact]()
        under = [term for props in premises for term in props.terms]
        for props in rows:
            facts += self._note(block, props.label, [exported(term, own, under) for term in props.terms])
            if not own:
                self._match_patterns(block, props)
        block.assumed = (*block.assumed, *(fact.prop for fact in facts))
        block.this = tuple(facts)
        self._after(block, [fact.prop for fact in facts])

    def do_define(self, reader: TokenReader) -> None:
        scope = self.scope().inner()
        names = new_names(reader, scope, "where")
        reader.expect("where")
        rows = stated_props(reader, "for")
        if reader.accept("for"):
            new_names(reader, scope)
        reader.end()
        scope.fixed.update(types_of(names))
        read = read_rows(rows, scope)
        own = {new.name for new in names}
        for new in names:
            self.block.fix(new.name, read.frees[new.name])
        facts: list[OwnFact] = []
        for props in rows:
            for text, term in zip(props.texts, props.terms, strict=True):
                sides = sides_of(term)
                head = strip_comb(sides[0])[0] if sides is not None else None
                if sides is None or not isinstance(head, Free) or head.name not in own:
                    raise NotRead(self.source, text.inside, "expected an equation for the new name")
                if any(node.name in own for node in frees(sides[1])):
                    raise NotRead(self.source, text.inside, "the definition is about itself")
                variables = {n: t for n, t in read.frees.items() if n not in scope.fixed}
                label = props.label or f"{head.name}_def"
                facts += self._note(self.block, label, [exported(as_equation(term), variables, ())])
        self.block.this = tuple(facts)

    def do_let(self, reader: TokenReader) -> None:
        while reader.here is not None:
            pattern = reader.take()
            reader.expect("=")
            text = reader.proposition()
            name = pattern.text.strip()
            term = read_together([text], self.scope(), None).terms[0]
            if name.startswith("?") and name[1:].replace("'", "").isidentifier():
                self.block.bound[name] = term
            else:
                self.block.bound.update(bound_by_pattern(pattern, term, self.scope()))
            reader.accept("and")

    def do_obtain(self, reader: TokenReader) -> None:
        """`obtain x where "A"` and `consider`."""
        label, _ = reader.label()
        scope = self.scope().inner()
        alternatives = witnesses_of(reader, scope)
        if reader.is_keyword("if", "for"):
            raise reader.refused("`obtain` with `if` or `for` is not read")
        reader.end()
        for one in alternatives:
            scope.fixed.update(types_of(one.names))
        props = [props for one in alternatives for props in one.props]
        read = read_rows(props, scope)
        new = dict.fromkeys(each.name for one in alternatives for each in one.names)
        for name, typ in read.frees.items():  # what nobody has fixed is arbitrary
            if name not in new:
                self.block.fixed.setdefault(name, typ)
        try:
            claim = some_witnesses(alternatives, read.frees)
        except ValueError:
            raise NotRead(self.source, reader.start, "what is obtained is no formula") from None
        outer, kind = self.block, reader.command
        shows = [StatedProps("", [], [], [[]], [claim])]
        statement = ReadStatement(label, [], dict(outer.fixed), [], [], shows, [], reader.start)

        def finish(proved: bool) -> None:
            if kind == "consider":
                outer.this = self._note(outer, label, [claim], sorry=not proved)
                outer.choices = {**outer.choices, claim: choice_cases(alternatives, read.frees)}
                return
            facts: list[OwnFact] = []
            for name in new:
                outer.fix(name, read.frees[name])
            for row in props:
                facts += self._note(outer, row.label, row.terms, sorry=not proved)
                self._match_patterns(outer, row)
            outer.this = tuple(facts)
            self._after(outer, [fact.prop for fact in facts])

        self._open(reader, statement, finish)

    def do_case(self, reader: TokenReader) -> None:
        label, _ = reader.label()
        names: list[str] = []
        if reader.is_keyword("("):
            inside = reader.bracket()
            case, names = inside[0].text, [token.text for token in inside[1:]]
        else:
            case = reader.take("a case").text
        reader.end()
        block = self.block
        found = block.cases.get(case)
        if found is None:
            why = block.why_no_cases or f"there is no case {case!r}"
            raise NotRead(self.source, reader.start, f"`case {case}` is not read: {why}")
        names = found.called([to_isabelle(name) for name in names])
        for name, (_, typ) in zip(names, found.variables, strict=True):
            block.fix(name, typ)
        made = block.cases[case].renamed(names)
        facts: list[OwnFact] = []
        base = label or case
        for group, terms in made.groups:
            if terms:
                facts += self._note(block, f"{base}.{group}" if group else "", terms)
        for group, terms in made.groups:  # `induct` calls hypotheses by this name
            if group == "IH" and terms and f"{base}.hyps" not in block.facts:
                block.facts[f"{base}.hyps"] = block.facts[f"{base}.IH"]
        block.facts[base] = tuple(facts)
        block.assumed = (*block.assumed, *(fact.prop for fact in facts))
        block.this = tuple(facts)
        if made.inner:
            block.cases = {**block.cases, **dict(made.inner)}
            block.bound.pop("?case", None)
        if made.goal is not None:
            block.bound["?case"] = made.goal
        self._after(block, [fact.prop for fact in facts])

    # Facts that are named

    def do_then(self, reader: TokenReader) -> None:
        self.chain = self.block.this

    def do_from(self, reader: TokenReader) -> None:
        """from, with, note, using, unfolding."""
        if reader.command == "note":
            self._name_facts(reader)
            return
        facts, unread = self.named_facts(reader.tokens)
        if reader.command in ("using", "unfolding"):
            goal = self.goals[-1]
            goal.chained = (*goal.chained, *(fact for fact in facts if fact not in goal.chained))
            goal.unread_facts = (*goal.unread_facts, *unread)
            return
        if reader.command == "with":
            facts = (*facts, *self.block.this)
        self.chain, self.chain_unread = tuple(dict.fromkeys(facts)), tuple(unread)

    def _name_facts(self, reader: TokenReader) -> None:
        """`note a = b c and d = e`."""
        block, this, lost = self.block, list[OwnFact](), False
        for tokens in split_at("and", reader.tokens):
            name = ""
            if any(token.keyword("=") for token in tokens[1:]):
                place = next(i for i, token in enumerate(tokens) if token.keyword("="))
                name, tokens = tokens[0].text, tokens[place + 1 :]
            facts, unread = self.named_facts(tokens)
            lost = lost or bool(unread)
            this += facts
            if name and unread:
                block.facts.pop(name, None)
                block.lost = block.lost | {name}
            elif name:
                block.facts[name] = facts
                block.lost = block.lost - {name}
            block.known = (*block.known, *(fact for fact in facts if fact not in block.known and not fact.library))
        block.this = (*this, LOST) if lost else tuple(this)

    def named_facts(self, tokens: Sequence[SourceToken]) -> tuple[tuple[OwnFact, ...], list[str]]:
        """Facts that are named, and the names of those that are not read."""
        return FactNames(self.context, self.block, self.scope()).read(tokens)

    def do_calculation(self, reader: TokenReader) -> None:
        block = self.block
        if reader.command in ("moreover", "ultimately"):
            collected = (*block.calculation, *block.this)
        elif block.calculation:
            collected = composed_facts(block.calculation, block.this)
        else:
            collected = block.this
        if reader.command in ("also", "moreover"):
            block.calculation = collected
        else:
            block.calculation, block.this = (), collected
            self.chain = collected

    def do_open(self, reader: TokenReader) -> None:
        inner = self.block.copy()
        inner.braces = True
        inner.cases, inner.why_no_cases = self.block.cases, self.block.why_no_cases
        self.blocks.append(inner)

    def do_close(self, reader: TokenReader) -> None:
        if len(self.blocks) <= 1 + len(self.goals):
            raise NotRead(self.source, reader.start, "`}` closes nothing")
        inner = self.blocks.pop()
        outer = self.block
        own = {name: inner.fixed[name] for name in inner.own}
        outer.unknown = outer.unknown or inner.unknown
        if not inner.unknown:
            if LOST in inner.this:
                outer.this = (LOST,)
                return
            props = [inner.seen_outside(exported(fact.prop, own, inner.assumed)) for fact in inner.this]
            outer.this = self._note(outer, "", props, sorry=any(fact.unproved for fact in inner.this))

    # The state

    def state(self) -> ProofState:
        """What stands open now. Raises UserError where it is not known."""
        goal = self.goals[-1]
        block = self.block
        if goal.unknown or block.unknown:
            raise UserError(goal.unknown or block.unknown)
        if not goal.goals:
            raise NotRead(self.source, goal.place, "no statement is open here")
        prop = goal.goals[0] if len(goal.goals) == 1 else joined_goals(goal.goals)
        if prop is None:
            raise NotRead(self.source, goal.place, "several goals that are no formulas are not read together")
        begun = goal.begun is not None
        chained = () if begun else goal.chained
        local = tuple(
            fact for fact in block.known if fact not in chained and fact.prop not in {c.prop for c in chained}
        )
        # Those of open types stand nowhere; hidden ones may.
        used = {node.name for term in (prop, *(fact.prop for fact in (*chained, *local))) for node in frees(term)}
        hidden = {name for each in self.blocks for name in each.hidden} - used
        fixed = {name: typ for name, typ in block.fixed.items() if not is_open_type(typ) and name not in hidden}
        return ProofState(
            self.context, prop, fixed, chained, local, () if begun else goal.unread_facts,
            goal.command, goal.place, len(goal.goals), called_by_number(block),
        )  # fmt: skip


def _prefixed(reader: TokenReader, context: OwnContext) -> bool:
    """`interpret p: a x`: all names that it brings begin with `p.`, and no others do."""
    signs = [token for token in reader.tokens if token.keyword("+", "?", "!", ":")]
    if len(signs) != 1 or len(reader.tokens) < 2 or signs[0] is not reader.tokens[1] or not signs[0].keyword(":"):
        return False
    prefix = f".{reader.tokens[0].text}."
    return not any(prefix in f".{name}" for name in (*context.signature.constants, *context.language.local))


_GOALS = ("have", "show", "hence", "thus", "obtain", "consider", "interpret", "subgoal", "guess")
_ALONE = ("have", "show", "hence", "thus")  # where one is not read, what follows can be
_CLOSING = ("by", "qed", "done", "sorry", "oops", ".", "..", "\\<proof>", "apply", "apply_end")
_STEPS: dict[str, Callable[[ProofWalk, TokenReader], None]] = {
    **dict.fromkeys(("have", "show", "hence", "thus"), ProofWalk.do_have),
    **dict.fromkeys(("by", "qed", "done", "sorry", "oops", ".", "..", "\\<proof>"), ProofWalk.do_end),
    **dict.fromkeys(("apply", "apply_end", "defer", "prefer", "back"), ProofWalk.do_apply),
    **dict.fromkeys(("from", "with", "note", "using", "unfolding"), ProofWalk.do_from),
    **dict.fromkeys(("moreover", "ultimately", "also", "finally"), ProofWalk.do_calculation),
    **dict.fromkeys(("assume", "presume"), ProofWalk.do_assume),
    **dict.fromkeys(("obtain", "consider"), ProofWalk.do_obtain),
    "proof": ProofWalk.do_proof,
    "next": ProofWalk.do_next,
    "subgoal": ProofWalk.do_subgoal,
    "fix": ProofWalk.do_fix,
    "define": ProofWalk.do_define,
    "let": ProofWalk.do_let,
    "case": ProofWalk.do_case,
    "then": ProofWalk.do_then,
    "{": ProofWalk.do_open,
    "}": ProofWalk.do_close,
}
