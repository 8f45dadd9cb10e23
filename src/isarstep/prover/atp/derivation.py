"""What a first-order prover derived, read from its proof in TSTP: a refutation from formulas that it was given.

The status line alone is no proof. A derivation counts when it ends in `$false`, every step of it comes from earlier
steps, and it begins at formulas of the problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_STATEMENT = re.compile(r"^(?:fof|cnf|tff|thf|tcf)\((.*)\)\.\s*$", re.DOTALL)
_START = re.compile(r"^[#%] SZS output start\b.*$", re.MULTILINE)
_END = re.compile(r"^[#%] SZS output end\b", re.MULTILINE)
_INPUT = re.compile(r"^(?:fof|cnf|tff|thf)\((\w+),\s*(?!type\b)\w+,", re.MULTILINE)
_FILE = re.compile(r"^file\('[^']*',\s*(\w+)\)$")
_RULE = re.compile(r"inference\(\s*\w+\s*,\s*\[[^\[\]]*\]\s*,")
_RULE_NAME = re.compile(r"inference\(\s*(\w+)\s*,")
INTRODUCED = "introduced("
_NO_STEP = {"theory", "equality"}  # what E writes beside parents


class DerivedFormula(NamedTuple):
    """One formula of a derivation: by which rules, the last one first, it comes from which earlier ones; or the formula
    of the problem that it is."""

    name: str
    formula: str
    rules: tuple[str, ...]
    parents: tuple[str, ...]
    given: str | None


def inferences(output: str) -> list[DerivedFormula]:
    """The derivation in an output, in order; nothing where there is none."""
    begin = _START.search(output)
    end = None if begin is None else _END.search(output, begin.end())
    if begin is None or end is None:
        return []
    found = []
    for name, formula, source in _statements(output[begin.end() : end.start()]):
        read = _FILE.match(source)
        parents = () if read is not None or source.startswith(INTRODUCED) else _parents(source)
        given = None if read is None else read.group(1)
        found.append(DerivedFormula(name, formula, tuple(_RULE_NAME.findall(source)), parents, given))
    return found


def inputs_of_proof(output: str, problem: str) -> tuple[str, ...] | None:
    """Names of the problem's formulas from which `$false` was derived; None where the output is no such derivation."""
    begin = _START.search(output)
    end = None if begin is None else _END.search(output, begin.end())
    if begin is None or end is None:
        return None
    given = set(_INPUT.findall(problem))
    leaves: dict[str, frozenset[str]] = {}  # of each step: the formulas it comes from
    refutation: frozenset[str] | None = None
    for name, formula, source in _statements(output[begin.end() : end.start()]):
        found = _leaves(source, leaves, given)
        if found is None:
            return None
        leaves[name] = found
        if formula.strip("() \n") == "$false" and found:
            refutation = found
    if not refutation:
        return None
    return tuple(sorted(refutation, key=_by_number))


def _leaves(source: str, known: dict[str, frozenset[str]], given: set[str]) -> frozenset[str] | None:
    """The formulas that a step comes from; None where it names something that is not there."""
    read = _FILE.match(source)
    if read is not None:
        return frozenset([read.group(1)]) if read.group(1) in given else None
    if source.startswith(INTRODUCED):
        return frozenset()  # a definition of a new symbol
    parents = _parents(source)
    if not parents or any(parent not in known for parent in parents):
        return None
    return frozenset().union(*(known[parent] for parent in parents))


def _parents(source: str) -> tuple[str, ...]:
    words = re.findall(r"\w+", _RULE.sub("", source))
    return tuple(dict.fromkeys(word for word in words if word not in _NO_STEP))


def _statements(proof: str) -> Iterator[tuple[str, str, str]]:
    """(name, formula, source) of every statement."""
    lines: list[str] = []
    for line in proof.splitlines():
        if line.startswith(("#", "%")) or not line.strip():
            continue
        lines.append(line)
        whole = _STATEMENT.match("\n".join(lines))
        if whole is not None:
            lines = []
            fields = _fields(whole.group(1))
            if len(fields) >= 4 and fields[1] != "type":
                yield fields[0], fields[2], fields[3]
    if lines:
        yield "", "", ""  # cut off in the middle: a step from nothing, which is no proof


def _fields(text: str) -> list[str]:
    """What commas outside brackets and quotes separate."""
    found, depth, begin, quoted = [], 0, 0, False
    for place, sign in enumerate(text):
        if sign == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
        elif sign == "," and depth == 0:
            found.append(text[begin:place].strip())
            begin = place + 1
    return [*found, text[begin:].strip()]


def _by_number(label: str) -> tuple[str, int, str]:
    """p2 before p10."""
    word = label.rstrip("0123456789")
    return word, int(label[len(word) :] or 0), label
