"""The language of Complex_Main: notation and signature as a benchmark keeps them, mined from Isabelle2025-2."""

from functools import cache
from pathlib import Path
from typing import Any

from isarstep.isabelle.syntax.grammar.language import Language, usual_notation
from isarstep.isabelle.terms.signature import Signature

FOLDER = Path(__file__).parent / "complex_main_data"

# An operation that has a structure as its first argument, which may be written below it.
INDEXED_OPERATION: dict[str, Any] = {
    "productions": [
        [
            "logic",
            [["any", 65], 1, "\\<oplus>", ["index", 1000], 1, ["any", 66]],
            "\\<^indexed>\\<^const>Set.insert",
            65,
            1,
        ]
    ],
    "rules": [
        [["\\<^indexed>\\<^const>Set.insert", "?x", ["_index", "?i"], "?y"], ["\\<^const>Set.insert", "?i", "?x"]]
    ],
}


@cache
def language() -> Language:
    return Language(usual_notation().values(), Signature.load(FOLDER / "signature.json.zst"))
