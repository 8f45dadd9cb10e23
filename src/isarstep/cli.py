"""The command line: one thin command for each job.

A command is a public function in a module of `isarstep/apps/commands`; `GROUPS` says where the help page shows it.
Names and summaries are read from the source text, and its module is imported only when one of its commands runs, so
that `isarstep --help` stays fast.
"""

from __future__ import annotations

import ast
import atexit
import errno
import importlib
import inspect
import keyword
import os
import re
import sys
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import typer
import typer.core

from isarstep.common.errors import NEEDS_TORCH, UserError
from isarstep.common.version import __version__

# Commands stand in groups on the help page, common ones first; a test says that every command is in one.
GROUPS = {
    "Find steps and proofs": ("demo", "propose", "prove", "sketch", "fill", "serve", "lsp", "mcp", "doctor"),
    "Score": ("evaluate", "check", "report", "baseline", "premises", "ask"),
    "Train": ("train", "predict", "keep"),
    "Data": ("mine", "build", "stats", "show", "import", "export", "graph", "term"),
    "Look into a model": ("probe", "neighbours", "attention"),
}

# Options that one person in a hundred needs stand last on a command's help page.
ADVANCED = {
    "term": "--variants",
    "mine": "--any-release --only-needed --heaps --proof-timeout --theory-timeout --session-timeout --memory",
    "build": "--fresh --entry --more-unseen --split --dated --small",
    "train": "--start-from --seed --device",
    "predict": "--penalty --device",
    "keep": "--device",
    "check": "--explain --isabelle --directory",
    "report": "--lists",
    "ask": "--samples --shots --temperature --longest --per-minute --at-once",
    "premises": "--for-model --markdown",
    "propose": "--tokens --beam --replay --model --benchmark",
    "sketch": "--tokens --beam --replay --model --benchmark",
    "prove": "--replay --model --benchmark",
    "fill": "--beam --model --benchmark",
    "serve": "--benchmark --concurrency --batch",
    "mcp": "--model --benchmark",
    "lsp": "--model --benchmark",
}

# Commands of before, and what to do now.
GONE = {"pretrain": "is gone: `isarstep train` reaches more in the same time (--start-from begins with any model)"}

SUMMARY = "IsarStep: mine Isabelle proofs, build the benchmark, train and score models, find and check missing steps."

# typer brings its own click and does not export these two.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]
ClickError: type[Exception] = UsageError.__bases__[0]


def commands(wanted: str = "") -> dict[str, tuple[str, str]]:
    """Name -> (module, summary) of every command, or of those beside a wanted one; none is imported."""
    found: dict[str, tuple[str, str]] = {}
    for path in sorted((Path(__file__).parent / "apps" / "commands").glob("[a-z]*.py")):
        text = path.read_text(encoding="utf-8")
        if f"\ndef {wanted.replace('-', '_')}" not in text:
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                summary = (ast.get_docstring(node) or "").split("\n", 1)[0]
                found[node.name.rstrip("_").replace("_", "-")] = (f"isarstep.apps.commands.{path.stem}", summary)
    return found


def function_of(name: str, module: str) -> Callable[..., Any]:
    """Import a command's module and return its function; `import` is the function `import_`."""
    attribute = name.replace("-", "_")
    function: Callable[..., Any] = getattr(
        importlib.import_module(module), attribute + "_" if keyword.iskeyword(attribute) else attribute
    )
    return function


class Command(typer.core.TyperCommand):
    """A command whose help page has its rare options at the end."""

    def get_params(self, ctx: Any) -> list[Any]:
        found = super().get_params(ctx)
        for parameter in found:
            _take_texts_as_they_are(parameter)
        return found

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """A statement may begin with a sign: `- x = y` is no option."""
        options = [each for each in self.get_params(ctx) if each.param_type_name == "option"]
        names = {name for each in options for name in (*each.opts, *each.secondary_opts)}
        with_value = {name for each in options if not each.is_flag for name in each.opts}
        kept, statements, rest = list[str](), list[str](), list(args)
        while rest and rest[0] != "--":
            word = rest.pop(0)
            if word in with_value:
                kept += [word, *rest[:1]]
                del rest[:1]
            else:
                (statements if not word.startswith("-") or _begins_with_a_sign(word, names) else kept).append(word)
        if any(each.startswith("-") and each != "-" for each in statements):
            args = [*kept, "--", *statements, *rest[1:]]
        return list(super().parse_args(ctx, args))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        rare = ADVANCED.get(self.name or "", "").split()
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Advanced options": []}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None:
                option = "Advanced options" if set(rare).intersection(parameter.opts) else "Options"
                panels["Arguments" if parameter.param_type_name == "argument" else option].append(row)
        for title, rows in panels.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _begins_with_a_sign(word: str, options: Collection[str]) -> bool:
    """Is a word of the command line a statement, though it begins as options do?"""
    if word == "-":  # standard input
        return True
    name = re.split(r"[\s=]", word, maxsplit=1)[0]
    return name not in options and word[:2] not in options and (" " in word or word[1].isdigit())


def click_command(name: str, module: str) -> Any:
    """The click command of a function."""
    function = function_of(name, module)
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name, cls=Command, help=_keep_indented(function.__doc__ or ""))(function)
    command = typer.main.get_command(app)
    command.callback = _interruptible(command.callback)
    return command


def _take_texts_as_they_are(parameter: Any) -> None:
    """Some versions of typer load pydantic to convert what an option is given, which takes a tenth of a second. A text,
    a number that is the default and what was not given need no conversion."""
    annotation = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    if annotation is None or parameter.required or "process_value" in vars(parameter):
        return
    convert, several = parameter.process_value, parameter.nargs == -1 or getattr(parameter, "multiple", False)

    def processed(context: Any, value: Any) -> Any:
        if value is None:
            nothing = () if several else None
            return nothing if parameter.callback is None else parameter.callback(context, parameter, nothing)
        if parameter.callback is not None:
            return convert(context, value)
        default = value is parameter.default and annotation in (int, float) and type(value) is annotation
        text = annotation is str and type(value) is str
        texts = annotation == list[str] and type(value) in (list, tuple) and all(type(each) is str for each in value)
        return value if default or text or texts else convert(context, value)

    parameter.process_value = processed


class Interrupted(Exception):
    """Somebody has pressed Ctrl-C, and this is what is to be said; typer would swallow it."""


def _interruptible(callback: Any) -> Callable[..., Any]:
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            return callback(*arguments, **options)
        except KeyboardInterrupt as stop:
            raise Interrupted(str(stop)) from None

    return called


def _keep_indented(docstring: str) -> str:
    """Mark indented paragraphs (the examples) so that they are not filled."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join("\b\n" + p if p.startswith("    ") else p for p in paragraphs)


def grouped() -> dict[str, list[str]]:
    """The commands that there are, by group."""
    there = commands()
    return {title: [name for name in names if name in there] for title, names in GROUPS.items()}


def help_page() -> str:
    """What `isarstep --help` prints."""
    found = commands()
    rows = []
    for title, names in grouped().items():
        rows += ["", f"{title}:"]
        rows += [f"  {name:<12}{found[name][1].removesuffix('.')}" for name in names]
    more = "`isarstep COMMAND --help` explains a command and shows an example; `isarstep --version` prints the version."
    return "\n".join(["Usage: isarstep COMMAND [OPTIONS] ...", "", SUMMARY, *rows, "", more])


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code; a mistake of the user is one line on stderr and code 2."""
    name = arguments[0] if arguments else ""
    try:
        if name in ("-h", "--help"):
            print(help_page())
            return 0
        if name == "--version":
            print(f"isarstep {__version__}")
            return 0
        found = commands(name).get(name)
        if found is None:
            return _complain(_no_command(name))
        result = click_command(name, found[0]).main(arguments[1:], prog_name=f"isarstep {name}", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except typer.Exit as stop:
        return stop.exit_code
    except UserError as error:
        return _complain(str(error))
    except UsageError as error:
        said = error.format_message()  # type: ignore[attr-defined]
        option = getattr(error, "option_name", None)
        moved = getattr(sys.modules.get(commands()[name][0]), "REPLACED", {}).get(option)
        return _complain(f"{option} {moved}" if moved else f"{said} `isarstep {name} --help` says more")
    except ClickError as error:
        return _complain(error.format_message())  # type: ignore[attr-defined]
    except (Interrupted, typer.Abort, KeyboardInterrupt) as stop:
        _complain(str(stop) or "interrupted")
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone; point stdout elsewhere so that the interpreter's last flush is silent too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return _complain(f"`isarstep {name}` {NEEDS_TORCH}")
    except OSError as error:
        if not _of_the_user(error):
            raise
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except UnicodeDecodeError as error:
        return _complain(f"the input is not UTF-8 text (byte {error.start})")


def _no_command(name: str) -> str:
    if name in GONE:
        return f"{name} {GONE[name]}"
    what = f"there is no command {name!r}" if name else "which command?"
    import difflib

    near = difflib.get_close_matches(name, commands(), 1)
    return f"{what}; did you mean `isarstep {near[0]}`?" if near else f"{what}; `isarstep --help` lists them"


def _of_the_user(error: OSError) -> bool:
    """A file that cannot be read or written, or a full disk; anything else that the system refuses is a fault of ours,
    and so is a file of this package or of a process."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return True
    ours = (str(Path(__file__).parent), "/proc/")
    return error.filename is not None and not str(error.filename).startswith(ours)


def _complain(message: str) -> int:
    print("isarstep: " + " ".join(message.split()), file=sys.stderr)
    return 2


def main() -> None:
    code = run(sys.argv[1:])
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        sys.exit(code)  # somebody is still at work whose work is wanted
    # The system takes back the memory at once; taking apart a million objects before would be a tenth of a proposal.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
