"""What some tests want and a machine may not have."""

import shutil

import pytest
from tests.waiting import PROC

E = pytest.mark.skipif(
    shutil.which("eprover") is None, reason="skipped: no E (eprover) on the PATH, and cvc5 does not prove it"
)
PROC_FILES = pytest.mark.skipif(not PROC, reason="skipped: looks at processes in /proc, which only Linux has")
