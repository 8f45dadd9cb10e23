"""Bodies that mean harm, from a seed: terms and types that double, nest and go on, wrong kinds of values, no text at all."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

PATHS = ("/read",) * 6 + ("/isar", "/isar", "/paste", "/check", "/propose", "/sketch")
PIECES = (
    *"x y A f ( ) [ ] { } ∀ ∃ λ . ⟹ ∧ ¬ = ≤ ∈ ∑ .. < ^ 2 ⇩ ⇧ :: 'a nat ⇒ if then else let in case of | ' ‹ › ?".split(),
    *"HOL.eq Nat.nat set x⇩1 😀 ﷺ $ CONST ABS \\ \\<forall> \\<".split(),
    *("1" * 400, '"', "\u202e", "\x00", "\ud800", "\u2028", "FREE <X0>", "VAR <V99999999>", "BOUND 7", "\n"),
)


def doubling_let(dice: random.Random) -> str:
    """Each name is a pair of the one before: types double."""
    levels = dice.choice([3, 8, 14, 20, 30, 40])
    return "".join(f"let x{n} = (x{n - 1}, x{n - 1}) in " for n in range(1, levels + 1)) + f"x{levels} = y"


def doubling_pairs(dice: random.Random) -> str:
    return " ∧ ".join(f"y{n} = (y{n - 1}, y{n - 1})" for n in range(1, dice.choice([4, 9, 14, 25, 60])))


def doubling_functions(dice: random.Random) -> str:
    return " ∧ ".join(f"f{n} = (λx. (f{n - 1} x, f{n - 1} x))" for n in range(1, dice.choice([4, 12, 30])))


def long(dice: random.Random) -> str:
    joint = dice.choice([" + ", " ∧ ", " @ ", " ⟹ ", " ∘ ", " # ", " ∪ ", " ≤ ", ", "])
    return joint.join([dice.choice(["x", "f x", "(x, y)"])] * dice.choice([20, 400, 2000]))


def deep(dice: random.Random) -> str:
    opening, closing = dice.choice(
        [("(", ")"), ("Suc (", ")"), ("{", "}"), ("[", "]"), ("¬ ", ""), ("λx. ", ""), ("∀x. ", ""), ("{x. ", "}")]
    )
    count = dice.choice([10, 200, 1000, 3000])
    return opening * count + "x" + closing * dice.choice([count, count - 1, 0])


def chains(dice: random.Random) -> str:
    return dice.choice(["if x then y else ", "let x = x in ", "case x of y ⇒ ", "- ", "f (x := "]) * dice.choice(
        [10, 100, 600]
    )


def letters(dice: random.Random) -> str:
    alphabets = [(32, 0x2FFF), (0x1D400, 0x1D800), (0xD800, 0xE000), (0, 32)]
    return "".join(chr(dice.randrange(*dice.choice(alphabets))) for _ in range(60))


def salad(dice: random.Random) -> str:
    return dice.choice([" ", ""]).join(dice.choice(PIECES) for _ in range(dice.randrange(1, 40)))


def harmless(dice: random.Random) -> str:
    return dice.choice(["x ≤ y", "finite A", "P ∧ Q", "n + 0 = n", "x ∈ set xs"])


TERMS: tuple[Callable[[random.Random], str], ...] = (
    doubling_let, doubling_pairs, doubling_functions, long, deep, chains, letters, salad, harmless,
)  # fmt: skip


def typ(dice: random.Random) -> str:
    return dice.choice(
        [
            "nat" + " list" * dice.choice([1, 50, 1000]),
            "nat × " * dice.choice([1, 50, 1000]) + "nat",
            "nat ⇒ " * dice.choice([1, 50, 1000]) + "nat",
            "(" * 900 + "nat" + ")" * 900,
            "'a::{" + ",".join(["ord"] * 300) + "}",
            "no_such_type",
            "nat set set set",
            "",
        ]
    )


def scalar(dice: random.Random) -> Any:
    return dice.choice([None, True, -1, 0, 10**30, 1e308, float("nan"), "", [], {}, [[]], {"a": {}}, salad(dice)])


def fields(dice: random.Random) -> dict[str, Any]:
    def term() -> str:
        return dice.choice(TERMS)(dice)

    made: dict[str, Any] = {"goal": term(), "facts": [term() for _ in range(dice.choice([0, 0, 1, 3]))]}
    if dice.random() < 0.3:
        made["types"] = {dice.choice(["x", "f", "x0", "y0", "∀", ""]): typ(dice) for _ in range(dice.choice([1, 5]))}
    if dice.random() < 0.2:
        made["fixed"] = [dice.choice(["x", "set", "f", "x y", ""]) for _ in range(3)]
    if dice.random() < 0.15:
        made["imports"] = dice.sample(["Main", "Complex_Main", "Multiset", "No_Such", "HOL-Library.FSet", "../x"], 2)
    if dice.random() < 0.1:
        made["constants"] = {"c": typ(dice)}
    if dice.random() < 0.1:
        made["form"] = dice.choice(["tokens", "notation", "x"])
    if dice.random() < 0.15:
        made[dice.choice([*made, "others", "hints", "extra", "example", "more"])] = scalar(dice)
    return made


def bodies(seed: int, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Paths and what is sent there."""
    dice = random.Random(seed)
    for _ in range(count):
        path = dice.choice(PATHS)
        made = fields(dice)
        if path == "/paste":
            made = {"text": f'lemma "{made["goal"]}"'}
        if path in ("/check", "/propose", "/sketch"):
            made |= {"seconds": 1, "prover_seconds": 0.05, "library": dice.choice([0, 8])}
        if path == "/check":
            made["proposals"] = [dice.choice(TERMS)(dice)]
        if path == "/propose":
            made |= {"beam": dice.choice([1, 2]), "check": dice.random() < 0.3}
        if path == "/sketch":
            made |= {"depth": 1, "beam": 1}
        yield path, made


def theories(seed: int, count: int) -> Iterator[str]:
    """Theory files that mean harm."""
    dice = random.Random(seed)
    for _ in range(count):
        statement, types = dice.choice(TERMS)(dice), typ(dice)
        quoted = statement.replace('"', "")
        body = dice.choice(
            [
                f'lemma "{quoted}" sorry',
                f'definition c :: "{types}" where "c = c"\nlemma "c = {quoted}" sorry',
                f'fun f :: "{types}" where "{quoted}" | "{quoted}"\nlemma "f x = f x" sorry',
                f'lemma "True"\nproof -\n  have "{quoted}" sorry\n  show ?thesis sorry\nqed',
                "lemma True\n"
                + dice.choice(["proof -\n", "{ ", "have True ", "} ", "next ", "qed "]) * dice.choice([1, 90]),
                f"datatype t = C t | D {types}\n" + "(* " * dice.choice([0, 1, 400]) + "lemma True sorry",
                statement,
            ]
        )
        yield f"theory T imports {dice.choice(['Main', 'Complex_Main', 'T', 'No_Such', ''])} begin\n{body}\nend\n"


def editor_messages(seed: int, count: int, uri: str, version: int) -> Iterator[bytes]:
    """Requests to an editor's door, numbered from 1000: wrong places, files, versions and kinds, halves of messages."""
    dice = random.Random(seed)
    methods = ("textDocument/codeAction", "textDocument/hover", "workspace/executeCommand", "no/such", "initialize")

    def number() -> Any:
        return dice.choice([0, 1, 2, 3, 7, 10**6, 2**31 - 1, -1, 1.5, None, "1", []])

    for request in range(1000, 1000 + count):
        place = {"line": number(), "character": number()}
        file = {"uri": dice.choice([uri, uri, uri, "file:///no/such.thy", "untitled:x", "", "\ud800", 7, None])}
        params: Any = {"textDocument": file, "position": place, "context": {"diagnostics": []}}
        params["range"] = {"start": place, "end": {"line": number(), "character": number()}}
        command = dice.choice(["isarstep.propose", "isarstep.prove", "isarstep.check", "x", ""])
        params |= {
            "command": command,
            "arguments": [file["uri"], dice.choice([version, number()]), dice.choice([1, number()])],
        }
        if dice.random() < 0.15:
            params = scalar(dice)
        body = json.dumps({"jsonrpc": "2.0", "id": request, "method": dice.choice(methods), "params": params}).encode()
        yield dice.choice([body] * 12 + [body.replace(b"2.0", b"2.0\xff"), body[:-1], b"[" * 5000, b"[]", b"{}", b"7"])


def as_sent(body: dict[str, Any]) -> bytes:
    return json.dumps(body).encode()
