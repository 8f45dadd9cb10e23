"""The HTTP API. Every answer is JSON, or server-sent events where a request asks for them; so is every error."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from isarstep.apps.admission import Load
from isarstep.apps.catalogue import NotFoundError
from isarstep.apps.http.gate import Gate, ServerLimits
from isarstep.apps.service import answer_fields, schema
from isarstep.apps.service.service import (
    READING,
    BusyError,
    Clock,
    Event,
    OutOfTimeError,
    ProposalState,
    Service,
    first_answer,
    last_answer,
    whole_answer,
)
from isarstep.benchmark.problems.problem_reader import MOST_TOKENS
from isarstep.common.errors import UserError
from isarstep.common.version import __version__
from isarstep.isabelle.theory.problems.problem import ProblemError
from isarstep.isabelle.theory.problems.typing_errors import shorten
from isarstep.prover.atp.provers import installed

PAGE = Path(__file__).parent / "page"
KEEP_ALIVE = 5.0  # seconds between two signs of life of a stream

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": schema.ErrorAnswer, "description": text}
    for status, text in {
        400: "Not JSON, or a Host header that is not allowed.",
        401: "The token is missing or wrong.",
        413: "The body is too large.",
        422: "A field is wrong: `invalid`, `syntax`, `type`, `tokens` or `unsupported`.",
        429: "Too many requests at once; try again.",
        503: "The server is stopping, or the budget ended before there was an answer.",
    }.items()
}
NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"model": schema.ErrorAnswer, "description": "No such example."}}
COMPUTING = ERRORS | NOT_FOUND
# Before OpenAPI 3.2 the schema of a stream is that of each of its events.
EVENT_SCHEMA = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "description": "What it is, `error` among others."},
        "data": {"type": "string", "contentMediaType": "application/json", "description": "What it says, as JSON."},
    },
    "required": ["event", "data"],
}
STREAM: dict[str, Any] = {"text/event-stream": {"schema": EVENT_SCHEMA}}


def streaming(model: Any) -> dict[int | str, dict[str, Any]]:
    return COMPUTING | {200: {"model": model, "content": STREAM}}


def create_app(service: Service, limits: ServerLimits, load: Load) -> Gate:
    """The whole server as one ASGI application."""
    app = FastAPI(
        title="isarstep",
        version=__version__,
        description="Proposes, checks and chains missing steps of Isabelle/HOL proofs.",
        docs_url=None,  # the usual pages load their scripts from elsewhere
        redoc_url=None,
    )
    add_errors(app)
    add_pages(app)

    @app.get("/health", response_model=schema.HealthAnswer, responses={400: ERRORS[400]})
    async def health() -> Any:
        """Is the server up, what does it run, and how busy is it?"""
        return health_of(service, limits, load)

    add_examples(app, service)
    add_steps(app, service)
    add_library(app, service)
    return Gate(app, limits, load)


def add_examples(app: FastAPI, service: Service) -> None:
    """What the benchmark has, and what can be said of a proposition without proposing anything."""

    @app.get("/examples", response_model=schema.ExamplesAnswer, responses=pick(400, 401, 422))
    async def examples(
        query: Annotated[str, Query(max_length=200)] = "",
        split: Literal["test", "validation", "all"] = "test",
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
        offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    ) -> Any:
        """Held-out examples by words of id, theory and theorem, by constants and notation, best first."""
        return Json(await asyncio.to_thread(service.examples, query, split, limit, offset))

    @app.get("/example/{id}", response_model=schema.ExampleAnswer, responses=pick(400, 401, 422) | NOT_FOUND)
    async def example(id: schema.ExampleId) -> Any:
        """One example with its missing step; the first digits of its id are enough."""
        return Json(await asyncio.to_thread(service.example, id))

    @app.post("/isar", response_model=schema.IsarAnswer, responses=COMPUTING)
    async def isar(body: schema.IsarBody) -> Any:
        """A proof of facts, steps (`extra`) and goal as an Isar skeleton."""
        return Json(await service.computed(Clock(READING), service.isar, body))

    @app.post("/attention", response_model=schema.AttentionAnswer, responses=COMPUTING)
    async def attention(body: schema.AttentionBody) -> Any:
        """Where the model looks while it writes a proposition."""
        return Json(await service.computed(Clock(READING), service.attention, body))


def add_steps(app: FastAPI, service: Service) -> None:
    """What people come for: propositions read, steps proposed, checked and chained."""

    @app.post("/read", response_model=schema.ReadAnswer, responses=COMPUTING)
    async def read(body: schema.ProblemBody) -> Any:
        """Propositions as they are understood, or where each of them is wrong."""
        return Json(await service.computed(Clock(READING), service.read, body))

    @app.post("/propose", response_model=schema.ProposeAnswer, responses=streaming(schema.ProposeAnswer))
    async def propose(body: schema.ProposeBody) -> Any:
        """Ranked steps from the facts towards the goal."""
        clock = Clock(body.seconds)
        return await answer_found(await service.propose(body, clock), body, clock, body.check)

    @app.post("/check", response_model=schema.ProposeAnswer, responses=streaming(schema.ProposeAnswer))
    async def check(body: schema.CheckBody) -> Any:
        """Well-formedness and both gaps of the user's own proposals."""
        clock = Clock(body.seconds)
        return await answer_found(await service.proposals(body, clock), body, clock, True)

    async def answer_found(found: ProposalState, effort: schema.EffortBody, clock: Clock, asked: bool) -> Response:
        async def events() -> AsyncIterator[Event]:
            yield "steps", first_answer(found)
            if asked:
                async for event in service.gaps(found, effort, clock):
                    yield event
            yield "done", last_answer(found, clock, asked)

        if effort.stream:
            return stream(events())
        async for _ in events():
            pass
        return Json(whole_answer(found, clock, asked))

    @app.post("/sketch", response_model=schema.SketchAnswer, responses=streaming(schema.SketchAnswer))
    async def sketch(body: schema.SketchBody) -> Any:
        """A chain of steps from the facts to the goal, as far as provers can follow it."""
        clock = Clock(body.seconds)
        task = await service.computed(clock, service.task, body)
        events = service.sketch(body, task, clock)
        if body.stream:
            return stream(events)
        *_, (_, last) = [event async for event in events]
        return Json(last)


def add_library(app: FastAPI, service: Service) -> None:
    """What helps to write a problem: facts and theories to choose from, and statements from theories."""

    @app.get("/facts", response_model=schema.FactsAnswer, responses=pick(400, 401, 422))
    async def facts(
        query: Annotated[str, Query(max_length=200)],
        imports: Annotated[list[schema.Name] | None, Query(max_length=20)] = None,
        limit: Annotated[int, Query(ge=1, le=100)] = 10,
    ) -> Any:
        """Library facts by words, constants and notation, best first."""
        return Json(await asyncio.to_thread(service.facts, query, imports or [], limit))

    @app.get("/theories", response_model=schema.TheoriesAnswer, responses=pick(400, 401, 422))
    async def theories(
        query: Annotated[str, Query(max_length=200)] = "", limit: Annotated[int, Query(ge=1, le=100)] = 20
    ) -> Any:
        """Theories that a problem may stand in."""
        return Json(service.theories(query, limit))

    @app.post("/paste", response_model=schema.PastedAnswer, responses=ERRORS)
    async def paste(body: schema.PasteBody) -> Any:
        """The problem that a statement of a theory poses."""
        return Json(await service.computed(Clock(READING), service.pasted, body))


def pick(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: ERRORS[status] for status in statuses}


class Json(JSONResponse):
    """What a user sent may come back in an answer: whatever it is, it must be possible to write it."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def stream(events: AsyncIterator[Event]) -> StreamingResponse:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(frames(events), media_type="text/event-stream", headers=headers)


async def frames(events: AsyncIterator[Event]) -> AsyncIterator[bytes]:
    """Events as text; a comment now and then while nothing happens, and an error as the last event."""
    waiting: asyncio.Task[Event] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait({waiting}, timeout=KEEP_ALIVE)
            if not done:
                yield b": still at work\n\n"
                continue
            finished, waiting = waiting, None
            name, content = finished.result()
            yield frame(name, content)
    except StopAsyncIteration:
        return
    except UserError as error:
        yield frame("error", answer_fields.error(error, status_of(error)[1]))
    except Exception:
        yield frame("error", answer_fields.failure("internal", "the server made a mistake; its log says more"))
        raise
    finally:
        # A client that went away cancels whatever is awaited here; the end must be reached all the same.
        await asyncio.shield(asyncio.ensure_future(end(waiting, events)))


async def end(waiting: asyncio.Task[Event] | None, events: AsyncIterator[Event]) -> None:
    """Close a source of events, which is possible only when nobody waits for its next one."""
    if waiting is not None:
        waiting.cancel()
        await asyncio.wait({waiting})
    close = getattr(events, "aclose", None)
    if close is not None:
        await close()


def frame(name: str, content: Any) -> bytes:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return f"event: {name}\ndata: {text}\n\n".encode("utf-8", "backslashreplace")


def status_of(error: UserError) -> tuple[int, str]:
    if isinstance(error, NotFoundError):
        return 404, "not_found"
    if isinstance(error, OutOfTimeError):
        return 503, "busy" if isinstance(error, BusyError) else "out_of_time"
    return 422, error.code if isinstance(error, ProblemError) else "invalid"


def add_errors(app: FastAPI) -> None:
    """Whatever goes wrong is the same kind of JSON."""

    @app.exception_handler(UserError)
    async def user_error(_: Request, error: UserError) -> Response:
        status, code = status_of(error)
        headers = {"Retry-After": str(error.wait)} if isinstance(error, OutOfTimeError) else None
        return Json(answer_fields.error(error, code), status_code=status, headers=headers)

    @app.exception_handler(RequestValidationError)
    async def validation(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or None
        return Json(answer_fields.failure("invalid", str(first["msg"]), where), status_code=422)

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> Response:
        code = {404: "not_found", 405: "method"}.get(error.status_code, "invalid")
        return Json(
            answer_fields.failure(code, str(error.detail)), status_code=error.status_code, headers=error.headers
        )

    @app.exception_handler(Exception)
    async def mistake(_: Request, __: Exception) -> Response:
        message = "the server made a mistake; its log says more"
        return Json(answer_fields.failure("internal", message), status_code=500)


def add_pages(app: FastAPI) -> None:
    """The web page, and a page about this API; both need nothing from elsewhere."""
    names = frozenset(path.name for path in PAGE.iterdir())

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return FileResponse(PAGE / "index.html", headers={"Cache-Control": "no-cache"})

    @app.get("/page/{name}", include_in_schema=False)
    async def file(name: str) -> Response:
        if name not in names:
            raise HTTPException(404, f"there is no page {shorten(name)}")
        return FileResponse(PAGE / name, headers={"Cache-Control": "no-cache"})

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        from isarstep.apps.http.api_page import api_page

        return HTMLResponse(api_page(app.openapi()))


def health_of(service: Service, limits: ServerLimits, load: Load) -> dict[str, Any]:
    engine = service.engine
    sizes = service.batcher.sizes
    batches = sum(sizes.values())
    return {
        "status": "stopping" if load.stopping else "ok",
        "version": __version__,
        "model": {"name": engine.predictor.name, "benchmark": engine.predictor.about.benchmark},
        "benchmark": {"hash": engine.benchmark.hash, "splits": engine.benchmark.manifest["examples"]},
        "provers": installed(),
        "limits": {
            "body": limits.body,
            "propositions": schema.MOST_PROPOSITIONS,
            "tokens": MOST_TOKENS,
            "beam": schema.MOST_BEAM,
            "seconds": schema.MOST_SECONDS,
            "concurrency": limits.concurrency,
        },
        "load": {
            "running": load.running,
            "computing": len(service.workers.running),
            "searching": service.batcher.searching,
            "waiting": service.batcher.queued,
            "proving": service.prover_queue.under_way,
            "requests": load.requests,
            "refused": load.refused,
            "searches": batches,
            "late": service.batcher.late,
            "mean_batch": round(sum(size * count for size, count in sizes.items()) / batches, 3) if batches else 0.0,
        },
        "token_required": limits.token is not None,
    }
