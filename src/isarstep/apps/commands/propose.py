"""Commands of the proposer: propose, sketch, serve."""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isarstep.common.errors import UserError
from isarstep.common.progress import Watched, told_when_long
from isarstep.common.tables import print_tables

if TYPE_CHECKING:
    from isarstep.apps.engine import Engine
    from isarstep.benchmark.problems.task import Task
    from isarstep.isabelle.theory.problems.problem import Form
    from isarstep.prover.isar.sketch import Sketch
    from isarstep.prover.outcomes.step import Step, Steps

# The same words for both commands.
FileArgument = Annotated[
    Path | None,
    typer.Argument(
        help="A problem as JSON (- is standard input); FILE.thy:LINE, the statement that stands there; or "
        "GRAPH.jsonl.zst:THEORY:PROOF:COMMAND, that step of a proof graph."
    ),
]
Goal = Annotated[str | None, typer.Option(help="What is to be shown, in notation.")]
Facts = Annotated[list[str] | None, typer.Option("--fact", help="What the step should follow from; may be repeated.")]
Others = Annotated[list[str] | None, typer.Option("--other", help="What else is used for the goal; may be repeated.")]
Hints = Annotated[list[str] | None, typer.Option("--hint", help="A lemma that may help; may be repeated.")]
Fixed = Annotated[
    list[str] | None, typer.Option(help="A name that is a variable, though it looks like none or a constant has it.")
]
Types = Annotated[list[str] | None, typer.Option("--type", help="A variable's type, as in 'x :: nat'.")]
Theories = Annotated[
    list[str] | None,
    typer.Option("--theory", help="Where the problem stands; may be repeated. Left away: Complex_Main, if it reads."),
]
Tokens = Annotated[bool, typer.Option("--tokens", help="Propositions are given as tokens.")]
ExampleOption = Annotated[str | None, typer.Option(help="An example of the benchmark: its id, or the first digits.")]
Model = Annotated[str, typer.Option(help="A model folder, or 'embedded'.")]
BenchmarkOption = Annotated[str, typer.Option(help="The benchmark's folder, or 'embedded'.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer of the HTTP API instead of text.")]
Replay = Annotated[
    Path | None,
    typer.Option(
        metavar="IMAGES",
        help="Let an Isabelle (ISABELLE_HOME or the PATH) replay what provers proved, on images of this folder.",
    ),
]
Beam = Annotated[int, typer.Option(min=1, max=100, help="Steps that the model proposes at one place.")]

_ARGUMENT = "is part of the argument: GRAPH.jsonl.zst:THEORY:PROOF:COMMAND"
_CHOSEN = "is chosen by the command; the HTTP API of `isarstep serve` takes other values"
REPLACED = {
    "--price": "is gone: `summary.json` counts the tokens",
    **dict.fromkeys(("--graph", "--step"), _ARGUMENT),
    **dict.fromkeys(("--library", "--depth"), _CHOSEN),
    "--seconds": f"{_CHOSEN}, as prover_seconds; a sketch has --budget for all of it",
}


def propose(
    file: FileArgument = None,
    goal: Goal = None,
    fact: Facts = None,
    other: Others = None,
    hint: Hints = None,
    type_: Types = None,
    fixed: Fixed = None,
    theory: Theories = None,
    tokens: Tokens = False,
    example: ExampleOption = None,
    beam: Beam = 10,
    check: Annotated[
        bool | None,
        typer.Option(
            "--check/--no-check", help="Let provers try both sides of every step, not at all, or (neither) for seconds."
        ),
    ] = None,
    replay: Replay = None,
    model: Model = "embedded",
    benchmark: BenchmarkOption = "embedded",
    as_json: AsJson = False,
) -> None:
    """Propose the missing step between facts and a goal.

    Example:

        isarstep propose --fact 'x ≤ y' --fact 'y ≤ z' --goal 'x < z + 1' --type 'z :: nat'
        isarstep propose --example 2585bb6c8e55 --json --check
        isarstep propose graphs/HOL/Parity.jsonl.zst:HOL.Parity:12:3
    """
    asked = (file, goal, fact, other, hint, type_, fixed, theory, tokens, example)
    engine, task = _ask(*asked, model, benchmark)
    from isarstep.apps.engine import seconds_of_checks
    from isarstep.apps.service.printed import printed_proposals, proposals_json

    checked = check is not False or replay is not None
    seconds = seconds_of_checks(check or (True if replay is not None else None))
    with told_when_long("asking provers" if checked else "searching"):
        found = _checked(engine, task, beam, seconds) if checked else engine.propose(task, beam)
    if as_json:
        print(json.dumps(proposals_json(task, found, checked, engine.unknown(task)), ensure_ascii=False))
        return
    print(printed_proposals(task, found, checked, engine.unknown(task)))
    if replay is not None:
        print(*_replayed(engine, task, found, replay), sep="\n")


def _checked(engine: Engine, task: Task, beam: int, seconds: float) -> Steps:
    """Steps with what provers, who try them for so long, say of them."""
    from isarstep.prover.search.proof_search import Plan

    plan = Plan()  # what provers get for a step of a sketch
    with engine.proving(plan.prover_seconds, plan.library) as proving:
        return engine.propose(task, beam, proving=proving, seconds=seconds)


def sketch(
    file: FileArgument = None,
    goal: Goal = None,
    fact: Facts = None,
    other: Others = None,
    hint: Hints = None,
    type_: Types = None,
    fixed: Fixed = None,
    theory: Theories = None,
    tokens: Tokens = False,
    example: ExampleOption = None,
    budget: Annotated[float, typer.Option(min=1, help="Seconds in all.")] = 30,
    beam: Beam = 10,
    replay: Replay = None,
    model: Model = "embedded",
    benchmark: BenchmarkOption = "embedded",
    as_json: AsJson = False,
) -> None:
    """Sketch a proof: a chain of steps from the facts to the goal, provers closing the gaps.

    Prints an Isar skeleton that says of each step whether it is proved or open.

    Example:

        isarstep sketch --fact 'finite A' --fact 'B ⊆ A' --goal 'card B ≤ card A + 1' --budget 20
    """
    asked = (file, goal, fact, other, hint, type_, fixed, theory, tokens, example)
    engine, task = _ask(*asked, model, benchmark, model_first=False)
    from isarstep.apps.searching import search_for_proof

    best, provers = search_for_proof(engine, task, beam, budget)
    if as_json:
        from isarstep.apps.service.service import sketch_json

        print(json.dumps(sketch_json(best), ensure_ascii=False))
        return
    print(best.shown(*provers))
    if replay is not None:
        print(*(f"(* {line} *)" for line in _replayed(engine, task, best, replay)), sep="\n")


def demo(
    scored: Annotated[int, typer.Option(min=1, help="Examples that the shipped model is scored on at the end.")] = 60,
) -> None:
    """Show the main jobs: a step proposed and checked, a theorem proved, a sorry filled, a score.

    Example:

        isarstep demo
    """
    from isarstep.apps.demo import tour

    tour(scored)


def fill(
    file: Annotated[Path, typer.Argument(help="A theory file.")],
    line: Annotated[list[int] | None, typer.Option(help="Only the sorry at this line; may be repeated.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Change the file; nothing is printed.")] = False,
    budget: Annotated[float, typer.Option(min=1, help="Seconds for each sorry.")] = 20,
    beam: Beam = 10,
    model: Model = "embedded",
    benchmark: BenchmarkOption = "embedded",
    as_json: Annotated[bool, typer.Option("--json", help="Print every gap as JSON instead of the diff.")] = False,
) -> None:
    """Fill the gaps of a theory file: each sorry gets a proof, or the best open sketch as a comment.

    Prints the change as a diff. Proofs are found by provers, not by Isabelle's kernel, and are marked so. When it is
    interrupted, the gaps that are filled by then count.

    Example:

        isarstep fill Mine.thy --line 42 --budget 10
    """
    from isarstep.apps.engine import Engine
    from isarstep.apps.filling import refuse_unwritable
    from isarstep.apps.searching import fill_theory

    if write:
        refuse_unwritable(file)  # before a search whose result could not be kept
    filled = fill_theory(Engine(model, benchmark), file, line or (), beam, budget)
    for each in filled.gaps:
        if each.why:
            said = each.why if each.crashed else f"left open: {each.why}"
            typer.echo(f"{file}:{each.gap.line}: {said}", err=True)
    typer.echo(f"{filled.proved} of {filled.asked} filled", err=True)
    if write:
        filled.write()
    if as_json:
        print(json.dumps(filled.as_json(), ensure_ascii=False))
    elif not write:
        print(filled, end="")


def prove(
    statement: Annotated[
        str,
        typer.Argument(help="A statement in notation; FILE.thy:LINE, the one there; or a file with a problem as JSON."),
    ],
    fact: Annotated[list[str] | None, typer.Option("--fact", help="What it should follow from.")] = None,
    type_: Types = None,
    fixed: Fixed = None,
    theory: Theories = None,
    seconds: Annotated[float, typer.Option(min=1, help="In all.")] = 30,
    replay: Replay = None,
    model: Model = "embedded",
    benchmark: BenchmarkOption = "embedded",
    as_json: AsJson = False,
) -> None:
    """Prove a statement, by provers, induction and proposed steps; print the proof as Isar.

    Ends with 1 where no proof was found in time. What is false for small values is told so.

    Example:

        isarstep prove 'length (xs @ ys) = length ys + length xs' --type 'xs :: nat list'
        isarstep prove 'x < z' --fact 'x ≤ y' --fact 'y < z' --type 'x :: int' --seconds 10
        isarstep prove Scratch.thy:12 --json
    """
    from isarstep.apps.searching import file_of_statement, search_for_proof

    file = file_of_statement(statement)
    if file is not None and (fact or type_):
        raise UserError(f"{statement}: a file says its facts and types itself; leave --fact and --type away")
    asked = (file, None if file else statement, fact, None, None, type_, fixed, theory, False, None)
    engine, task = _ask(*asked, model, benchmark, model_first=False)
    best, provers = search_for_proof(engine, task, 10, seconds)
    if as_json:
        from isarstep.apps.service.service import sketch_json

        about = {"proved": best.closed, "not_needed": best.not_needed()}
        print(json.dumps(about | sketch_json(best), ensure_ascii=False))
    else:
        print(best.shown(*provers))
        print(*(f"(* not needed: {text} *)\n" for text in best.not_needed()), sep="", end="")
        if replay is not None:
            print(*(f"(* {line} *)" for line in _replayed(engine, task, best, replay)), sep="\n")
    if not best.closed:
        raise typer.Exit(1)


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; anything but this machine needs a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any that is free.")] = 6174,
    model: Model = "embedded",
    benchmark: BenchmarkOption = "embedded",
    token: Annotated[
        str | None,
        typer.Option(envvar="ISARSTEP_TOKEN", help="What requests must show; better set in the environment."),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests under way at once; more are refused.")] = 32,
    batch: Annotated[int, typer.Option(min=1, help="Most requests that are searched together.")] = 8,
) -> None:
    """Serve proposals, checks and sketches over HTTP, with a web page.

    Ctrl-C or SIGTERM stops it within five seconds; requests that were accepted have three.

    Example:

        isarstep serve --port 6174
    """
    from isarstep.apps.http.server import serve as run

    run(model, benchmark, host, port, concurrency, token, batch)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> None:
    """Say what is installed, and what is missing for which command.

    Ends with code 1 where something is missing that the package cannot do without.

    Example:

        isarstep doctor
    """
    from dataclasses import asdict

    from isarstep.apps.doctor import findings, report

    found = list(findings())
    whole = all(finding.found is not None or not finding.required for finding in found)
    document = {"whole": whole, "findings": [asdict(finding) for finding in found]}
    print(json.dumps(document, ensure_ascii=False) if as_json else report(found))
    if not whole:
        raise typer.Exit(1)


def _ask(
    file: Path | None,
    goal: str | None,
    facts: list[str] | None,
    others: list[str] | None,
    hints: list[str] | None,
    types: list[str] | None,
    fixed: list[str] | None,
    theories: list[str] | None,
    tokens: bool,
    example: str | None,
    model: str,
    benchmark: str,
    *,
    model_first: bool = True,
) -> tuple[Engine, Task]:
    """The engine and the task of the one problem that was given in one of three ways. The model is loaded beside, or,
    where something else comes first, when it is asked for."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: no threads that a search would not use
    from isarstep.apps.engine import Engine
    from isarstep.isabelle.theory.problems.problem import Problem

    if sum(way is not None for way in (file, goal, example)) != 1:
        raise UserError("give one problem: a file, --goal with --fact, or --example ID")
    if theories and goal is None:
        raise UserError("--theory: an example stands in its own theory, and a file says imports itself")
    collecting = gc.isenabled()
    gc.disable()  # nothing of what is loaded now is garbage, and looking for some takes a tenth of the time
    try:
        engine = Engine(model, benchmark)
        if model_first:
            engine.load_ahead()
        if example is not None:
            task = engine.example(example)
        elif file is not None:
            task = _task_of_file(engine, file)
        else:
            typed = dict(_type_of(text) for text in types or ())
            form: Form = "tokens" if tokens else "notation"
            given = (tuple(facts or ()), tuple(others or ()), tuple(hints or ()))
            names = tuple(fixed or ())
            problem = Problem(goal, *given, form=form, fixed=names, types=typed, imports=tuple(theories or ()))
            task = engine.read(problem)
        if model_first:
            engine.load()
        else:
            engine.find_model()
    finally:
        if collecting:
            gc.freeze()
            gc.enable()
    return engine, task


def _task_of_file(engine: Engine, file: Path) -> Task:
    """A file holds the body of a request to the HTTP API; a theory's, with a line, a statement; a graph's a step."""
    from pydantic import ValidationError

    graph, inside, step = str(file).partition(".jsonl.zst:")
    if inside:
        from isarstep.benchmark.extraction.graph_problem import problem_of_step

        return engine.read(problem_of_step(Path(graph + ".jsonl.zst"), step))
    theory, _, line = str(file).rpartition(":")
    if theory.endswith(".thy") and line.isdecimal():
        from isarstep.benchmark.problems.task import with_goal_opened
        from isarstep.isabelle.theory.document import TheoryDocument

        state = TheoryDocument(Path(theory), engine.theory_contexts).state_at(int(line))
        for note in state.context.notes:
            typer.echo(f"not read: {note}", err=True)
        return with_goal_opened(engine.read_state(state))

    from isarstep.apps.service.schema import ProblemBody
    from isarstep.apps.service.service import problem_of_body

    text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    try:
        body = ProblemBody.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise UserError(f"{file}: {where}: {first['msg']}") from None
    if body.example is not None:
        return engine.example(body.example, problem_of_body(body))
    return engine.read(problem_of_body(body))


def _type_of(text: str) -> tuple[str, str]:
    name, separator, typ = text.partition("::")
    if not separator:
        raise UserError(f"--type {text!r}: write a variable and its type, as in 'x :: nat'")
    return name.strip(), typ.strip()


def _replayed(engine: Engine, task: Task, found: list[Step] | Sketch, images: Path) -> list[str]:
    from isarstep.prover.replay.isabelle_run import open_isabelle
    from isarstep.prover.replay.replay import proofs_of_sketch, proofs_of_steps, replayed

    proofs = proofs_of_steps(task, found) if isinstance(found, list) else proofs_of_sketch(found)
    qualified = engine.benchmark.manifest.get("qualified", ())
    return replayed(open_isabelle(images), task, proofs, qualified) or ["nothing is proved or replayed"]


def ask(
    out: Annotated[Path, typer.Option(help="Folder of the run; an interrupted run there is continued.")],
    endpoint: Annotated[str, typer.Option(help="Address up to /v1 of a server with OpenAI's chat interface.")],
    model: Annotated[str, typer.Option(help="The model's name there.")],
    benchmark: Annotated[str, typer.Option(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
    split: Annotated[str, typer.Option(help="validation, test, unseen or fresh.")] = "validation",
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many examples, those of lowest id.")] = None,
    samples: Annotated[int, typer.Option(min=1, max=100, help="Replies to each question.")] = 1,
    shots: Annotated[int, typer.Option(min=0, max=32, help="Examples of training before each question.")] = 4,
    temperature: Annotated[float | None, typer.Option(help="Default: 0 for one sample, 0.7 for several.")] = None,
    longest: Annotated[int, typer.Option(min=16, help="Tokens of a reply.")] = 1024,
    per_minute: Annotated[float, typer.Option(min=0.1, help="Requests a minute at most.")] = 60.0,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Requests at the same time.")] = 4,
) -> None:
    """Ask a language model for the missing steps of a split, and score its answers as terms.

    The key is taken from ISARSTEP_API_KEY or OPENAI_API_KEY, if one is needed, and written nowhere. The folder keeps
    every reply; predictions.jsonl in it goes to 'isarstep evaluate' and 'isarstep check' like that of any system.

    Example:

        isarstep ask --endpoint http://localhost:8000/v1 --model NAME --limit 100 --samples 10 --out runs/name
    """
    from isarstep.apps.llm.asking import AskedRun, ask_all, summarise_replies
    from isarstep.apps.llm.endpoint import Endpoint
    from isarstep.apps.llm.questions import Questions
    from isarstep.benchmark.store.store import Benchmark

    opened = Benchmark(benchmark)
    rows = opened.split(split)
    examples = rows.lowest(limit)
    heat = temperature if temperature is not None else 0.0 if samples == 1 else 0.7
    inquiry = AskedRun(model, opened.hash, rows.name, samples, shots, heat, longest)
    server = Endpoint(endpoint, model, temperature=heat, longest=longest, per_minute=per_minute)
    with told_when_long("reading the benchmark"):
        questions = Questions(opened, shots)
    with Watched(f"asking {model}", len(examples)) as watched:
        ask_all(out, inquiry, questions, examples, server, at_once=at_once, progress=watched.at)
    with told_when_long("reading the replies"):
        summary = summarise_replies(out, inquiry, questions, examples)
    typer.echo(json.dumps(summary, indent=1))


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP at /mcp instead of stdio.")] = False,
    host: Annotated[str, typer.Option(help="For --http: this machine's own address, nothing else.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="For --http.")] = 8766,
    model: Annotated[str, typer.Option(help="A model's folder, or 'embedded'.")] = "embedded",
    benchmark: Annotated[str, typer.Option(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
) -> None:
    """Serve tools for agents over the Model Context Protocol.

    The client starts it and talks to it over stdin and stdout; with --http several clients share one. Needs
    pip install 'isarstep[mcp]'. docs/agents.md says how to register it.

    Example:

        isarstep mcp
        isarstep mcp --http --port 8766
    """
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise UserError("the protocol's package is missing; install it with: pip install 'isarstep[mcp]'")
    if http and host not in ("127.0.0.1", "::1", "localhost"):
        raise UserError(f"--host {host} can be reached from elsewhere, and no token is asked for; use 127.0.0.1")
    from isarstep.apps.mcp import server as mcp_server
    from isarstep.apps.mcp.tools.workshop import usual_workshop

    workshop = usual_workshop(model, benchmark)
    if http:
        mcp_server.run_http(workshop, host, port)
    else:
        mcp_server.run_stdio(workshop)


def lsp(model: Model = "embedded", benchmark: BenchmarkOption = "embedded") -> None:
    """Serve an editor over the Language Server Protocol, on stdin and stdout.

    The editor starts it for theory files. Needs pip install 'isarstep[lsp]'. docs/editor.md says how to set it up.

    Example:

        isarstep lsp
    """
    from importlib.util import find_spec

    if find_spec("pygls") is None:
        raise UserError("the protocol's package is missing; install it with: pip install 'isarstep[lsp]'")
    gc.disable()  # it is switched on again when everything is loaded
    from isarstep.apps.lsp.server import run_editor_server

    run_editor_server(model, benchmark)


def premises(
    benchmark: Annotated[str, typer.Option(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
    split: Annotated[str, typer.Option(help="validation, test, unseen or fresh.")] = "validation",
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many examples, those of lowest id.")] = None,
    for_model: Annotated[
        bool,
        typer.Option("--for-model", help="Ask as the model does: with F.2 to F.4 and context, without F.1."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Score nothing, and write here the facts that a model reads, for `predict --premises`."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> None:
    """Score selectors of premises on the task which library facts a step uses.

    Rows are the learned selector, the filter by which the checker offers facts to provers, and a bag of constants.

    Examples:

        isarstep premises --split test --limit 500
        isarstep premises --split test --out premises.jsonl
    """
    from isarstep.apps.llm.premise_task import premise_table, selected_for_model
    from isarstep.benchmark.store.store import Benchmark
    from isarstep.premises.selector.premise_files import write_premises

    if out is not None:
        count = write_premises(out, selected_for_model(Benchmark(benchmark), split, limit))
        typer.echo(f"{count} examples -> {out}")
        return
    print_tables([premise_table(Benchmark(benchmark), split, limit, for_model)], as_json, markdown)
