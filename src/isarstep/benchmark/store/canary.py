"""The string that marks every file of a benchmark, so that who collects texts can leave it out, or find that it was in.

A model that completes it has seen the benchmark. It never changes, whatever the version of the benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CANARY = "isarstep benchmark, keep out of training corpora, canary 7d1b0c52-6f0e-4a39-9c1e-a84f5f2be3d0"
PARQUET_MARK = {b"canary": CANARY.encode()}  # metadata of a Parquet file


def marked(document: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON document with the canary as its first field."""
    return {"canary": CANARY, **document}
