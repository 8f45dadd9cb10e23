"""Completion of commands and options by the Tab key: `isarstep --completion bash`, `zsh` or `fish` prints a script.

The script has all names in it, so that a key press starts no Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from isarstep.errors import UserError

SHELLS = ("bash", "zsh", "fish")

_BASH = """\
_isarstep() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="{commands}"
  else
    case "${{COMP_WORDS[1]}}" in
{options}
    esac
    case "$word" in -*) ;; *) words="" ;; esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _isarstep isarstep
"""


def script(shell: str, summaries: Mapping[str, str], options: Callable[[str], Iterable[str]]) -> str:
    """What the shell is to run, for commands with their summaries and options. All else is completed as a file."""
    if shell not in SHELLS:
        raise UserError(f"--completion: say which shell, {', '.join(SHELLS)}")
    if shell == "fish":
        return _fish(summaries, options)
    cases = "\n".join(f'      {name}) words="{" ".join(options(name))}" ;;' for name in summaries)
    text = _BASH.format(commands=" ".join([*summaries, "--help", "--version", "--completion"]), options=cases)
    return text if shell == "bash" else "autoload -U +X bashcompinit && bashcompinit\n" + text


def _fish(summaries: Mapping[str, str], options: Callable[[str], Iterable[str]]) -> str:
    lines = []
    for name, summary in summaries.items():
        said = summary.replace("\\", "\\\\").replace("'", "\\'")
        lines.append(f"complete -c isarstep -n __fish_use_subcommand -a {name} -d '{said}'")
        here = f"'__fish_seen_subcommand_from {name}'"
        lines += [f"complete -c isarstep -n {here} -l {option[2:]}" for option in options(name)]
    return "\n".join(lines) + "\n"
