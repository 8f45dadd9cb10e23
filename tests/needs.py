"""What some tests want and a machine may not have."""

import shutil
from pathlib import Path

import pytest
from tests.waiting import PROC

from isarstep.isabelle.process.installation import Installation

E = pytest.mark.skipif(
    shutil.which("eprover") is None, reason="skipped: no E (eprover) on the PATH, and cvc5 does not prove it"
)
PROC_FILES = pytest.mark.skipif(not PROC, reason="skipped: looks at processes in /proc, which only Linux has")


def image_of(found: Installation, session: str) -> Path | None:
    """An image, laid out as Isabelle does or as the miner does."""
    mined = (folder / session for folder in found.heap_folders)
    return found.image(session) or next((path for path in mined if path.is_file()), None)
