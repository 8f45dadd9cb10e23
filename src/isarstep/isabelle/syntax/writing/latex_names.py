"""Names of constants and variables in LaTeX: upright words, italic letters, Greek, subscripts."""

from __future__ import annotations

import re
from functools import lru_cache

_SPECIAL = re.compile(r"[\\{}$&#^_%~]")
_COMMANDS = {"\\": r"\backslash ", "^": r"\uparrow ", "~": r"\sim "}
GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau",
    "υ": "upsilon", "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta",
    "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_PARTS = re.compile(r"(.*?)(?:⇩([^₀-₉']+)|([₀-₉]+)|(?<=[A-Za-zα-ωΑ-Ω])([0-9]+))?('*)", re.DOTALL)
_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def _escape(text: str) -> str:
    escaped = _SPECIAL.sub(lambda match: _COMMANDS.get(match[0], "\\" + match[0]), text)
    return "".join(
        character if character.isascii() and character.isprintable()
        else rf"\{GREEK[character]} " if character in GREEK
        else f"[{ord(character):X}]"
        for character in escaped
    )  # fmt: skip


@lru_cache(maxsize=65536)
def latex_constant(shown: str) -> str:
    """A constant as an upright word."""
    core, _, index = shown.strip("‹›").partition("⇩")
    text = rf"\mathrm{{{_escape(core)}}}"
    return text + _below(index)


@lru_cache(maxsize=65536)
def latex_variable(shown: str) -> str:
    """A variable: a letter as it is, a longer name in italics, numbers behind it as a subscript."""
    match = _PARTS.fullmatch(shown.strip("«»"))
    assert match is not None
    core, letters, low, number, primes = match.groups()
    if core == "":
        core = "{}"
    elif len(core) == 1 and core.isascii() and core.isalpha():
        pass
    elif core in GREEK:
        core = rf"\{GREEK[core]}"
    else:
        core = rf"\mathit{{{_escape(core)}}}"
    index = letters or (low or "").translate(_DIGITS) or number
    return core + _below(index) + primes


def _below(index: str | None) -> str:
    """A subscript, if there is one; Isabelle says of every character of it that it stands below."""
    return rf"_{{{_escape(index.replace('⇩', ''))}}}" if index else ""
