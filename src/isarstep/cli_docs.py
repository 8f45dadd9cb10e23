"""Writes docs/cli.md from the commands themselves: `python -m isarstep.cli_docs docs/cli.md`."""

from __future__ import annotations

import argparse
from pathlib import Path

from isarstep.cli import click_command, commands, grouped, help_page
from isarstep.common.files import write_whole

HEAD = """# Command line

Made from the code by `make docs`; a test compares. Every command ends with code 0, or with one line on stderr and
code 2 when something is wrong with what it was given. [outputs.md](outputs.md) says what each prints and writes, and
when another code comes.
"""


def render() -> str:
    """The whole page."""
    parts = [HEAD, f"```text\n{help_page()}\n```\n"]
    found = commands()
    for name in (name for names in grouped().values() for name in names):
        command = click_command(name, found[name][0])
        context = command.make_context(f"isarstep {name}", [], resilient_parsing=True, terminal_width=100)
        parts.append(f"## {name}\n\n```text\n{context.get_help().rstrip()}\n```\n")
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    write_whole(parser.parse_args().file, render())


if __name__ == "__main__":
    main()
