"""Which provers can be asked, and why the others cannot: each is given one tiny problem, as it is given all others.

A program that is on the PATH and answers that problem with anything but a proof counts as not installed: it would only
take the other provers' time.
"""

from __future__ import annotations

import os
import selectors
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from isarstep.prover.atp.derivation import inputs_of_proof
from isarstep.prover.atp.processes import ProverProcesses, cvc5_folder

E_ARGUMENTS = ("eprover", "--auto", "--silent", "--proof-object=1", "--tstp-format")
SECONDS = 10.0  # of processor time, and twice that on the clock
MEMORY = 2 << 30
MOST_OUTPUT = 1 << 16
TINY_TPTP = "tff(p0,axiom,tiny).\ntff(goal,conjecture,tiny).\n"
TINY_SMT = (
    "(set-logic ALL)\n(declare-const tiny Bool)\n(assert (! tiny :named p0))\n(assert (! (not tiny) :named goal))\n"
    "(check-sat)\n"
)


NOT_INSTALLED = ("not installed", "not on the PATH")  # of cvc5's wheel, of a program


@dataclass(frozen=True, slots=True)
class Presence:
    """A prover that can be asked has a version; of another it is said why it cannot."""

    prover: str
    version: str | None
    why: str = ""

    def __str__(self) -> str:
        if self.version is None:
            return f"{self.prover}: {self.why}"
        # E says its own name, its version, and then more than a line can hold.
        return f"cvc5 {self.version}" if self.prover == "cvc5" else " ".join(self.version.split()[:2])


def prover_presence(prover: str) -> Presence:
    """Asked once for every place where the prover may be."""
    if prover == "cvc5":
        return _probed_cvc5(cvc5_folder())
    return _probed_program(prover, shutil.which(prover))


@lru_cache
def _probed_cvc5(folder: str | None) -> Presence:
    if folder is None:
        return Presence("cvc5", None, NOT_INSTALLED[0])
    status, output = _answer((), TINY_SMT)
    lines = output.split("\n")
    said = next((line.removeprefix("; version ") for line in lines if line.startswith("; version ")), "")
    if status == 0 and lines[0] == "unsat" and said:
        return Presence("cvc5", said)
    return Presence("cvc5", None, f"found in {folder}, but does not work: {_shown(status, output)}")


@lru_cache
def _probed_program(prover: str, path: str | None) -> Presence:
    if path is None:
        return Presence(prover, None, NOT_INSTALLED[1])
    status, said = _answer((path, "--version"), "")
    if status != 0 or not said.strip() or "\n" in said.strip():
        return Presence(prover, None, f"{path} --version does not work: {_shown(status, said)}")
    status, output = _answer((path, *E_ARGUMENTS[1:]), TINY_TPTP)
    if status != 0 or inputs_of_proof(output, TINY_TPTP) is None:
        return Presence(prover, None, f"{path} does not prove a tiny problem: {_shown(status, output)}")
    return Presence(prover, said.strip())


def _answer(argv: Sequence[str], text: str) -> tuple[int | None, str]:
    """Exit status and output; no status where it did not end in time."""
    processes = ProverProcesses()
    try:
        process = processes.start(argv, {}, text, SECONDS, MEMORY)
        output, ended = bytearray(), False
        with selectors.DefaultSelector() as selector:
            selector.register(process.pipe, selectors.EVENT_READ)
            while not ended and len(output) < MOST_OUTPUT:
                if not selector.select(max(0.0, process.began + 2 * SECONDS - time.monotonic())):
                    break
                chunk = os.read(process.pipe, 1 << 16)
                output += chunk
                ended = not chunk
        status, _ = processes.stop(process)
        return status if ended else None, output.decode(errors="replace")
    finally:
        processes.close()


def _shown(status: int | None, output: str) -> str:
    what = "no end" if status is None else f"signal {-status}" if status < 0 else f"exit status {status}"
    said = "".join(sign if sign.isprintable() else " " for sign in output[:400])
    return f"{what}, {' '.join(said.split())[:120] or 'no output'}"
