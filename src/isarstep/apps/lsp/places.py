"""Places of a theory file about which an editor asks, and what comes back. The protocol is in `editor_server`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from isarstep.isabelle.theory.document import SorryGap, TheoryDocument
from isarstep.isabelle.theory.proofs.proof_block import ProofState
from isarstep.isabelle.theory.text.source import STATEMENTS, OuterCommand, TheorySource

SECONDS = 20.0  # of one answer
TITLES = {
    "isarstep.propose": "Propose the step",
    "isarstep.prove": "Prove it",
    "isarstep.check": "Check this step",
}
_STEPS = ("have", "hence", "obtain", "show", "thus")
_BEFORE_PROOF = ("using", "unfolding")
_PLACE = re.compile(r"(.*?):(\d+):(\d+): (.*)", re.DOTALL)


@dataclass(frozen=True)
class AskedPlace:
    """A `sorry` or a statement in a file. A statement whose proof is a `sorry` has that gap, too."""

    document: TheoryDocument
    command: OuterCommand
    gap: SorryGap | None

    def state(self) -> ProofState:
        """What is to be shown there."""
        return self.document.state_before(self.command.start, inclusive=self.command.name != "sorry")


@dataclass(frozen=True)
class EditorAnswer:
    """Text to be shown at the place, its gist in one line, and what takes the place of a gap, if anything."""

    text: str
    gist: str
    replacement: str | None = None
    gap: SorryGap | None = None


def asked_place(document: TheoryDocument, line: int) -> AskedPlace | None:
    """The `sorry` of a line (counted from 1), or else the last statement that begins there."""
    gaps = {gap.start: gap for gap in document.gaps()}
    found: AskedPlace | None = None
    for number, command in enumerate(document.commands):
        at = document.source.line(command.start)
        if at > line:
            break
        if at < line:
            continue
        if command.name == "sorry":
            return AskedPlace(document, command, gaps[command.start])
        if command.name in (*_STEPS, *STATEMENTS):
            proof = number + 1
            while proof < len(document.commands) and document.commands[proof].name in _BEFORE_PROOF:
                proof += 1
            gap = gaps.get(document.commands[proof].start) if proof < len(document.commands) else None
            found = AskedPlace(document, command, gap)
    return found


def refusal_place(refusal: str, source: TheorySource) -> tuple[int, str]:
    """A refusal as the place in the file and what is said; what is said of another file stands at the beginning."""
    found = _PLACE.match(refusal)
    if found is None or found[1] != source.path:
        return 0, refusal.removeprefix(f"{source.path}: ")
    return source.place(int(found[2]), int(found[3])), found[4]
