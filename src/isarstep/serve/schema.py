"""The bodies of requests and answers, as the OpenAPI page shows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from isarstep.serve.engine import BEAM

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
    prover_seconds: float = Field(0.3, ge=0.05, le=5, description="Processor time of one attempt of one prover.")
    library: int = Field(32, ge=0, le=128, description="Most library facts offered to a prover.")
    seconds: float = Field(20, ge=1, le=MOST_SECONDS, description="Budget of the whole request.")
    stream: bool = Field(False, description="Answer as server-sent events.")


class ProposeBody(ProblemBody, EffortBody):
    beam: int = Field(BEAM, ge=1, le=MOST_BEAM)
    count: int = Field(MOST_BEAM, ge=1, le=MOST_BEAM, description="Most steps in the answer.")
    constraint: Literal["types", "grammar", "none"] = "types"
    check: bool = Field(False, description="Let provers try both sides of every step.")


class CheckBody(ProblemBody, EffortBody):
    proposals: Annotated[list[Text], Field(min_length=1, max_length=MOST_BEAM)]


class SketchBody(ProblemBody, EffortBody):
    beam: int = Field(10, ge=1, le=MOST_BEAM)
    depth: int = Field(4, ge=1, le=8, description="Proposals on top of each other.")


class ProvedBy(Request):
    by: Annotated[str, Field(max_length=100)] = Field(description="The prover.")
    facts: Texts = Field(default=[], description="What it used.")


class IsarBody(ProblemBody):
    """A proof: `extra` are its steps in order."""

    example: None = None  # its propositions are in /example/{id}
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
    code: str
    message: str
    field: str | None = None
    position: int | None = None
    end: int | None = None


class ErrorAnswer(BaseModel):
    error: ErrorDetail


class Proposition(BaseModel):
    text: str
    tokens: str
    latex: str
    mathml: str


class ReadingAnswer(BaseModel):
    ok: bool
    text: str | None = None
    tokens: str | None = None
    latex: str | None = None
    mathml: str | None = None
    error: ErrorDetail | None = None


class OpenType(BaseModel):
    """A type that the problem leaves open, though not everything has it."""

    variables: list[str]
    type: str
    classes: list[str] = Field(description="All that is known of it.")
    readings: list[str] = Field(description="Usual types that may have been meant.")


class ReadAnswer(BaseModel):
    ok: bool
    facts: list[ReadingAnswer]
    goal: ReadingAnswer | None
    others: list[ReadingAnswer]
    hints: list[ReadingAnswer]
    extra: list[ReadingAnswer]
    types: dict[str, str]
    world: str = Field(description="The theories in which the problem was read: nothing from elsewhere is used.")
    authority: str = Field(description="Whose word a proof is.")
    notes: list[str] = Field(description="Types that the problem leaves open, and what may have been meant instead.")
    open: list[OpenType] = Field(description="The same for programs.")


class GapAnswer(BaseModel):
    result: Literal["proved", "refuted", "timeout", "unknown"]
    by: str | None
    seconds: float | None
    library: int
    facts: list[str]
    text: str


class StepAnswer(Proposition):
    id: int
    score: float | None
    well_formed: bool
    reason: str | None
    copy_: bool = Field(alias="copy", serialization_alias="copy")
    reference: bool | None
    first: GapAnswer | None
    second: GapAnswer | None
    against: GapAnswer | None = Field(description="It contradicts the facts; asked where it does not follow from them.")
    sides: int


class ProposeAnswer(BaseModel):
    steps: list[StepAnswer]
    unknown: list[str]
    types: dict[str, str]
    world: str = Field(description="The theories in which the problem was read: nothing from elsewhere is used.")
    authority: str = Field(description="Whose word a proof is.")
    notes: list[str] = Field(description="Types that the problem leaves open, and what may have been meant instead.")
    seconds: dict[str, float]
    finished: bool
    contradiction: GapAnswer | None = Field(description="The facts contradict each other: everything follows.")


class SketchStep(Proposition):
    proved: bool
    by: GapAnswer | None
    goal: bool


class SketchAnswer(BaseModel):
    closed: bool
    contradiction: GapAnswer | None = Field(description="The facts contradict each other: everything follows.")
    types: dict[str, str]
    world: str = Field(description="The theories in which the problem was read: nothing from elsewhere is used.")
    authority: str = Field(description="Whose word a proof is.")
    notes: list[str] = Field(description="Types that the problem leaves open, and what may have been meant instead.")
    steps: list[SketchStep]
    open: list[int]
    isar: str
    tried: int
    seconds: float


class IsarAnswer(BaseModel):
    isar: str


class AttentionAnswer(BaseModel):
    layers: int
    heads: int
    written: list[str]
    source: list[str]
    propositions: list[dict[str, Any]]
    weights: list[list[float]]
    by_proposition: list[list[float]]


class ExampleRow(BaseModel):
    id: str
    split: str
    theory: str
    name: str
    kind: str
    goal: str
    size: int


class ExamplesAnswer(BaseModel):
    total: int
    examples: list[ExampleRow]


class LibraryFact(Proposition):
    name: str = Field(description="As a proof refers to it.")
    theory: str
    imported: bool = Field(description="Does the problem's world have it?")


class FactsAnswer(BaseModel):
    total: int = Field(description="Facts that fit most of the words.")
    elsewhere: int = Field(description="As many of them are in theories that this world does not import.")
    world: str
    constants: bool = Field(description="False: the server has just started, and only names were searched.")
    facts: list[LibraryFact]


class TheoriesAnswer(BaseModel):
    total: int
    theories: list[str]


class PastedAnswer(BaseModel):
    """A problem, as other requests take it."""

    facts: list[str]
    goal: str
    fixed: list[str]
    types: dict[str, str]
    imports: list[str]


class ExampleAnswer(BaseModel):
    id: str
    split: str
    session: str
    theory: str
    name: str
    kind: str
    facts: list[Proposition]
    goal: Proposition | None
    others: list[Proposition]
    hints: list[Proposition]
    reference: Proposition
    types: dict[str, str]
    type_terms: dict[str, str] = Field(description="The same, as a request's `types` wants them.")
    imports: list[str] = Field(description="Its theory, as a request's `imports` wants it.")


class HealthAnswer(BaseModel):
    status: Literal["ok", "stopping"]
    version: str
    model: dict[str, str]
    benchmark: dict[str, Any]
    provers: list[str]
    limits: dict[str, int | float]
    load: dict[str, int | float]
    token_required: bool
