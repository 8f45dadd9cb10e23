"""The command line: one thin command for each job.

A command is a public function in `isarstep/<room>/commands.py`, nothing else: there is no list to keep. Names and
summaries are read from the source text, and a room is imported only when one of its commands runs, so that
`isarstep --help` stays fast.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import keyword
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import typer

from isarstep.errors import UserError

# In the order in which data flow through them, which is the order of the help page.
ROOMS = ("logic", "mine", "bench", "models", "train", "decode", "check", "evaluate", "analyse", "serve")

HELP = "IsarStep: mine Isabelle proofs, build the benchmark, train and score models, propose and check missing steps."


def commands() -> dict[str, tuple[str, str]]:
    """Name -> (module, summary) of every command; no room is imported."""
    found: dict[str, tuple[str, str]] = {}
    for room in ROOMS:
        path = Path(__file__).parent / room / "commands.py"
        if not path.exists():
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                summary = (ast.get_docstring(node) or "").split("\n", 1)[0]
                found[node.name.rstrip("_").replace("_", "-")] = (f"isarstep.{room}.commands", summary)
    return found


def load(name: str, module: str) -> click.Command:
    """Import a command's room and make a click command of its function."""
    attribute = name.replace("-", "_")
    function: Callable[..., Any] = getattr(
        importlib.import_module(module), attribute + "_" if keyword.iskeyword(attribute) else attribute
    )
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name, help=_keep_indented(function.__doc__ or ""))(function)
    return typer.main.get_command(app)


def _keep_indented(docstring: str) -> str:
    """Mark indented paragraphs (the examples) so that click does not fill them."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join("\b\n" + p if p.startswith("    ") else p for p in paragraphs)


class Commands(click.Group):
    """Lists commands by reading, loads one by importing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = commands().get(cmd_name)
        return load(cmd_name, found[0]) if found else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in commands().items()])


@click.group(cls=Commands, help=HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="isarstep")
def app() -> None:
    pass


def run(arguments: list[str] | None = None) -> int:
    """Run one command line and return its exit code; a mistake of the user is one line on stderr and code 2."""
    try:
        result = app.main(arguments, prog_name="isarstep", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except UserError as error:
        return _complain(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "isarstep"
        return _complain(f"{error.format_message()} Try '{where} --help'.")
    except click.ClickException as error:
        return _complain(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        _complain("interrupted")
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone; point stdout elsewhere so that the interpreter's last flush is silent too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))


def _complain(message: str) -> int:
    print("isarstep: " + " ".join(message.split()), file=sys.stderr)
    return 2


def main() -> None:
    sys.exit(run())
