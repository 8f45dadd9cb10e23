"""Which checker gave a verdict: the package's version and a digest of the code and data that verdicts come from."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from isarstep.common.version import __version__

FOLDERS = ("isabelle", "benchmark", "premises", "prover")  # what reads, types, encodes, asks and judges
PACKAGE = Path(__file__).parents[2]


@cache
def checker_name() -> str:
    """`isarstep 0.1.0, code 3f2a9c01d2e4`. The same files have the same name, whatever commit or copy they are of."""
    digest = hashlib.sha256()
    # The schedule of provers is data beside its code.
    for path in sorted(
        path for folder in FOLDERS for end in ("py", "json") for path in (PACKAGE / folder).rglob(f"*.{end}")
    ):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(PACKAGE).as_posix()} {content}\n".encode())
    return f"isarstep {__version__}, code {digest.hexdigest()[:12]}"
