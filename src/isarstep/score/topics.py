"""The topic of a session, from `topics.txt`, in the vocabulary of the Archive of Formal Proofs."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def topics() -> dict[str, str]:
    found: dict[str, str] = {}
    topic = ""
    for line in resources.files("isarstep.score").joinpath("topics.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            topic = line.strip("[]")
        elif not line.startswith("##"):
            found |= dict.fromkeys(line.split(), topic)
    return found


def topic_of(session: str, theory: str) -> str:
    """The topic of the example's session; imported data may know only the theory, whose prefix is the session."""
    return topics().get(session or theory.split(".")[0], "")
