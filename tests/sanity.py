"""Tries a wheel or an sdist as a stranger gets it: into an empty environment, with its dependencies, then each main job
once.

    python -m tests.sanity dist/isarstep-*.whl dist/isarstep-*.tar.gz [--python python3.12] [--reuse]

`--reuse` takes the dependencies of this environment instead of the package index. Nothing of this tree is seen by what
is tried. Prints a line for each job, and ends with 1 where one fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import site
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

LIMIT = 1_800  # seconds for any one job; a busy machine is no broken wheel
PREDICTION = """
import json, isarstep
rows = isarstep.load("embedded", "test").lowest(3)
open("mine.jsonl", "w").writelines(json.dumps({"id": row.id, "predictions": [row.target]}) + "\\n" for row in rows)
"""
AGENT = """
import asyncio, os, sys
from mcp import Client, StdioServerParameters
async def ask():
    server = StdioServerParameters(command=sys.executable, args=["-m", "isarstep", "mcp"], env=dict(os.environ))
    async with Client(server) as client:
        asked = {"propositions": ["x < y + (1::nat)"]}
        return (await client.call_tool("read", asked)).structured_content["status"]
print(asyncio.run(ask()))
"""


class Stranger:
    """An empty environment with what was packed in it, and a folder to work in."""

    def __init__(self, packed: Path, python: str, folder: Path, *, reuse: bool) -> None:
        self.folder, self.home = folder, folder / "venv"
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        self.run(python, "-m", "venv", str(self.home))
        if reuse:
            (packages,) = self.home.glob("lib/python*/site-packages")
            (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n")
        options = ["--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed"] if reuse else []
        what = f"isarstep[mcp] @ {packed.resolve().as_uri()}"
        self.run(self.python, "-m", "pip", "install", "-q", *options, str(packed.resolve()) if reuse else what)

    @property
    def python(self) -> str:
        return str(self.home / "bin" / "python")

    def run(self, *command: str, code: int = 0) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self._environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )
        if done.returncode != code:
            raise RuntimeError(f"{' '.join(command)}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def isarstep(self, *arguments: str, code: int = 0) -> str:
        return self.run(str(self.home / "bin" / "isarstep"), *arguments, code=code)

    def serve(self) -> str:
        """What a server says of a proposition, asked once."""
        command = [str(self.home / "bin" / "isarstep"), "serve", "--port", "0"]
        process = subprocess.Popen(command, cwd=self.folder, env=self._environment, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None, "the server did not say where it is"
            body = json.dumps({"facts": ["x ≤ y"], "goal": "x < y + (1::nat)"}).encode()
            asked = urllib.request.Request(f"{found[0]}/read", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(asked, timeout=LIMIT) as answer:
                return str(json.load(answer)["ok"])
        finally:
            process.kill()  # asked to stop, it would wait for the index of facts that it makes at its start
            process.wait(LIMIT)


def jobs(stranger: Stranger) -> dict[str, Callable[[], bool]]:
    """Each main job, and whether what it printed is right."""
    step = ("--fact", "x ≤ y", "--fact", "y ≤ z", "--goal", "x < z + 1", "--type", "z :: nat", "--beam", "4")

    def evaluate() -> bool:
        stranger.run(stranger.python, "-c", PREDICTION)
        document = json.loads(stranger.isarstep("evaluate", "mine.jsonl", "--limit", "3", "--json"))
        return bool(document["systems"][0]["top1"]["value"] == 100)

    def check() -> bool:
        shown = stranger.isarstep("check", "--limit", "1", "--effort", "quick", "--json")
        return bool(json.loads(shown)["written"] == "verdicts.parquet")

    return {
        "doctor": lambda: bool(json.loads(stranger.isarstep("doctor", "--json"))["whole"]),
        "propose": lambda: "x ≤ z" in stranger.isarstep("propose", *step),
        "prove": lambda: 'shows "rev (rev xs) = xs"' in stranger.isarstep("prove", "rev (rev xs) = xs"),
        "check": check,
        "evaluate": evaluate,
        "serve": lambda: stranger.serve() == "True",
        "mcp": lambda: stranger.run(stranger.python, "-c", AGENT).strip() == "ok",
        "a mistake": lambda: stranger.isarstep("propos", code=2) == "",
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packed", type=Path, nargs="+")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--reuse", action="store_true")
    asked = parser.parse_args(arguments)
    return int(sum(tried(packed, asked.python, reuse=asked.reuse) for packed in asked.packed) > 0)


def tried(packed: Path, python: str, *, reuse: bool) -> int:
    """How many jobs failed."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        stranger = Stranger(packed, python, Path(folder), reuse=reuse)
        version = stranger.run(stranger.python, "--version").strip()
        print(f"{packed.name}: {version}, {stranger.isarstep('--version').strip()}", flush=True)
        for name, job in jobs(stranger).items():
            began = time.monotonic()
            try:
                right, why = job(), "another answer"
            except Exception as error:  # whatever it is, the other jobs are tried
                right, why = False, str(error)
            failed += not right
            print(f"{name:<10} {'ok' if right else why}  {time.monotonic() - began:.0f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
