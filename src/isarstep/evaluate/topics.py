"""The topic of a session, from `topics.txt`: one line each, to be extended when sessions are mined."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def topics() -> dict[str, str]:
    text = resources.files("isarstep.evaluate").joinpath("topics.txt").read_text("utf-8")
    lines = (line.split(maxsplit=1) for line in text.splitlines() if line.strip() and not line.startswith("##"))
    return {session: topic.strip() for session, topic in lines}


def topic_of(session: str, theory: str) -> str:
    """The topic of the example's session; imported data may know only the theory, whose prefix is the session."""
    return topics().get(session or theory.split(".")[0], "")
