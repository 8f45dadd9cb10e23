"""docs/proposing.md says what the code does: endpoints, options, limits, and the three lines of Python."""

import re
import shlex
from pathlib import Path

import pytest
from fastapi import FastAPI

from isarstep import cli
from isarstep.apps.admission import Load
from isarstep.apps.http.app import create_app
from isarstep.apps.http.gate import ServerLimits
from isarstep.apps.service import schema
from isarstep.benchmark.problems.problem_reader import MOST_TOKENS

TEXT = (Path(__file__).parent.parent.parent / "docs" / "proposing.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^isarstep (.+)$", TEXT, re.MULTILINE)


def test_every_endpoint_is_described() -> None:
    app = create_app(None, ServerLimits(), Load()).app  # type: ignore[arg-type]
    assert isinstance(app, FastAPI)
    operations = {(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods}
    described = set(re.findall(r"^\| `(GET|POST) (/[a-z]+(?:/\{id\})?)", TEXT, re.MULTILINE))
    assert operations == described


def test_the_problem_has_these_fields() -> None:
    listed = re.search(r"flat part of every body: (.+?)\.\n", TEXT, re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"`(\w+)`", listed[1])) == set(schema.ProblemBody.model_fields)


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_are_understood(line: str) -> None:
    name, *arguments = shlex.split(line)
    cli.click_command(name, cli.commands()[name][0]).make_context(name, arguments)


def test_limits() -> None:
    limits = ServerLimits()
    assert f"body of {limits.body >> 10} KiB" in TEXT
    most = f"{schema.MOST_PROPOSITIONS} propositions a field, {MOST_TOKENS:,} tokens together, beam {schema.MOST_BEAM}"
    assert most in TEXT
    assert f"{limits.concurrency} requests under way" in TEXT
    assert f"at most {schema.MOST_SECONDS:g}" in TEXT


def test_the_lines_of_python_run(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.+?)```", TEXT, re.DOTALL)
    assert code is not None
    exec(code[1].replace('"x < z + 1")', '"x < z + 1", beam=2, check=False)'), {})
    assert capsys.readouterr().out.count("\n") == 2
