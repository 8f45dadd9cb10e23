"""The bodies of requests and answers, as the OpenAPI page shows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from isarstep.apps.engine import BEAM

MOST_CHARACTERS = 20_000
MOST_PROPOSITIONS = 64
MOST_BEAM = 20
MOST_SECONDS = 60.0
NAME = r"^[^\s()$]{1,100}$"

Text = Annotated[str, Field(max_length=MOST_CHARACTERS)]
Texts = Annotated[list[Text], Field(max_length=MOST_PROPOSITIONS)]
Name = Annotated[str, Field(pattern=NAME)]
ExampleId = Annotated[str, Field(pattern=r"^[0-9a-f]{1,12}$")]


class Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ProblemBody(Request):
    """Facts and a goal, or an example of the benchmark."""

    example: ExampleId | None = Field(None, description="An example's id instead of facts and goal.")
    facts: Texts = Field(default=[], description="F.2: what the step should follow from.")
    goal: Text | None = Field(None, description="F.3: what is to be shown; needed without an example.")
    others: Texts = Field(default=[], description="F.4: what else is used for the goal.")
    hints: Texts = Field(default=[], description="F.5: lemmas that may help.")
    statement: Texts = Field(default=[], description="The theorem's, for models with the input +context.")
    earlier: Texts = Field(default=[], description="The same: facts that hold above the gap, the nearest first.")
    extra: Texts = Field(default=[], description="Accepted steps: added to facts and others.")
    form: Literal["notation", "tokens"] = Field("notation", description="Of all propositions.")
    fixed: Annotated[list[Name], Field(max_length=100)] = Field(default=[], description="Names that are variables.")
    types: Annotated[dict[str, Text], Field(max_length=100)] = Field(default={}, description="Known types by name.")
    constants: Annotated[dict[str, Text], Field(max_length=100)] = Field(
        default={}, description="Constants of your own by name, with their types."
    )
    imports: Annotated[list[Name], Field(max_length=20)] = Field(
        default=[], description="Theories in which it stands; left away: Complex_Main, else the smallest that will do."
    )


class EffortBody(Request):
    prover_seconds: float = Field(0.3, ge=0.05, le=5, description="Provers have four times this for a question.")
    library: int = Field(1024, ge=0, le=1024, description="Most library facts offered to a prover.")
    seconds: float = Field(20, ge=1, le=MOST_SECONDS, description="Budget of the whole request.")
    stream: bool = Field(False, description="Answer as server-sent events.")


class ProposeBody(ProblemBody, EffortBody):
    beam: int = Field(BEAM, ge=1, le=MOST_BEAM, description="Steps that the model proposes.")
    count: int = Field(MOST_BEAM, ge=1, le=MOST_BEAM, description="Most steps in the answer.")
    check: bool = Field(True, description="Let provers try both sides of every step.")


class CheckBody(ProblemBody, EffortBody):
    proposals: Annotated[list[Text], Field(min_length=1, max_length=MOST_BEAM)] = Field(
        description="Steps to check, in the form of all else."
    )


class SketchBody(ProblemBody, EffortBody):
    beam: int = Field(10, ge=1, le=MOST_BEAM, description="Steps that the model proposes at one place.")
    depth: int = Field(4, ge=1, le=8, description="Proposals on top of each other.")


class ProvedBy(Request):
    by: Annotated[str, Field(max_length=100)] = Field(description="The prover.")
    facts: Texts = Field(default=[], description="What it used.")


class IsarBody(ProblemBody):
    """A proof: `extra` are its steps in order."""

    example: None = Field(None, description="Not here: its propositions are in /example/{id}.")
    proved: Annotated[list[ProvedBy | None], Field(max_length=MOST_PROPOSITIONS + 1)] = Field(
        default=[], description="Who proved each step and, at the end, the goal; null: nobody yet."
    )


class AttentionBody(ProblemBody):
    answer: Text = Field(description="The proposition that the model is made to write.")
    layer: int | None = Field(None, ge=0, le=100, description="Of the decoder, from 0; null: the mean of all.")
    head: int | None = Field(None, ge=0, le=100, description="From 0; null: the mean of all.")


class PasteBody(Request):
    """Text of a theory."""

    text: Text = Field(description="A lemma, have or show as it stands there; the first one of the text is meant.")


class ErrorDetail(BaseModel):
    code: str = Field(description="What kind of mistake, in one word.")
    message: str = Field(description="What is wrong, in one line for people.")
    field: str | None = Field(None, description="Which field of the request it is in, such as facts[0].")
    position: int | None = Field(None, description="The first character (of tokens: the first token), from 0.")
    end: int | None = Field(None, description="Where it ends.")


class ErrorAnswer(BaseModel):
    error: ErrorDetail = Field(description="What went wrong.")


class Proposition(BaseModel):
    text: str = Field(description="In notation, with Unicode symbols.")
    tokens: str = Field(description="The same as tokens, with full names.")
    latex: str = Field(description="The same in LaTeX.")
    mathml: str = Field(description="The same in MathML.")


class ReadingAnswer(BaseModel):
    ok: bool = Field(description="Could it be read? If not, all but `error` is null.")
    text: str | None = Field(None, description="In notation, with Unicode symbols.")
    tokens: str | None = Field(None, description="The same as tokens, with full names.")
    latex: str | None = Field(None, description="The same in LaTeX.")
    mathml: str | None = Field(None, description="The same in MathML.")
    error: ErrorDetail | None = Field(None, description="What is wrong with it, and where.")


class OpenType(BaseModel):
    """A type that the problem leaves open, though not everything has it."""

    variables: list[str] = Field(description="Whose type it is, or a part of whose.")
    type: str = Field(description="The type variable.")
    classes: list[str] = Field(description="All that is known of it.")
    readings: list[str] = Field(description="Usual types that may have been meant.")


Types = Annotated[dict[str, str], Field(description="The type of every variable, by its name.")]
World = Annotated[str, Field(description="The theories in which the problem was read: nothing from elsewhere is used.")]


class InContext(BaseModel):
    types: Types
    world: World
    authority: str = Field(description="Whose word a proof is.")
    notes: list[str] = Field(description="Types that the problem leaves open, and what may have been meant instead.")


class Checked(InContext):
    provers: list[str] = Field(description="Provers that were asked, with versions; none: nobody was.")
    not_asked: list[str] = Field(description="Provers that could not be asked, each with the reason.")


class ReadAnswer(InContext):
    ok: bool = Field(description="Could all of it be read, together?")
    facts: list[ReadingAnswer] = Field(description="As they were given, in their order.")
    goal: ReadingAnswer | None = Field(description="Null where none was given.")
    others: list[ReadingAnswer] = Field(description="As they were given, in their order.")
    hints: list[ReadingAnswer] = Field(description="As they were given, in their order.")
    extra: list[ReadingAnswer] = Field(description="As they were given, in their order.")
    open: list[OpenType] = Field(description="The same for programs.")


class GapAnswer(BaseModel):
    result: Literal["proved", "refuted", "timeout", "unknown", "internal_error"] = Field(
        description="Only proved and refuted say something about the statement."
    )
    by: str | None = Field(description="Who proved or refuted it, with which strategy.")
    seconds: float | None = Field(
        description="Processor time that it took, or after which nothing was found; else null."
    )
    library: int = Field(description="How many library facts the proof could choose from.")
    facts: list[str] = Field(
        description="What the proof used: F.2(1), names of lemmas, P for the step; ? for what it did not name."
    )
    text: str = Field(description="All of it in one line for people.")


class StepAnswer(Proposition):
    id: int = Field(description="Its place in the order without provers, from 0.")
    score: float | None = Field(description="The model's log probability; null where you made the proposal.")
    well_formed: bool = Field(description="Is it a proposition about these variables?")
    reason: str | None = Field(description="Why it is not.")
    copy_: bool = Field(
        alias="copy", serialization_alias="copy", description="It says nothing that was not given, or the goal itself."
    )
    label: str | None = Field(
        description="Why it adds nothing: says nothing new, restates a fact or the goal, not needed, or true whatever "
        "the facts say. Such steps come after all others. Null: it may help."
    )
    reference: bool | None = Field(description="It is the missing step of the example; null: there is none to compare.")
    first: GapAnswer | None = Field(description="Does it follow from the facts? Null: nobody was asked.")
    second: GapAnswer | None = Field(description="Does the goal follow from it and all that is given?")
    against: GapAnswer | None = Field(description="It contradicts the facts; asked where it does not follow from them.")
    sides: int = Field(description="How many of `first` and `second` are proved.")


class ProposeAnswer(Checked):
    steps: list[StepAnswer] = Field(description="Best first.")
    unknown: list[str] = Field(description="Constants of the problem that the model has never seen.")
    seconds: dict[str, float] = Field(description="What `search` took, and what `check` took after it.")
    finished: bool = Field(description="False: the budget ended before every gap was tried.")
    refuted: GapAnswer | None = Field(description="Values under which the facts hold and the goal does not.")
    contradiction: GapAnswer | None = Field(description="The facts contradict each other: everything follows.")
    direct: GapAnswer | None = Field(description="The goal follows from the facts without a step.")


class SketchStep(Proposition):
    proved: bool = Field(description="It follows from the facts and the steps before it.")
    by: GapAnswer | None = Field(description="What provers said; null: nobody was asked.")
    goal: bool = Field(description="It is the goal, which stands last.")


class SketchAnswer(Checked):
    closed: bool = Field(description="Every step and the goal are proved.")
    error: str | None = Field(description="An internal error at a step; it says nothing about the step.")
    contradiction: GapAnswer | None = Field(description="The facts contradict each other: everything follows.")
    steps: list[SketchStep] = Field(description="In the order of the proof, the goal last.")
    open: list[int] = Field(description="Places of the steps that are not proved, from 0.")
    isar: str = Field(description="The sketch as text of a theory: with suggested methods, sorry where it is open.")
    tried: int = Field(description="How many proposals were tried.")
    seconds: float = Field(description="How long it took.")


class IsarAnswer(BaseModel):
    isar: str = Field(description="The proof as text of a theory.")
    theory: str | None = Field(
        description="A whole theory file with the proof in it, symbols in ASCII, as Isabelle loads it; null where "
        "constants of the asker's own are in it, or nothing is known of theories."
    )


class AttentionAnswer(BaseModel):
    layers: int = Field(description="Of the decoder.")
    heads: int = Field(description="Of each layer.")
    written: list[str] = Field(description="The tokens of the answer.")
    source: list[str] = Field(description="The tokens that the model read.")
    propositions: list[dict[str, Any]] = Field(
        description="What the source is made of: `field` (2 to 5), `start` and `end` in `source`, `text`."
    )
    weights: list[list[float]] = Field(description="For each token written, how much of it went to each token read.")
    by_proposition: list[list[float]] = Field(description="The same, added up for each proposition.")


class ExampleHead(BaseModel):
    id: str = Field(description="Of the example.")
    split: str = Field(description="Where it stands.")
    theory: str = Field(description="Where its proof stands.")
    name: str = Field(description="Of the theorem.")
    kind: str = Field(description="Of the missing step: step, assumption or compound.")


class ExampleRow(ExampleHead):
    goal: str = Field(description="In notation; empty where there is none.")
    size: int = Field(description="Tokens of facts and goal together.")


class ExamplesAnswer(BaseModel):
    total: int = Field(description="How many fit.")
    examples: list[ExampleRow] = Field(description="As many as were asked for, best first.")


class LibraryFact(Proposition):
    name: str = Field(description="As a proof refers to it.")
    theory: str = Field(description="Where it is proved.")
    imported: bool = Field(description="Does the problem's world have it?")


class FactsAnswer(BaseModel):
    total: int = Field(description="Facts that fit most of the words.")
    elsewhere: int = Field(description="As many of them are in theories that this world does not import.")
    world: World
    constants: bool = Field(description="False: the server has just started, and only names were searched.")
    facts: list[LibraryFact] = Field(description="As many as were asked for, best first.")


class TheoriesAnswer(BaseModel):
    total: int = Field(description="How many fit.")
    theories: list[str] = Field(description="As many as were asked for, best first.")


class PastedAnswer(BaseModel):
    """A problem, as other requests take it."""

    facts: list[str] = Field(description="What is assumed.")
    goal: str = Field(description="What is shown.")
    fixed: list[str] = Field(description="The variables that the statement fixes.")
    types: dict[str, str] = Field(description="Those that the text gives, by name.")
    imports: list[str] = Field(description="Those of the theory, where its head was pasted, too.")


class ExampleAnswer(ExampleHead):
    session: str = Field(description="Of its theory.")
    facts: list[Proposition] = Field(description="F.2.")
    goal: Proposition | None = Field(description="F.3; null where there is none.")
    others: list[Proposition] = Field(description="F.4.")
    hints: list[Proposition] = Field(description="F.5.")
    reference: Proposition = Field(description="F.1: the missing step.")
    types: Types
    type_terms: dict[str, str] = Field(description="The same, as a request's `types` wants them.")
    imports: list[str] = Field(description="Its theory, as a request's `imports` wants it.")


class HealthAnswer(BaseModel):
    status: Literal["ok", "stopping"] = Field(
        description="Stopping: what was accepted may be answered, nothing else is."
    )
    version: str = Field(description="Of isarstep.")
    model: dict[str, str] = Field(description="Its `name`, and the hash of the `benchmark` that it was trained on.")
    benchmark: dict[str, Any] = Field(description="Its `hash`, and the number of examples in each of its `splits`.")
    provers: list[str] = Field(description="Those that are installed, with versions.")
    limits: dict[str, int | float] = Field(
        description="The most of a request: bytes of its `body`, `propositions` a field, `tokens` together, `beam`, "
        "`seconds`; and of requests at once: `concurrency`."
    )
    load: dict[str, int | float] = Field(
        description="Requests `running`; work under way, also of requests that are over: `computing` in Python, tasks "
        "that are `searching` with the model or `waiting` for it, `proving` with provers; all `requests` so far and "
        "those `refused`, `searches`, how many requests shared one (`mean_batch`), and how many of them had no time "
        "left when it ended (`late`)."
    )
    token_required: bool = Field(description="Requests must show a token.")
