"""The tools over the Model Context Protocol: the only file that knows it. `isarstep mcp` runs it on stdio or HTTP.

The handshake is answered at once, while everything is loaded on another thread; a tool that is called earlier waits.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import traceback
import typing
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import ValidationError

from isarstep.apps.mcp.tools.check_step import check_step
from isarstep.apps.mcp.tools.example import example
from isarstep.apps.mcp.tools.find_facts import find_facts
from isarstep.apps.mcp.tools.propose_step import propose_step
from isarstep.apps.mcp.tools.read import read
from isarstep.apps.mcp.tools.results import Around, bounded, what_is_wrong
from isarstep.apps.mcp.tools.sketch import sketch
from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service.schema import ProblemBody
from isarstep.common.errors import UserError
from isarstep.common.version import __version__

if TYPE_CHECKING:
    from starlette.requests import Request

TOOLS: tuple[Callable[..., Awaitable[Any]], ...] = (read, propose_step, check_step, sketch, find_facts, example)

# Tools look things up and compute: nothing is changed, and nothing outside is asked.
HARMLESS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

INSTRUCTIONS = (
    "Finds and checks missing steps of Isabelle/HOL proofs, without an Isabelle. Propositions are in Isabelle's "
    "notation with Unicode symbols. Ask `read` when in doubt about notation, `propose_step` for what could stand "
    "between facts and a goal, `check_step` whether steps of your own hold, `find_facts` for library theorems. "
    "Look at `status`: out_of_time and could_not_ask say nothing about whether a statement holds."
)


def make_server(workshop: Workshop) -> MCPServer:
    """All tools over one workshop, which any number of clients share."""
    server = PlainServer("isarstep", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")
    for tool in TOOLS:
        about = inspect.getdoc(tool)
        server.add_tool(_bound(tool, workshop), name=tool.__name__, description=about, annotations=HARMLESS)
    return server


class PlainServer(MCPServer):
    """Says in one line what is wrong with the arguments of a call."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context | None = None) -> Any:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(f"{name}: {what_is_wrong(error.__cause__)}") from None
            raise


def _bound(tool: Callable[..., Awaitable[Any]], workshop: Workshop) -> Callable[..., Awaitable[Any]]:
    """The tool as the protocol wants it: with its own parameters, and the request's context instead of ours."""
    hints = typing.get_type_hints(tool, include_extras=True)
    own = list(inspect.signature(tool).parameters.values())[2:]

    async def call(ctx: Context, **arguments: Any) -> Any:
        async def progress(done: float, total: float | None, message: str) -> None:
            await ctx.report_progress(done, total, message)

        return bounded(await _while_connected(ctx.request_context.request, tool(workshop, progress, **arguments)))

    keyword = inspect.Parameter.KEYWORD_ONLY
    context = inspect.Parameter("ctx", keyword, annotation=Context)
    parameters = [p.replace(kind=keyword, annotation=hints[p.name]) for p in own if p.name != "around"]
    if len(parameters) < len(own):  # each of these has the default of a request to the service
        for name, kind in typing.get_type_hints(Around, include_extras=True).items():
            default = ProblemBody.model_fields[name].default
            parameters.append(inspect.Parameter(name, keyword, default=default, annotation=kind))
    call.__signature__ = inspect.Signature([*parameters, context], return_annotation=hints["return"])  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in (*parameters, context)} | {"return": hints["return"]}
    call.__name__ = tool.__name__
    return call


async def _while_connected(request: Request | None, answer: Awaitable[Any]) -> Any:
    """The answer, unless the connection ends on which it is waited for: over HTTP nobody can come back for it, and the
    protocol's older versions would work on. Over stdio there is no request, and the whole server ends."""
    if request is None:
        return await answer
    with anyio.CancelScope() as scope:
        watching = asyncio.ensure_future(_cancel_when_gone(request, scope))
        try:
            return await answer
        finally:
            watching.cancel()
    raise UserError("the client went away")


async def _cancel_when_gone(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def run_stdio(workshop: Workshop) -> None:
    """Until the client closes its end, or dies."""
    server = make_server(workshop)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    try:
        anyio.run(server.run_stdio_async)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)  # searches and provers are under way on threads: nobody is left who wants to know


def run_http(workshop: Workshop, host: str, port: int) -> None:
    """Until it is stopped."""
    import uvicorn

    app = make_server(workshop).streamable_http_app(host=host)
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=3)
    uvicorn.Server(config).run()
