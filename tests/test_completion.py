"""Completion by the Tab key, asked of the shells themselves."""

import shutil
import subprocess
from contextlib import redirect_stdout
from functools import cache
from io import StringIO

import pytest

from isarstep.cli import commands, run


@cache
def script(shell: str) -> str:
    with redirect_stdout(StringIO()) as printed:
        assert run(["--completion", shell]) == 0
    return printed.getvalue()


def completed(shell: str, *words: str) -> list[str]:
    """What the shell offers for the last of the words."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"skipped: no {shell} on the PATH")
    if shell == "fish":
        asked = f"complete -C '{' '.join(words)}'"
    else:
        quoted = " ".join(f"'{word}'" for word in words)
        asked = f'COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _isarstep; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run([program, "-c", f"{script(shell)}\n{asked}"], capture_output=True, text=True, check=True)
    return [line.split("\t")[0] for line in done.stdout.split("\n") if line]


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_commands_and_their_options(shell: str) -> None:
    assert completed(shell, "isarstep", "prop") == ["propose"]
    assert set(commands()) <= {*completed(shell, "isarstep", "")}
    assert "--goal" in completed(shell, "isarstep", "propose", "--go")
    assert "--goal" not in completed(shell, "isarstep", "stats", "--go")


def test_what_is_no_option_is_left_to_the_shell() -> None:
    assert completed("bash", "isarstep", "stats", "emb") == []


def test_a_shell_that_is_not_known_is_a_mistake_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--completion", "tcsh"]) == 2
    assert capsys.readouterr().err == "isarstep: --completion: say which shell, bash, zsh, fish\n"
    assert run(["--completion"]) == 2
    assert "bashcompinit" in script("zsh")
