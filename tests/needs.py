"""What some tests want and a machine may not have."""

import shutil

import pytest

E = pytest.mark.skipif(
    shutil.which("eprover") is None, reason="skipped: no E (eprover) on the PATH, and cvc5 does not prove it"
)
