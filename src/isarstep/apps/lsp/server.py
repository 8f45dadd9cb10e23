"""An editor's door over the Language Server Protocol: the only file that knows it. `isarstep lsp` runs it on stdio.

Every request but those that take a moment works on other threads and can be cancelled. An edit ends whatever is at work
on the version before it: an answer to an old version is never applied.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest
from pygls.exceptions import JsonRpcParseError as ParseError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification
from pygls.uris import to_fs_path

from isarstep.apps.engine import Engine
from isarstep.apps.interruptible import Workers
from isarstep.apps.lsp.input import EditorInput
from isarstep.apps.lsp.places import SECONDS, TITLES, EditorAnswer, asked_place, refusal_place
from isarstep.apps.lsp.text import EditorText
from isarstep.apps.service.printed import printed_task
from isarstep.common.errors import UserError
from isarstep.common.version import __version__
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.isabelle.theory.text.source import TheorySource

if TYPE_CHECKING:
    from isarstep.apps.service.service import Service

READING = 10.0  # seconds for what a request reads
WHOLE = 60.0  # seconds for reading a file from its first change to its end
PAUSE = 0.02  # seconds
UNANSWERED = 5.0  # seconds that an editor has to say that it shows progress
LARGEST_TEXT = 4_000_000  # characters
REQUEST_FAILED = -32803
NOT_READ_HERE = "Isabelle may well read it; docs/theories.md says what is read here"

T = TypeVar("T")
Refusals = list[tuple[int, str]]


@dataclass(eq=False)
class OpenFile:
    """A file that is open in the editor, and what is known of its version."""

    uri: str
    path: Path
    version: int
    text: EditorText
    document: TheoryDocument | None = None  # of this version or an earlier one
    making: asyncio.Task[TheoryDocument] | None = None
    reading: asyncio.Task[None] | None = None
    asked: set[asyncio.Task[Any]] = field(default_factory=set)  # at work on this version
    refusals: Refusals = field(default_factory=list)
    answers: list[types.Diagnostic] = field(default_factory=list)


class EditorProtocol(LanguageServerProtocol):
    """Keeps the texts itself, runs commands that can be cancelled, and answers what it cannot read, too."""

    _server: EditorServer

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if "id" not in data or "method" not in data:
                raise
            what = f"the parameters of {str(data['method'])[:60]} are not those of the protocol"
            self.refuse(JsonRpcInvalidParams(what), data["id"])
            return JsonRPCNotification(method="$/refused", jsonrpc="2.0", params=None)

    def handle_message(self, message: Any) -> None:
        if self._shutdown and hasattr(message, "id"):
            self.refuse(JsonRpcInvalidRequest("the server has been shut down"), message.id)
        else:
            super().handle_message(message)

    def refuse(self, error: JsonRpcException, identifier: object = None) -> None:
        said = {"code": error.code, "message": " ".join(error.message.split())}
        known = identifier if isinstance(identifier, str | int) else None
        self._send_data({"jsonrpc": "2.0", "id": known, "error": said})

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._server.open(params.text_document)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self._server.change(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.close(params.text_document.uri)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> str:  # type: ignore[override]
        return await self._server.execute(params)

    @lsp_method(types.TEXT_DOCUMENT_CODE_ACTION)
    async def lsp_code_action(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        return await self._server.code_actions(params)

    @lsp_method(types.TEXT_DOCUMENT_HOVER)
    async def lsp_hover(self, params: types.HoverParams) -> types.Hover | None:
        return await self._server.hover(params)


class EditorServer(LanguageServer):
    """Open files over one engine. What reading needs is loaded at once, and all else when the first file is read."""

    protocol: EditorProtocol

    def __init__(self, engine: Engine) -> None:
        super().__init__("isarstep", __version__, protocol_cls=EditorProtocol)
        self.engine = engine
        self.files: dict[str, OpenFile] = {}
        self.workers = Workers()
        self._service: Future[Service] = Future()  # with its model and its provers' facts
        self._wanted = threading.Event()
        self._asked = 0  # requests that wait for something to be read
        for name in TITLES:
            self.command(name)(lambda *_: None)  # so that the protocol lists them; `execute` does them
        threading.Thread(target=self._load, name="loading", daemon=True).start()

    def _load(self) -> None:
        try:
            self.engine.find_model()
            self.engine.signature  # noqa: B018
            self._wanted.wait()
            gc.freeze()
            gc.enable()
            from isarstep.apps.batching import LARGEST
            from isarstep.apps.service.service import Service

            self.engine.load_ahead()
            service = Service(self.engine, LARGEST)

            def told(_: object) -> None:
                if not self._service.done():
                    self._service.set_result(service)

            service.load_library(told)
        except BaseException as error:  # whoever asks gets it
            self._service.set_exception(error)

    async def service(self) -> Service:
        self._wanted.set()
        return await asyncio.shield(asyncio.wrap_future(self._service))

    async def computed(self, seconds: float, work: Callable[..., T], *arguments: Any) -> T:
        """What Python works out on another thread. Raises UserError."""
        try:
            return await self.workers.within(seconds, work, *arguments)
        except TimeoutError:
            raise UserError(f"not read within {seconds:g} s; make the file or its statements smaller") from None
        except (RecursionError, MemoryError):
            raise UserError("something in it is nested too deeply or too large; make it smaller") from None

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Only what is no message, or has no answer, comes here."""
        if source is JsonRpcException:
            parsed = not isinstance(error, ValueError | RecursionError)
            what = "this is no message of the protocol" if parsed else "this is no JSON in UTF-8"
            self.protocol.refuse(JsonRpcInvalidRequest(what) if parsed else ParseError(what))

    # Texts

    def open(self, item: types.TextDocumentItem) -> None:
        self.close(item.uri)
        encoding = str(getattr(self.server_capabilities.position_encoding, "value", None) or "utf-16")
        path = Path((to_fs_path(item.uri) or "Untitled.thy").replace("\0", ""))
        self.files[item.uri] = OpenFile(item.uri, path, item.version, EditorText(item.text, encoding))
        self._read_again(self.files[item.uri])

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        file = self.files.get(params.text_document.uri)
        if file is None:
            return
        file.version = params.text_document.version
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangeWholeDocument):
                start, end = 0, len(file.text.text)
            else:
                ends = (change.range.start, change.range.end)
                start, end = (file.text.place(each.line, each.character) for each in ends)
            file.text = file.text.changed(start, end, change.text)
            longer = len(change.text) - (end - start)
            stay = [(place, what) for place, what in file.refusals if place < start]
            file.refusals = stay + [(place + longer, what) for place, what in file.refusals if place >= end]
        self._end_work(file)
        self._read_again(file)

    def close(self, uri: str) -> None:
        file = self.files.pop(uri, None)
        if file is not None:
            self._end_work(file)
            self._publish(file, [])

    def _end_work(self, file: OpenFile) -> None:
        for task in (*file.asked, file.reading):
            if task is not None:
                task.cancel()
        file.making, file.answers = None, []

    def file(self, uri: str) -> OpenFile:
        if uri not in self.files:
            raise JsonRpcInvalidParams(f"{uri[:200]!r} is not open")
        return self.files[uri]

    # Reading

    async def document(self, file: OpenFile) -> TheoryDocument:
        """Of the version that the file has now. Raises UserError."""
        if file.making is None:
            file.making = asyncio.create_task(self._make(file))
            file.making.add_done_callback(lambda made: made.cancelled() or made.exception())  # somebody has seen it
        return await asyncio.shield(file.making)

    async def _make(self, file: OpenFile) -> TheoryDocument:
        text, version, earlier = file.text.text, file.version, file.document
        if file.path.suffix != ".thy":
            raise UserError(f"{file.path}: only theory files are read, which end in .thy")
        if len(text) > LARGEST_TEXT:
            raise UserError(f"{file.path}: files of more than {LARGEST_TEXT:,} characters are not read")

        def read() -> TheoryDocument:
            return TheoryDocument(file.path, self.engine.theory_contexts, text=text, edited=True, earlier=earlier)

        made = await self.computed(READING, read)
        if file.version == version:
            file.document = made
        return made

    def _read_again(self, file: OpenFile) -> None:
        if file.path.suffix != ".thy":  # an editor may send other files, too
            return
        file.reading = asyncio.create_task(self._read(file))

    async def _read(self, file: OpenFile) -> None:
        """What is not read: first up to the change, then in the whole file."""
        try:
            document = await self.document(file)
            if document.changed:
                near = await self.computed(WHOLE, document.refusals, document.changed)
                told = [refusal_place(each, document.source) for each in near]
                self._publish(file, [*told, *(old for old in file.refusals if old[0] > document.changed)])
            for stop in document.stops():
                while self._asked:  # who asks comes first
                    await asyncio.sleep(PAUSE)
                near = await self.computed(WHOLE, document.refusals, stop)
            self._publish(file, [refusal_place(each, document.source) for each in near])
            self._wanted.set()
        except UserError as error:
            self._publish(file, [refusal_place(str(error), TheorySource(file.text.text, file.path))])
        except Exception as error:  # nobody else would tell
            self._publish(file, [(0, f"the file is not read, by a mistake of isarstep: {error!r}")])

    def _publish(self, file: OpenFile, refusals: Refusals) -> None:
        file.refusals = list(dict.fromkeys(refusals))
        found = [*(self._diagnostic(file, *each) for each in file.refusals), *file.answers]
        params = types.PublishDiagnosticsParams(file.uri, found, version=file.version)
        self.text_document_publish_diagnostics(params)

    def _diagnostic(self, file: OpenFile, place: int, what: str) -> types.Diagnostic:
        ours = "not read" in what or "needs an Isabelle" in what
        severity = types.DiagnosticSeverity.Information if ours else types.DiagnosticSeverity.Warning
        shown = f"{what}. {NOT_READ_HERE}" if ours else what
        return types.Diagnostic(_range(file, place), shown, severity=severity, source="isarstep")

    # Questions

    async def code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        file = self.file(params.text_document.uri)
        version, line = file.version, params.range.start.line
        try:
            place = asked_place(await self.document(file), line + 1)
        except UserError:  # its diagnostic says so
            return []
        if place is None:
            return []
        arguments = [file.uri, version, line]
        return [
            types.CodeAction(
                title, types.CodeActionKind.QuickFix, command=types.Command(title, name, arguments=arguments)
            )
            for name, title in TITLES.items()
        ]

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """The facts and the goal at a line, as they are read."""
        file = self.file(params.text_document.uri)
        self._asked += 1
        try:
            place = asked_place(await self.document(file), params.position.line + 1)
            if place is None:
                return None
            said = await self.computed(READING, lambda: printed_task(self.engine.read_state(place.state())))
        except UserError as error:
            said = str(error)
        finally:
            self._asked -= 1
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, f"```\n{said}\n```"))

    async def execute(self, params: types.ExecuteCommandParams) -> str:
        """One of the commands: with progress, until it is answered, cancelled or the file is edited."""
        file, version, line = self._arguments(params)
        task = asyncio.current_task()
        assert task is not None
        file.asked.add(task)
        progress = EditorProgress(self, TITLES[params.command], task)
        try:
            await progress.begin(params.work_done_token)
            place = asked_place(await self.document(file), line + 1)
            if place is None:
                raise UserError(f"{file.path}:{line + 1}: there is no sorry and no statement at this line")
            service = await self.service()
            from isarstep.apps.lsp.answers import ASKING
            from isarstep.apps.service.service import Clock

            answer = await ASKING[params.command](service, place, Clock(SECONDS), progress.report)
            self._show(file, place.command.start, answer)
            return answer.text
        except asyncio.CancelledError:
            if self.files.get(file.uri) is file and file.version == version:
                raise
            raise JsonRpcContentModified("the file was edited or closed meanwhile; ask again") from None
        except UserError as error:
            raise JsonRpcException(" ".join(str(error).split()), REQUEST_FAILED) from None
        finally:
            file.asked.discard(task)
            progress.end()

    def _arguments(self, params: types.ExecuteCommandParams) -> tuple[OpenFile, int, int]:
        """File, version and line. Raises JsonRpcException."""
        if params.command not in TITLES:
            raise JsonRpcInvalidParams(f"there is no command {params.command[:60]!r}")
        match params.arguments:
            case [str(uri), int(version), int(line)]:
                file = self.file(uri)
            case _:
                raise JsonRpcInvalidParams(f"{params.command}: expected a URI, a version and a line")
        if version != file.version:
            raise JsonRpcContentModified(f"the file has version {file.version} by now; ask again")
        return file, version, line

    def _show(self, file: OpenFile, start: int, answer: EditorAnswer) -> None:
        """As an edit where it is one, else at its place; in both cases its gist in one line."""
        can_edit = getattr(self.client_capabilities.workspace, "apply_edit", False)
        if answer.replacement is not None and answer.gap is not None and can_edit:
            place = types.Range(_position(file, answer.gap.start), _position(file, answer.gap.end))
            edit = types.TextEdit(place, answer.replacement)
            known = types.OptionalVersionedTextDocumentIdentifier(file.uri, file.version)
            whole = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(known, [edit])])
            self.workspace_apply_edit(types.ApplyWorkspaceEditParams(whole, label="isarstep"))
        else:
            severity = types.DiagnosticSeverity.Information
            file.answers.append(
                types.Diagnostic(_range(file, start), answer.text, severity=severity, source="isarstep")
            )
            self._publish(file, file.refusals)
        self.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"isarstep: {answer.gist}"))


class EditorProgress:
    """The progress of one command; whoever cancels it cancels the command."""

    def __init__(self, server: EditorServer, title: str, task: asyncio.Task[Any]) -> None:
        self._server, self._title, self._task = server, title, task
        self._token: types.ProgressToken | None = None

    async def begin(self, token: types.ProgressToken | None) -> None:
        """With the editor's token, or with one of ours where it understands that."""
        window = self._server.client_capabilities.window
        progress = self._server.work_done_progress
        if token is None:
            if window is None or not window.work_done_progress:
                return
            token = f"isarstep-{id(self._task)}"
            try:
                await asyncio.wait_for(progress.create_async(token), UNANSWERED)
            except (TimeoutError, JsonRpcException):
                return  # then without
        self._token = token
        progress.begin(token, types.WorkDoneProgressBegin(f"isarstep: {self._title}", cancellable=True))
        cancelled = progress.tokens[token]
        cancelled.add_done_callback(lambda future: future.cancelled() and self._task.cancel())

    def report(self, message: str) -> None:
        if self._token is not None:
            report = types.WorkDoneProgressReport(message=message)
            self._server.work_done_progress.report(self._token, report)

    def end(self) -> None:
        if self._token is not None:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
            self._server.work_done_progress.tokens.pop(self._token, None)


def _position(file: OpenFile, place: int) -> types.Position:
    return types.Position(*file.text.position(place))


def _range(file: OpenFile, place: int) -> types.Range:
    place = min(place, len(file.text.text))
    return types.Range(_position(file, place), _position(file, file.text.end_of_word(place)))


def run_editor_server(model: str, benchmark: str) -> None:
    """On stdio, until the editor says so, closes its end, or dies."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # whoever asks is told
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    server = EditorServer(Engine(model, benchmark))

    def refuse(what: str) -> None:
        server.protocol.refuse(ParseError(what))

    try:
        server.start_io(cast(BinaryIO, EditorInput(sys.stdin.buffer, refuse)))
    except OSError as error:
        print(f"isarstep: the editor is gone ({error.strerror})", file=sys.stderr)
        os._exit(1)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0 if server.protocol._shutdown else 1)  # nobody is left who wants to know what threads are at work on
