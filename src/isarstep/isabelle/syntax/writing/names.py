"""Which name shows which constant or variable: the shortest one that reads back.

A constant is shown by the shortest suffix of its full name that no other constant of the signature shares. `<X3>` is
shown as x₃, `<V0>` as v₀; other free variables by their own names, schematic ones as `?x`. Names that could be mistaken
stand in ‹› (constants) or «» (variables).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from contextlib import suppress
from functools import cache

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.notation import default_table
from isarstep.isabelle.syntax.grammar.symbols import characters, from_isabelle
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Free, Type, Var, strip_fun

_LETTER = "A-Za-zα-κμ-ωΑ-Ω"
SIMPLE_NAME = rf"[{_LETTER}][{_LETTER}0-9_']*(?:⇩[{_LETTER}0-9]+)*[₀-₉]*"
_SIMPLE = re.compile(SIMPLE_NAME)
_DOTTED = re.compile(rf"{SIMPLE_NAME}(?:\.{SIMPLE_NAME})*")
_NUMBERED = re.compile(r"<([XV])(0|[1-9][0-9]{0,8})>")
_SUBSCRIPTED = re.compile(r"([xvb])(₀|[₁-₉][₀-₉]{0,8})")
_LETTERED = re.compile(rf"[{_LETTER}][0-9']*")
_FAR_MORE = 10
_DOWN = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_UP = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_GREEK = {name: sign for name, sign in characters().items() if re.fullmatch("[α-κμ-ωΑ-Ω]", sign)}


def quote(name: str, brackets: str) -> str:
    """Put a name between brackets; a closing bracket in the name is doubled."""
    return f"{brackets[0]}{name.replace(brackets[1], brackets[1] * 2)}{brackets[1]}"


def subscript(number: int) -> str:
    """The number in subscript digits."""
    return str(number).translate(_DOWN)


def _readable(name: str) -> str:
    """Isabelle's `\\<sigma>` and `\\<^sub>` as characters that may stand in a name."""
    if "\\" not in name:
        return name
    name = re.sub(r"\\<([A-Za-z]+)>", lambda match: _GREEK.get(match[1], match[0]), name)
    return re.sub(r"\\<\^sub>", "⇩", name)


class Names:
    """The two-way dictionary between terms' leaves and the text that shows them."""

    def __init__(
        self,
        constants: Iterable[str] = (),
        *,
        truths: Callable[[str], int | None] | None = None,
        uses: Mapping[str, int] | None = None,
        language: Language | None = None,
    ) -> None:
        """With a language, formulas are read and written in it, by the notation of its theories.

        With `uses`, how often each constant is used, a name means what people who write it mean: a single letter is
        a variable, and of several constants that end alike the one that is used far more than the others."""
        self.language = language
        self.letters_are_variables = uses is not None
        # How many arguments make a constant a truth value, where that is known.
        self.truths = truths if truths is not None else _written_truths().get
        self.variables: dict[str, str] = {}  # raw name -> shown name
        self._raw: dict[str, str] = {}  # shown name -> raw name
        self._full: dict[str, str] = {}  # readable full name -> constant
        self._by_end: dict[str, list[str]] = {}  # last part -> readable full names
        self._suffixes: dict[str, list[str]] = {}  # what was asked -> the constants that it may mean
        self._uses = uses
        self._shown: dict[str, str] = {}
        for name in constants:
            readable = _readable(name)
            if self._full.setdefault(readable, name) == name:
                self._by_end.setdefault(readable.rpartition(".")[2], []).append(readable)

    @property
    def words(self) -> Container[str]:
        """What notation uses as a word: no name can be written so."""
        return default_table().words if self.language is None else self.language.lexicon.words

    def _meanings(self, suffix: str) -> list[str]:
        """The constants that this end of a name may mean; looked for when it is asked, most never are."""
        known = self._suffixes.get(suffix)
        if known is None:
            ending = "." + suffix
            readable = [full for full in self._by_end.get(suffix.rpartition(".")[2], ()) if full.endswith(ending)]
            known = self._meant([self._full[f] for f in readable if _DOTTED.fullmatch(f)])
            if known:  # nobody's own words are kept
                self._suffixes[suffix] = known
        return known

    def _meant(self, sharers: list[str]) -> list[str]:
        if len(sharers) > 1:
            sharers = [name for name in sharers if not self._is_locale_twin(name)] or sharers
        if len(sharers) > 1 and self._uses is not None:
            uses = self._uses
            first, second = sorted(sharers, key=lambda name: -uses.get(name, 0))[:2]
            sharers = [first] if uses.get(first, 0) > _FAR_MORE * (1 + uses.get(second, 0)) else sharers
        return sharers

    def _is_locale_twin(self, name: str) -> bool:
        """Classes make constants that nobody writes: `T.c.f`, the twin of `T.c_class.f`, and `T.class.c`."""
        parts = name.split(".")
        if len(parts) < 3:
            return False
        return parts[-2] == "class" or ".".join([*parts[:-2], parts[-2] + "_class", parts[-1]]) in self._full

    @staticmethod
    def of_signature(
        signature: Signature,
        uses: Mapping[str, int] | None = None,
        language: Language | None = None,
    ) -> Names:
        """Names for the constants of a signature, whose types tell which terms are truth values."""
        return Names(signature.constants, truths=_truths_of(signature), uses=uses, language=language)

    def with_variables(self, variables: Mapping[str, str]) -> Names:
        """The same names, with raw variable names (such as `<X0>`) shown as the user calls them."""
        other = Names.__new__(Names)
        other.__dict__.update(self.__dict__)
        other.variables = dict(variables)
        other._raw = {shown: raw for raw, shown in variables.items()}
        other._shown = {}
        if len(other._raw) != len(other.variables):
            raise UserError("variables: two of them have the same name, give each its own")
        for shown in other._raw:
            if not _SIMPLE.fullmatch(shown) or shown in self.words or _SUBSCRIPTED.fullmatch(shown):
                raise UserError(f"variables: {shown!r} cannot name a variable, choose letters, digits, _ and '")
        return other

    def with_fitting(self, variables: Mapping[str, str]) -> Names:
        """The same with those of the names that can be written, and that no variable before has."""
        chosen: dict[str, str] = {}
        for variable, shown in variables.items():
            with suppress(UserError):
                self.with_variables({**chosen, variable: shown})
                chosen[variable] = shown
        return self.with_variables(chosen) if chosen else self

    def is_free_for_binding(self, name: str) -> bool:
        """May a bound variable have this name without hiding a constant or another variable?"""
        return (
            _SIMPLE.fullmatch(name) is not None
            and name not in self.words
            and name not in self._raw
            and (self._is_letter(name) or (name not in self._full and not self._meanings(name)))
            and not _SUBSCRIPTED.fullmatch(name)
        )

    def constant(self, name: str) -> str:
        """How a constant is shown."""
        shown = self._shown.get(name)
        if shown is None:
            shown = self._shown[name] = self._find_constant(name)
        return shown

    def _find_constant(self, name: str) -> str:
        readable = _readable(name)
        if self._full.get(readable) == name:
            if _DOTTED.fullmatch(readable):
                parts = readable.split(".")
                for i in range(len(parts) - 1, -1, -1):
                    suffix = ".".join(parts[i:])
                    if self.constant_called(suffix) == name:
                        return suffix
        elif _DOTTED.fullmatch(name) and "." in name and self.constant_called(name) is None:
            return name
        return quote(name, "‹›")

    def _is_letter(self, text: str) -> bool:
        return self.letters_are_variables and _LETTERED.fullmatch(text) is not None

    def constant_called(self, text: str) -> str | None:
        """The one constant that a name means outside the reach of binders."""
        if self._is_letter(text):
            return None
        if text in self.words or text in self._raw or _SUBSCRIPTED.fullmatch(text):
            return None
        if text in self._full:
            return self._full[text]
        meanings = self._meanings(text)
        return meanings[0] if len(meanings) == 1 else None

    def free(self, name: str) -> str:
        """How a free variable is shown."""
        shown = self.variables.get(name)
        if shown is not None:
            return shown
        numbered = _NUMBERED.fullmatch(name)
        if numbered and numbered[1] == "X":
            return "x" + numbered[2].translate(_DOWN)
        readable = name if self.language is None else from_isabelle(name)  # who has a language reads ε as \<epsilon>
        return readable if self.is_free_for_binding(readable) else quote(name, "«»")

    def schematic(self, name: str, index: int) -> str:
        """How a schematic variable is shown."""
        numbered = _NUMBERED.fullmatch(name)
        if numbered and numbered[1] == "V" and index == 0:
            return self.variables.get(name) or "v" + numbered[2].translate(_DOWN)
        core = name if _SIMPLE.fullmatch(name) else quote(name, "«»")
        return f"?{core}.{index}" if index else f"?{core}"

    @property
    def fixed(self) -> Collection[str]:
        """What can only be a variable: the names under which variables are shown."""
        return self._raw.keys()

    def variable(self, shown: str) -> Free | Var | None:
        """The variable that a text calls so, where that is not its own name."""
        raw = self._raw.get(shown)
        if raw is None:
            numbered = _SUBSCRIPTED.fullmatch(re.sub("⇩([0-9])", lambda match: match[1].translate(_DOWN), shown))
            if numbered is None or numbered[1] == "b":
                return None
            raw = f"<{'X' if numbered[1] == 'x' else 'V'}{numbered[2].translate(_UP)}>"
        return Var(raw) if raw.startswith("<V") and _NUMBERED.fullmatch(raw) else Free(raw)


def _truths_of(signature: Signature) -> Callable[[str], int | None]:
    """By a constant's type, looked at when it is asked for: few of a signature's constants are ever printed."""

    @cache
    def arguments(name: str) -> int | None:
        constant = signature.constants.get(name)
        taken, result = ([], None) if constant is None else strip_fun(constant.type)
        return len(taken) if result == Type("HOL.bool") else None

    return arguments


@cache
def _written_truths() -> dict[str, int]:
    """Without types: what is written as a connective or a relation is a truth value."""
    return {n.constant: len(n.args) for n in default_table().notations if 20 <= n.precedence <= 50}
