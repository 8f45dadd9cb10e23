"""Rows of the leaderboard's second table: of how many statements the proofs were found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def keep_row(path: Path, row: dict[str, Any]) -> None:
    """Replaces the row of the same statements and the same arm."""
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    others = [each for each in rows if (each["statements"], each["arm"]) != (row["statements"], row["arm"])]
    text = json.dumps([*others, row], indent=1, ensure_ascii=False) + "\n"
    path.with_suffix(".tmp").write_text(text, encoding="utf-8")
    path.with_suffix(".tmp").replace(path)
