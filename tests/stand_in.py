"""A program in E's place: it proves the tiny problem that tells who is there; of others it proves none, or, as long as
`hang` exists, writes down its number and does not end. So a test says how long a prover takes, and no clock does."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

PROOF_OF_TINY = """# SZS status Theorem
# SZS output start CNFRefutation
fof(goal, conjecture, tiny, file('<stdin>', goal)).
fof(p0, axiom, tiny, file('<stdin>', p0)).
fof(c_0_2, negated_conjecture, ~(tiny), inference(assume_negation,[status(cth)],[goal])).
cnf(c_0_3, plain, ($false), inference(cn,[status(thm)],[inference(rw,[status(thm)],[c_0_2, p0])]), ['proof']).
# SZS output end CNFRefutation
"""


@dataclass
class StandIn:
    folder: Path

    def __post_init__(self) -> None:
        program = self.folder / "eprover"
        program.write_text(
            '#!/bin/sh\nif [ "$1" = --version ]; then echo E 0; exit; fi\n'
            f"if grep -q tiny; then\ncat <<'END'\n{PROOF_OF_TINY}END\nexit\nfi\n"
            f"[ -e {self.hang} ] || exit 1\necho $$ > {self.started}.$$\nmv {self.started}.$$ {self.started}\n"
            f"while [ -e {self.hang} ]; do sleep 0.1; done\n"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    @property
    def hang(self) -> Path:
        return self.folder / "hang"

    @property
    def started(self) -> Path:
        """Has the number of the last one that began."""
        return self.folder / "started"

    @property
    def path(self) -> str:
        return f"{self.folder}:{os.environ['PATH']}"
