"""`isarstep demo`: the main jobs one after another, each with the command that does it."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import typer

THEORY = """theory Mine
  imports Main
begin

fun double :: "nat ⇒ nat" where
  "double 0 = 0"
| "double (Suc n) = Suc (Suc (double n))"

lemma double_is_twice: "double n = 2 * n"
  sorry

end
"""
NEXT = """Next:
  isarstep serve                    the same in a browser
  isarstep propose --help           your own facts and goal
  isarstep fill YOUR.thy            your own theory file
  isarstep evaluate PREDICTIONS     your own model"""


def tour(scored: int) -> None:
    """Print each command, run it, and print what it answers; the last one scores the shipped model."""
    parts = (
        (
            "The step in the proof that √2 is irrational, proposed by the model and checked by provers",
            ["propose", "--fact", "2 * b^2 = a^2", "--goal", "∃c. a = 2 * c", "--type", "a :: nat", "--check"],
        ),
        ("A theorem, proved and written as Isar", ["prove", "rev (xs @ ys) = rev ys @ rev xs"]),
        ("A sorry filled in a theory file with its own function", ["fill", "Mine.thy"]),
        ("An example that no model was trained on", ["show", "2585bb6c8e55"]),
        (f"The shipped model on {scored} such examples", ["evaluate", "embedded", "--limit", str(scored)]),
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "Mine.thy").write_text(THEORY, encoding="utf-8")
        for title, arguments in parts:
            typer.echo(f"{title}\n$ isarstep {shlex.join(arguments)}")
            sys.stdout.flush()
            subprocess.run([sys.executable, "-m", "isarstep", *arguments], cwd=folder, check=False)
            typer.echo("")
    typer.echo(NEXT)
