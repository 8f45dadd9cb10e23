"""What of the things that commands want is here, and what is missing for which command.

Nothing is changed. Provers are given a tiny problem, as they are given all others; of other programs only their version
is asked. "Not installed" and "is here but does not work" are told apart.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.common.version import __version__
from isarstep.isabelle.process.installation import find_installation
from isarstep.model.nets.folders import read_description
from isarstep.prover.atp.presence import NOT_INSTALLED, prover_presence
from isarstep.resources import EMBEDDED, model_folder


@dataclass(frozen=True)
class Finding:
    """One row: what was looked for, what was found (None: it is missing), who needs it, and what to do about it."""

    what: str
    found: str | None
    needed_for: str
    advice: str = ""
    required: bool = False  # without it the package is broken, not merely smaller


def findings() -> Iterator[Finding]:
    """Everything that a command may want, in the order in which newcomers meet it."""
    yield Finding("isarstep", f"{__version__}, Python {platform.python_version()} on {platform.machine()}", "all")
    yield _asked("benchmark", _benchmark, "show, evaluate, propose, sketch, serve, check", required=True)
    yield _asked("model", _model, "propose, sketch, serve, predict", required=True)
    yield _prover("cvc5", "cvc5", "pip install cvc5", required=True)
    advice = "install the package of that name, e.g. apt install eprover: both provers together prove far more than one"
    yield _prover("E (eprover)", "eprover", advice)
    yield _torch()
    yield _asked("Isabelle", _isabelle, "mine, check --isabelle, the proof command")
    yield Finding("pygls", _package("pygls"), "lsp (editors)", "pip install 'isarstep[lsp]'")
    yield Finding("mcp", _package("mcp"), "mcp (agents)", "pip install 'isarstep[mcp]'")


def _asked(what: str, ask: Callable[[], str], needed_for: str, *, required: bool = False) -> Finding:
    try:
        return Finding(what, ask(), needed_for, required=required)
    except UserError as error:
        return Finding(what, None, needed_for, str(error), required)


def _prover(what: str, prover: str, advice: str, *, required: bool = False) -> Finding:
    presence = prover_presence(prover)
    broken = "" if presence.why in NOT_INSTALLED else f"{presence.why}; "
    return Finding(what, presence.version, "check, sketch, serve", broken + advice, required)


def _package(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _benchmark() -> str:
    benchmark = Benchmark(EMBEDDED).compare()
    return f"{benchmark.hash[:12]}, {benchmark.manifest['examples']['train']:,} training examples, files whole"


def _model() -> str:
    config, vocabulary = read_description(model_folder(EMBEDDED))
    of = str(config.get("benchmark", ""))[:12]
    return f"{config['kind']} {config['size']}, {len(vocabulary):,} tokens, trained on benchmark {of}"


def _torch() -> Finding:
    needed_for = "train, keep, attention, models of other kinds; all else runs on numpy"
    try:
        import torch  # takes seconds, and only here are they needed
    except ModuleNotFoundError:
        return Finding("torch", None, needed_for, "pip install 'isarstep[train]'")
    gpu = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "no GPU: training is slow, all else is not"
    return Finding("torch", f"{torch.__version__}, {gpu}", needed_for)


def _isabelle() -> str:
    installation = find_installation()
    there = [name for name in ("Pure", "HOL", "HOL-Analysis") if installation.image(name) is not None]
    images = f"images of {', '.join(there)}" if there else "no images yet (mine makes them)"
    return f"{installation.identifier}, {installation.ml_system} at {installation.poly}, {images}"


def report(found: Sequence[Finding]) -> str:
    """For people: what, found, needed for."""
    width = max(len(finding.what) for finding in found)
    lines = []
    for finding in found:
        missing = f"missing: {finding.advice}" if finding.advice else "missing"
        lines.append(f"{finding.what:<{width}}  {finding.found or missing}\n{'':<{width}}    for {finding.needed_for}")
    return "\n".join(lines)
