"""`find_facts`: which theorems of the library say something about this?"""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import BaseModel, Field

from isarstep.apps.mcp.tools.results import Imports, Progress, Status, ToolResult, refusal, shortened
from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service.service import Service
from isarstep.benchmark.store.fact_search import MOST_COMPARED, FactSearch, FoundFacts, Sought
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import USUAL, TheoryContext
from isarstep.isabelle.syntax.writing.printing import to_unicode
from isarstep.isabelle.terms.tokens import decode


class FactShown(BaseModel):
    name: str = Field(description="Full name, as a proof refers to it.")
    theory: str = Field(description="Where it is proved.")
    text: str = Field(description="In notation.")


class FactsResult(ToolResult):
    facts: list[FactShown] = Field(default=[], description="Short ones first.")
    total: int = Field(default=0, description="How many facts of this world fit.")
    elsewhere: int = Field(
        default=0,
        description="How many more fit in theories that are not imported here; of a pattern only its constants count.",
    )
    world: str = Field(default="", description="The theories that were searched.")


async def find_facts(
    workshop: Workshop,
    progress: Progress,
    words: Annotated[str, Field(max_length=200, description="Pieces of the name, all of them: card mono")] = "",
    constants: Annotated[
        list[str], Field(max_length=20, description="Constants, all of them: ['card', 'finite']")
    ] = [],
    pattern: Annotated[
        str, Field(max_length=2000, description="A term that occurs, ?x for anything: card ?A ≤ ?n")
    ] = "",
    imports: Imports = [],
    count: Annotated[int, Field(ge=1, le=50)] = 15,
) -> FactsResult:
    """Find library theorems by pieces of their names, by constants and by a pattern; all that is given must fit. Short
    facts come first."""
    try:
        service = await workshop.service()
        search = await workshop.facts()
        return await asyncio.to_thread(_found, service, search, words, constants, pattern, imports, count)
    except UserError as error:
        return FactsResult(**refusal(error))


def _found(
    service: Service, search: FactSearch, words: str, constants: list[str], pattern: str, imports: list[str], count: int
) -> FactsResult:
    theory_contexts = service.engine.theory_contexts
    theory_context = theory_contexts.importing(imports) if imports else theory_contexts.at(USUAL)
    reader = service.engine.reader_in(theory_context)
    term = reader.proposition(pattern, "notation", reader.names, "pattern")[0].term if pattern else None
    sought = Sought(tuple(words.lower().split()), tuple(constants), term)
    if not (sought.words or sought.constants or term is not None):
        return FactsResult(status="refused", message="say words, constants or a pattern")
    found = search.find(sought, theory_context.theories, count)
    facts = [
        FactShown(name=fact.name, theory=fact.theory, text=shortened(to_unicode(decode(fact.tokens), reader.names)))
        for fact in found.facts
    ]
    status, message = _status(found, theory_context)
    left_out = {"facts": found.total - len(facts), "not_compared": found.not_compared}
    return FactsResult(
        status=status, message=message, left_out=left_out, facts=facts, total=found.total, elsewhere=found.elsewhere,
        world=theory_context.name,
    )  # fmt: skip


def _status(found: FoundFacts, theory_context: TheoryContext) -> tuple[Status, str]:
    if found.total:
        return "ok", ""
    if found.not_compared:
        compared = f"none of the {MOST_COMPARED} shortest facts with its constants has the pattern"
        return "out_of_time", f"{compared}; {found.not_compared} more were not compared: say words or constants, too"
    where = f"; {found.elsewhere} facts of other theories may, such as {found.theory_elsewhere}: import one"
    return "nothing_found", f"nothing in {theory_context.name} fits" + (where if found.elsewhere else "")
