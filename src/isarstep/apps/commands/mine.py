"""Commands of the mining room: `mine` fills a folder with proof graphs, `graph` prints one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from isarstep.common.errors import UserError

REPLACED = {"--cluster": "is gone: mine some sessions on each machine, and give `isarstep build` all the folders"}


def mine(
    out: Annotated[Path, typer.Option(help="Folder for the proof graphs.")],
    sessions: Annotated[list[str] | None, typer.Argument(help="Sessions to mine, e.g. HOL-Library.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Mine all sessions of Isabelle and of the directories.")] = False,
    jobs: Annotated[int, typer.Option(help="ML processes at a time.", min=1, show_default="half of the cores")] = max(
        1, (os.cpu_count() or 2) // 2
    ),
    prove: Annotated[bool, typer.Option(help="Run terminal proof steps instead of trusting them.")] = False,
    resume: Annotated[bool, typer.Option(help="Go on in a folder that already has graphs.")] = False,
    isabelle: Annotated[Path | None, typer.Option(help="Folder of Isabelle; else ISABELLE_HOME or the PATH.")] = None,
    any_release: Annotated[bool, typer.Option("--any-release", help="Try an Isabelle that is not known.")] = False,
    directories: Annotated[
        list[Path] | None, typer.Option("-d", "--directory", help="Further session directory, e.g. the AFP's thys.")
    ] = None,
    only_needed: Annotated[
        bool, typer.Option("--only-needed", help="Of parents without an image load what is needed, not the whole.")
    ] = False,
    known: Annotated[
        list[str] | None, typer.Option(help="Benchmark or addition whose theories need no graph (repeatable).")
    ] = None,
    heaps: Annotated[Path | None, typer.Option(help="Folder for session images, OUT/heaps unless given.")] = None,
    proof_timeout: Annotated[int, typer.Option(help="Seconds for one proof.", min=1)] = 300,
    theory_timeout: Annotated[int, typer.Option(help="Seconds for one theory.", min=1)] = 3600,
    session_timeout: Annotated[int, typer.Option(help="Seconds for one session.", min=1)] = 6 * 3600,
    memory: Annotated[
        int, typer.Option(help="MB of ML heap for one process; 0: share 70 % of the machine.", min=0)
    ] = 0,
) -> None:
    """Mine proof graphs from the theories of Isabelle sessions.

    Sessions run in dependency order; every theory that has to be loaded is mined once, into SESSION/THEORY.jsonl.zst
    of its own session. A run that was stopped goes on with --resume. Proofs are walked through command by command, but
    their terminal steps (`by ...`) are trusted, which changes nothing in the graphs and takes a fraction of the time;
    --prove runs them. The exit code is 1 when there were theories to mine and all of them failed.

    Example:

        isarstep mine HOL HOL-Library --out graphs --jobs 2
        isarstep mine Prime_Number_Theorem --out graphs --resume -d afp/thys
        isarstep mine --all --out graphs --resume -d afp/thys --known embedded
    """
    from isarstep.isabelle.process.session_job import MiningLimits
    from isarstep.isabelle.process.terminal import run_mining
    from isarstep.resources import benchmark_folder

    if every == bool(sessions):
        raise UserError("name the sessions to mine, or give --all")
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    limits = MiningLimits(proof_timeout, theory_timeout, session_timeout, memory or int(whole * 0.7) // jobs)
    came_of_it = run_mining(
        sessions or [],
        out=out,
        jobs=jobs,
        resume=resume,
        isabelle=isabelle,
        any_release=any_release,
        directories=directories or [],
        heaps=heaps or out / "heaps",
        limits=limits,
        prove=prove,
        only_needed=only_needed,
        known=[benchmark_folder(name) for name in known or ()],
    )
    if not came_of_it:
        raise typer.Exit(1)


def graph(
    file: Annotated[Path, typer.Argument(help="A graph file, SESSION/THEORY.jsonl.zst.")],
    theorem: Annotated[str | None, typer.Argument(help="Name of a theorem, full or its last part.")] = None,
) -> None:
    """Print the proof graphs of a theory as indented proofs with their facts and edges.

    Example:

        isarstep graph graphs/HOL/Parity.jsonl.zst even_Suc
    """
    from isarstep.isabelle.process.proof_graph import read_graph
    from isarstep.isabelle.process.shown_graph import show_proof

    read = read_graph(file)
    chosen = [
        proof
        for proof in read.proofs
        if theorem is None or (proof.name is not None and theorem in (proof.name, proof.name.rpartition(".")[2]))
    ]
    if not chosen:
        raise UserError(f"no proof of {theorem} in {read.theory}")
    for proof in chosen:
        typer.echo(show_proof(read, proof))
