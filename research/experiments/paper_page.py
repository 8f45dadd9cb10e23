"""docs/paper.md from its text, `paper_page.md`, with the numbers of docs/results and of the embedded benchmark.

A place `{{row hat-base}}` becomes that row's scores, `{{row? hat-base}}` the word that follows from them. What was not
run or not checked says so.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from isarstep.resources import benchmark_folder
from isarstep.score.report import paper
from isarstep.score.runs import KINDS

TEXT = Path(__file__).parent / "paper_page.md"
SURE = 0.01  # a claim is reproduced where p, corrected for all claims, is smaller
LONG = ("641 – 800", "over 800")
MATCHING = "hat-base"  # the paper's model in the paper's size: the run of a row where the paper names none
SHIPPED = "hat-library"
FORMED = {"transformer-base": 58.2, "transformer-f5": 60.1, "hat-base": 58.2, "hat-f5": 58.9}  # as printed
YES, NO, NOT_RUN, NOT_CHECKED = "reproduced", "not reproduced", "not run", "not checked"


def page(results: Path, benchmark: str = "embedded") -> str:
    """The page's text with every place filled in."""
    facts = Facts(json.loads((results / "scores.json").read_text("utf-8")), benchmark_folder(benchmark))

    def filled(match: re.Match[str]) -> str:
        name, *words = match[1].split()
        return str(getattr(facts, name.replace("?", "_word"))(*words))

    return re.sub(r"\{\{([^}]+)\}\}", filled, TEXT.read_text("utf-8"))


class Facts:
    """One method for each place of the text; those that end in `_word` judge."""

    def __init__(self, scores: dict[str, Any], folder: Path) -> None:
        self.scores = scores
        self.manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        self.tokens = json.loads((folder / "vocab.json").read_text("utf-8"))["tokens"][9:]
        self.systems = {system["system"]: system for system in scores["systems"]}
        self.rows = {system["row"]: system for system in scores["systems"] if system["row"]}
        self.claims = {claim["claim"]: claim for claim in scores["claims"]}

    # The data

    def hash(self) -> str:
        return str(self.scores["benchmark"][:12])

    def normalised(self) -> str:
        named = self._unnormalised()
        here = f"{len(self.tokens):,} tokens"
        return f"{here}; without it {named:,}: by {1 - len(self.tokens) / named:.0%}" if named else here

    def normalised_word(self) -> str:
        named = self._unnormalised()
        return f"{NO}: not recorded" if not named else _judged(1 - len(self.tokens) / named >= 1 / 3, "it saves less")

    def _unnormalised(self) -> int:
        numbered = sum(bool(re.fullmatch(r"<[XV][0-9]+>", token)) for token in self.tokens)
        names = self.manifest.get("variable names")
        return len(self.tokens) - numbered + names if names else 0

    def raw(self) -> str:
        raw, short = self._raw()
        return f"{raw:,} and {short:,}: {short / raw:.0%}"

    def raw_word(self) -> str:
        return _judged(self._raw()[0] >= 1_200_000, "fewer sessions of another release")

    def _raw(self) -> tuple[int, int]:
        counts = self.manifest["counts"]
        return counts["raw"], counts["raw"] - counts["too long"]

    def splits(self) -> str:
        return " / ".join(f"{self.manifest['examples'].get(name, 0):,}" for name in ("train", "validation", "test"))

    def vocabulary(self) -> str:
        return f"{len(self.tokens):,}"

    def vocabulary_word(self) -> str:
        return _judged(len(self.tokens) >= 29_759, "fewer sessions")

    # The tables

    def row(self, name: str) -> str:
        system = self.rows.get(name)
        return NOT_RUN if system is None else f"{_three(system)} ({_budget(system)})"

    def row_word(self, name: str) -> str:
        system = self.rows.get(name)
        if system is None:
            return f"{NO}: {NOT_RUN}"
        kind, _, given = name.partition("-")
        printed = paper.MAIN[KINDS[kind], paper.HINTS if given == "f5" else paper.BASE]
        below = [
            f"{label} {system[key]['value']:.1f} below {value:.1f}"
            for label, key, value in (("top-1", "top1", printed.top1), ("top-10", "top10", printed.top10),
                                      ("BLEU", "bleu", printed.bleu))
            if system[key]["value"] < value
        ]  # fmt: skip
        return _judged(not below, ", ".join(below))

    def claim(self, key: str) -> str:
        claim = self.claims[key]
        if claim["p"] is None:
            return f"{claim['text']}: {NOT_RUN}"
        p = claim["holm"]["top1"]
        sure = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
        return f"{claim['systems'][0]} against {claim['systems'][1]}: {claim['difference']:+.1f} points ({sure})"

    def claim_word(self, *keys: str) -> str:
        asked = [self.claims[key] for key in keys]
        if any(claim["p"] is None for claim in asked):
            return f"{NO}: {NOT_RUN}"
        unsure = [c for c in asked if c["difference"] <= 0 or c["holm"]["top1"] >= SURE]
        return _judged(not unsure, "; ".join(f"{' against '.join(c['systems'])}" for c in unsure))

    def baseline(self) -> str:
        found = [system for system in self.systems.values() if system["model"] == "baseline"]
        best = max(found, key=lambda system: system["top1"]["value"], default=None)
        return f"{best['system']}: {_three(best)}" if best else NOT_RUN

    def shipped(self) -> str:
        found = self.systems.get(SHIPPED)
        return NOT_RUN if found is None else f"{SHIPPED}, {found['model']}: {_three(found)} ({_budget(found)})"

    # What provers say

    def correct(self) -> str:
        told = []
        for name, verdicts in self._checked():
            counts = verdicts["all"]
            share, exact = counts["correct_share"]["value"], 100 * counts["exact"] / counts["checked"]
            told.append(f"{name} {share:.1f} (exact {exact:.1f}) of {counts['checked']:,} checked")
        return "; ".join(told) or NOT_CHECKED

    def correct_word(self) -> str:
        checked = {name: v["all"]["correct_share"]["value"] for name, v in self._checked() if name in self.rows}
        printed = {"hat-base": 27.6, "hat-f5": 29.4, "transformer-base": 25.2, "transformer-f5": 26.8}
        if missing := [name for name in printed if name not in checked]:
            return f"{NO}: {', '.join(missing)} {NOT_CHECKED}"
        return _judged(all(checked[name] >= printed[name] for name in printed), "fewer are correct")

    def automation(self) -> str:
        told = [f"{n}: {v['all']['unprovable']:,}, {v['all']['improved']:,} of them" for n, v in self._checked()]
        return "; ".join(told) or NOT_CHECKED

    def automation_word(self) -> str:
        found = dict(self._checked()).get("hat-base")
        return f"{NO}: hat-base {NOT_CHECKED}" if found is None else _judged(found["all"]["improved"] >= 61, "fewer")

    def references(self) -> str:
        told = []
        for each in self.scores["references"]:
            of_all, of_steps = (
                f"{found['direct_paper']:,} and {found['bridged']:,} of {found['checked']:,}"
                for found in (each["all"], each["steps"])
            )
            told.append(f"{of_all}; of steps alone {of_steps} ({each['provers']})")
        return "; ".join(told) or NOT_CHECKED

    def references_word(self) -> str:
        """Of those that were checked first; assumptions have no F.2 that they could follow from."""
        if not self.scores["references"]:
            return f"{NO}: {NOT_CHECKED}"
        steps = self.scores["references"][0]["steps"]
        share = {name: steps[name] / steps["checked"] for name in ("bridged", "direct_paper", "direct")}
        printed = {"bridged": paper.PROVED_WITH_REFERENCE, "direct_paper": paper.PROVED_DIRECTLY}
        wanted = {name: count / paper.SUPPORTED for name, count in printed.items()}
        why = (
            f"of steps, both gaps {share['bridged']:.0%} (paper {wanted['bridged']:.0%}), F.3 directly "
            f"{share['direct_paper']:.0%} ({wanted['direct_paper']:.0%}). One change: with F.4 given beside F.2 it is "
            f"{share['direct']:.0%}"
        )
        return _judged(all(share[name] >= wanted[name] for name in printed), why)

    def gaps(self) -> str:
        told = []
        for name, verdicts in self._checked():
            gap = verdicts["steps"]["gaps_paper"]
            told.append(
                f"{name}, steps: small {gap['small']:,}, just right {gap['just_right']:,}, large {gap['large']:,}"
            )
        return "; ".join(told) or NOT_CHECKED

    def _checked(self) -> list[tuple[str, dict[str, Any]]]:
        return [(s["row"] or name, s["verdicts"]) for name, s in self.systems.items() if s["verdicts"]]

    # Lengths, wrong answers, what is inside

    def length(self) -> str:
        told = []
        for name in ("hat-base", "transformer-base"):
            share = self._long(name)
            told.append(f"{name} {NOT_RUN if share is None else f'{share:.1f}'}")
        return "beyond 640 tokens: " + ", ".join(told)

    def length_word(self) -> str:
        hat, flat = self._long("hat-base"), self._long("transformer-base")
        if hat is None or flat is None:
            return f"{NO}: {NOT_RUN}"
        return _judged(hat >= 2 * flat, f"{hat / flat:.2f} times")

    def long(self) -> str:
        system, share = self.rows.get("hat-base"), self._long("hat-base")
        if system is None or share is None:
            return NOT_RUN
        return f"hat-base {share:.1f} beyond 640 tokens, {system['top1']['value']:.1f} over all"

    def long_word(self) -> str:
        system, share = self.rows.get("hat-base"), self._long("hat-base")
        if system is None or share is None:
            return f"{NO}: {NOT_RUN}"
        return _judged(share >= system["top1"]["value"] / 2, "not half as often right there")

    def _long(self, name: str) -> float | None:
        parts = [part for label, part in self.rows.get(name, {}).get("lengths", {}).items() if label in LONG]
        total = sum(part["examples"] for part in parts)
        return sum(part["examples"] * part["top1"] for part in parts) / total if total else None

    def probe(self, *names: str) -> str:
        """The run that matches: the paper's model, or another where that one fails and the other does not."""
        found = self._answering(names)
        if found is None:
            return NOT_RUN
        places = self.scores["probes"][found]
        return f"{found}: {', '.join(str(places.get(name) or 'none of ten') for name in names)}"

    def _answering(self, names: tuple[str, ...]) -> str | None:
        probes = self.scores["probes"]
        ordered = sorted(probes, key=lambda run: run != MATCHING)
        right = [run for run in ordered if all(probes[run].get(name) == 1 for name in names)]
        return next(iter([*right, *ordered]), None)

    def probe_word(self, *names: str) -> str:
        found = self._answering(names)
        if found is None:
            return f"{NO}: {NOT_RUN}"
        places = self.scores["probes"][found]
        return _judged(all(places.get(name) == 1 for name in names), "no model answers so first")

    def _looked_into(self) -> tuple[str, dict[str, Any]] | None:
        found = self.scores["embeddings"]
        run = MATCHING if MATCHING in found else next(iter(found), None)
        return None if run is None else (run, found[run])

    def close(self) -> str:
        looked = self._looked_into()
        if looked is None:
            return NOT_RUN
        run, found = looked
        (alike, by_theory), (partner, by_pair) = found["theory"], found["partner"]
        return (
            f"{run}: of the ten nearest {alike:.0f} % are of the same theory (chance {by_theory:.1f}); of "
            f"{found['pairs']} related pairs {partner:.0f} % are among the ten nearest (chance {by_pair:.1f})"
            + (f", {found['plain']['partner'][0]:.0f} % before the mean is taken away" if "plain" in found else "")
        )

    def close_word(self) -> str:
        looked = self._looked_into()
        if looked is None:
            return f"{NO}: {NOT_RUN}"
        return _judged(looked[1]["partner"][0] >= 50, "most partners are not among the ten nearest")

    def sum(self) -> str:
        looked = self._looked_into()
        nearest = looked[1]["sums"].get("bounded + closed", [])[:4] if looked else []
        if looked is None or not nearest:
            return NOT_RUN
        return f"{looked[0]}: " + ", ".join(f"{token.rsplit('.', 1)[-1]} {c:.2f}" for token, c in nearest)

    def sum_word(self) -> str:
        looked = self._looked_into()
        nearest = looked[1]["sums"].get("bounded + closed", [])[:3] if looked else []
        if not nearest:
            return f"{NO}: {NOT_RUN}"
        firsts = {token.rsplit(".", 1)[-1] for token, _ in nearest}
        return _judged(firsts == {"bounded", "closed", "compact"}, "compact is not the third")

    def wrong(self) -> str:
        cells = self.scores["failures"].get(MATCHING)
        if cells is None:
            return NOT_RUN
        return f"{MATCHING}: {cells['well-typed']} well-typed, {cells['occurs in the source']} occur in the source"

    def wrong_word(self) -> str:
        cells = self.scores["failures"].get(MATCHING)
        if cells is None:
            return f"{NO}: {NOT_RUN}"
        return _judged(float(cells["well-typed"].split()[0]) > 50, "half of them are not")

    def formed(self) -> str:
        rows = {name: self.rows[name]["well_formed"] for name in FORMED if name in self.rows}
        return ", ".join(f"{name} {found['value']:.1f}" for name, found in rows.items() if found) or NOT_RUN

    def formed_word(self) -> str:
        if missing := [name for name in FORMED if name not in self.rows]:
            return f"{NO}: {', '.join(missing)} {NOT_RUN}"
        fewer = [name for name, value in FORMED.items() if self.rows[name]["well_formed"]["value"] < value]
        return _judged(not fewer, f"fewer for {', '.join(fewer)}")


def _three(system: dict[str, Any]) -> str:
    return ", ".join(f"{system[name]['value']:.1f}" for name in ("top1", "top10", "bleu"))


def _budget(system: dict[str, Any]) -> str:
    took = system["budget"]
    epochs = f", {took['epochs']:.1f} epochs" if took.get("epochs") else ""
    return f"{took['tokens'] / 1e6:,.0f}M tokens{epochs}" if took.get("tokens") else "budget not recorded"


def _judged(same: bool, otherwise: str) -> str:
    return YES if same else f"{NO}: {otherwise}"
