"""The command line as a whole: every command is documented, exemplified and tested, and mistakes end in one line."""

import importlib
import inspect
import shlex
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from isarstep import cli, cli_docs
from isarstep.benchmark.store.store import benchmark_at
from isarstep.score.analysis.probes import probes

ROOT = Path(__file__).parent.parent
COMMANDS = cli.commands()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    module, summary = COMMANDS[name]
    function = cli.function_of(name, module)
    assert summary.endswith("."), f"{name}: the docstring must open with a sentence"
    assert f"    isarstep {name}" in inspect.cleandoc(function.__doc__ or ""), f"{name}: the docstring needs an example"
    undescribed = [p.name for p in cli.click_command(name, module).params if not getattr(p, "help", None)]
    assert not undescribed, f"{name}: parameters without help: {undescribed}"


def examples_in_help() -> list[list[str]]:
    """The command lines that help pages show."""
    texts = [inspect.cleandoc(cli.function_of(name, COMMANDS[name][0]).__doc__ or "") for name in COMMANDS]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("    isarstep ")]
    return [shlex.split(line)[1:] for line in lines]


@pytest.mark.parametrize("arguments", examples_in_help(), ids=" ".join)
def test_an_example_in_help_is_understood(arguments: list[str]) -> None:
    """Its options exist and take such values, and ids are those of the embedded benchmark; files may be the reader's."""
    name, *rest = arguments
    cli.click_command(name, COMMANDS[name][0]).make_context(name, [*rest])
    options = dict(pairwise(arguments))
    asked = options.get("--example") or options.get("--explain") or (rest[0] if name == "show" else None)
    if asked is not None:
        assert benchmark_at("embedded").find(asked)[1].id == asked
    if name == "attention":
        assert {*rest[1:]} <= {probe.name for probe in probes()}


def test_the_help_page_shows_every_command_once_on_one_screen() -> None:
    names = [name for names in cli.grouped().values() for name in names]
    assert sorted(names) == sorted(COMMANDS)
    lines = cli.help_page().splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 110


@pytest.mark.parametrize(("typed", "meant"), [("propos", "propose"), ("evalute", "evaluate"), ("premise", "premises")])
def test_a_command_with_a_typing_mistake_is_guessed(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([typed]) == 2
    assert f"did you mean `isarstep {meant}`?" in capsys.readouterr().err


@cache
def tests_of_commands() -> list[str]:
    """The tests that go through the command line, as text."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__))
    doors = ("isarstep.cli", "isarstep import cli", '"-m", "isarstep"')
    return [text for text in texts if any(door in text for door in doors)]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_tested(name: str) -> None:
    tested = any(f'"{name}"' in text for text in tests_of_commands())
    assert tested, f"no test runs `isarstep {name}` through the command line"


REPLACED = [
    (name, option)
    for name, (module, _) in COMMANDS.items()
    for option in getattr(importlib.import_module(module), "REPLACED", {})
]


# Every option that a command of an earlier commit had and that it has not now; commands that have gone are in `GONE`.
OPTIONS_OF_BEFORE = {
    "train": "--accumulate --batch --categories --dense --dropout --hints --looks --no-categories --no-dense --no-hints"
    " --rate --renumber --storage --style --tensorboard --tokens --warmup",
    "mine": "--cluster",
    "build": "--halves --keep-open --keep-restated --max-source --max-target --rescore --trim",
    "ask": "--price",
    "check": "--any-release --backend --cluster --heaps --library --no-thorough --seconds --thorough",
    "propose": "--graph --library --seconds --step",
    "sketch": "--depth --graph --library --seconds --step",
}


def test_no_option_of_before_is_forgotten() -> None:
    gone = {(name, option) for name, options in OPTIONS_OF_BEFORE.items() for option in options.split()}
    assert gone <= {*REPLACED}


def test_a_command_of_before_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert not {*cli.GONE} & {*COMMANDS}
    for name in cli.GONE:
        assert cli.run([name, "embedded"]) == 2
        assert capsys.readouterr().err.startswith(f"isarstep: {name} is gone")


@cache
def options_of(name: str) -> set[str]:
    parameters = cli.click_command(name, COMMANDS[name][0]).params
    return {flag for each in parameters for flag in (*each.opts, *each.secondary_opts)}


@pytest.mark.parametrize(("name", "option"), REPLACED)
def test_an_option_of_before_says_what_replaced_it(name: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    if option in options_of(name):
        return  # a command of the same module has it
    assert cli.run([name, option]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"isarstep: {option} ")
    assert "No such option" not in said


def test_rare_options_stand_last_and_are_there() -> None:
    for name, rare in cli.ADVANCED.items():
        command = cli.click_command(name, COMMANDS[name][0])
        assert set(rare.split()) <= {option for parameter in command.params for option in parameter.opts}, name
        context = command.make_context(name, [], resilient_parsing=True)
        page = context.get_help().partition("\nAdvanced options:\n")
        assert all(f"\n  {option}" not in page[0] for option in rare.split()), name
        assert "--help" in page[0]


def test_the_reference_is_up_to_date() -> None:
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == cli_docs.render(), "docs/cli.md is stale: run `make docs`"


def test_help_lists_all_commands_without_importing_torch() -> None:
    code = "import sys; from isarstep.cli import run; run(['--help']); sys.exit('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert all(f"\n  {name} " in done.stdout for name in COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["term", "--no-such-option"],
        ["term", "--signature", "no/such/file.json", "CONST c"],
        ["term", "CONST"],
    ],
)
def test_mistakes_end_in_one_line(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(arguments) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("isarstep: ")
    assert captured.err.count("\n") == 1


def test_a_closed_pipe_is_silent() -> None:
    script = f"'{sys.executable}' -m isarstep term --file - < /dev/null | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)
    assert "Traceback" not in done.stderr


def test_version() -> None:
    assert cli.run(["--version"]) == 0


@pytest.mark.parametrize(
    ("arguments", "statement", "facts"),
    [
        (["- x = y"], "- x = y", []),
        (["-1 < x", "--fact", "- x < 1"], "-1 < x", ["- x < 1"]),
        (["--fact", "p", "-x = (0::int)"], "-x = (0::int)", ["p"]),
        (["--", "- x = y"], "- x = y", []),
        (["x = y", "--fact", "-p"], "x = y", ["-p"]),
    ],
)
def test_a_statement_may_begin_with_a_sign(arguments: list[str], statement: str, facts: list[str]) -> None:
    command = cli.click_command("prove", COMMANDS["prove"][0])
    context = command.make_context("prove", arguments)
    assert (context.params["statement"], list(context.params["fact"] or [])) == (statement, facts)


@pytest.mark.parametrize("wrong", ["-z", "--nothing", "--nothing=1"])
def test_a_misspelt_option_is_no_statement(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["prove", wrong]) == 2
    assert "No such option" in capsys.readouterr().err
