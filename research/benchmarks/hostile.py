"""Bodies that mean harm, to a real server: no answer may be of the 500s but the documented 503, and memory stays flat.

    python research/benchmarks/hostile.py --requests 2000

Bodies are made from a seed: deep nesting, huge numbers, letters of all alphabets, halves of surrogate pairs, names of
constants in wrong places, types that do not end, theories that do not exist, terms that grow when they are printed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parent))
from serve import resident, server

PATHS = ("/read", "/read", "/check", "/isar", "/paste", "/propose", "/sketch", "/attention")
PIECES = (
    *"x y A f ( ) [ ] { } ∀ ∃ λ . ⟹ ∧ ¬ = ≤ ∈ ∑ .. < ^ 2 ⇩ ⇧ :: 'a nat ⇒ if then else let in case of | ' ‹ › ?".split(),
    *"HOL.eq Nat.nat set x⇩1 😀 ﷺ $ CONST ABS \\ \\<forall> \\<".split(),
    *("1" * 400, '"', "\u202e", "\x00", "\ud800", "FREE <X0>", "VAR <V99999999>", "BOUND 7", "\n"),
)
TOO_LARGE = 256 << 10  # bytes of a body
ALLOWED = {200, 400, 404, 405, 408, 413, 422, 429, 503}


def proposition(dice: random.Random) -> str:
    kind = dice.randrange(6)
    if kind == 0:
        return dice.choice(["(", "¬ ", "λx. ", "∀x. ", "{", "f (", "- ", "x + (", "if x then "]) * dice.choice(
            [10, 300, 3000]
        )
    if kind == 1:
        deep = dice.choice([20, 400])
        return "(" * deep + "x" + ")" * deep + " = x"
    if kind == 2:
        return (
            " ".join(dice.choice(["x", "f x", "x + y"]) + dice.choice([" = ", " ∧ ", " ⟹ ", " ≤ "]) for _ in range(200))
            + "x"
        )
    if kind == 3:
        return "".join(
            chr(dice.choice([dice.randrange(32, 0x2FFF), dice.randrange(0x1D400, 0x1D800)])) for _ in range(60)
        )
    joint = dice.choice([" ", ""])
    return joint.join(dice.choice(PIECES) for _ in range(dice.randrange(1, 40)))


def scalar(dice: random.Random) -> Any:
    return dice.choice([None, True, -1, 0, 10**30, 1e308, "", "x = x", [], {}, [[]], {"a": {}}, proposition(dice)])


def body(dice: random.Random, path: str) -> str:
    if dice.random() < 0.1:
        return dice.choice(
            ["", "{", "[" * 20_000, '{"goal":' * 500, "NaN", '{"goal": NaN}', '"' + "x" * 300_000, "nul", "\x00"]
        )
    if path == "/paste":
        words = dice.choice(["lemma ", "have ", "theory T imports A begin ", "(* ", "lemma [simp] assumes "])
        return json.dumps({"text": words + f'"{proposition(dice)}"' * dice.randrange(3)})
    made: dict[str, Any] = {"facts": [proposition(dice) for _ in range(dice.randrange(4))], "goal": proposition(dice)}
    if dice.random() < 0.5:
        made["types"] = {
            dice.choice(["x", "A", "f"]): dice.choice(
                ["nat", "'a::ord", "(" * 200, "nat ⇒ " * 90 + "nat", proposition(dice)]
            )
        }
    if dice.random() < 0.2:
        made["imports"] = [dice.choice(["Complex_Main", "No_Such", "../../etc/passwd", "HOL-Library.Multiset"])]
    if dice.random() < 0.2:
        made["form"] = dice.choice(["tokens", "notation", "both"])
    if dice.random() < 0.3:
        made[dice.choice(["goal", "fixed", "extra", "hints", "beam", "stream", "seconds", "strange", "example"])] = (
            scalar(dice)
        )
    if path == "/check":
        made["proposals"] = [proposition(dice)]
    if path == "/attention":
        made["answer"] = proposition(dice)
    if path in ("/check", "/propose", "/sketch"):
        made |= {"seconds": 2, "prover_seconds": 0.05, "library": 0}
    return json.dumps(made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    statuses: Counter[int] = Counter()
    bad: list[dict[str, Any]] = []
    megabytes: list[float] = []
    with server() as (url, pid), httpx.Client(base_url=url, timeout=120) as client:
        for number in range(arguments.requests):
            path = dice.choice(PATHS)
            sent = body(dice, path)
            content, kind = sent.encode("utf-8", "surrogatepass"), {"content-type": "application/json"}
            try:
                answer = client.post(path, content=content, headers=kind)
            except httpx.TransportError:
                if len(content) <= TOO_LARGE:
                    raise
                answer = httpx.Response(413, text="it hung up before all was sent")
            statuses[answer.status_code] += 1
            if answer.status_code not in ALLOWED or not answer.text:
                bad.append({"path": path, "body": sent[:300], "status": answer.status_code})
                print(bad[-1], flush=True)
            if (number + 1) % max(1, arguments.requests // 4) == 0:
                megabytes.append(round(resident(pid), 1))
                print(f"{number + 1} bodies: {dict(statuses)}, {megabytes[-1]} MB", flush=True)
    document = {
        "benchmark": "hostile",
        "requests": arguments.requests,
        "seed": arguments.seed,
        "statuses": dict(statuses),
    }
    print(json.dumps(document | {"failures": len(bad), "megabytes_after_quarters": megabytes}))


if __name__ == "__main__":
    main()
