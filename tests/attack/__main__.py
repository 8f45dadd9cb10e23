"""All of the attack: `python -m tests.attack` proves nothing false, or says what it proved and ends with 1."""

from __future__ import annotations

import argparse
import sys
import time

from tests.attack.suite import FILE, Attack, derivations_by_field, false_queries, quick_attempts

from isarstep.apps.engine import Engine
from isarstep.premises.fact_base import Library
from isarstep.prover.atp.provers import ProverLimits, Provers
from isarstep.prover.atp.schedule import Effort
from isarstep.prover.check.prover_session import IN_ALL
from isarstep.prover.check.step_checker import Checker
from isarstep.prover.outcomes.verdict import Proved
from isarstep.prover.rewrite.simp_rules import SimpRules


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.3, help="processor time of an attempt")
    parser.add_argument("--library", type=int, default=128, help="library facts")
    parser.add_argument("--every", type=int, default=1, help="every so manieth derivation")
    parser.add_argument("--first", type=int, default=0, help="the first of these: N runs side by side ask all")
    parser.add_argument("--heading", default="", help="those alone under headings with this text")
    parser.add_argument("--after", type=int, default=0, help="leave out so many derivations that were asked before")
    parser.add_argument("--ways", default="sketched,inducted,proposed,scored")
    parser.add_argument("--places", type=int, default=200, help="places where False is asked, with ten times the time")
    chosen = parser.parse_args()
    engine = Engine()
    asked_for = [problem for heading, problem in derivations_by_field(FILE) if chosen.heading in heading]
    problems, found, began = asked_for[chosen.first :: chosen.every], 0, time.monotonic()
    with engine.proving(chosen.seconds, chosen.library) as proving:
        attack = Attack(engine, proving, chosen.seconds, chosen.library)
        library = proving._checker.facts
        assert isinstance(library, Library)
        effort = Effort(IN_ALL * chosen.seconds, chosen.library)
        simp = SimpRules.of_benchmark(engine.benchmark, library)
        scoring = Checker(engine.theory_contexts, Provers(ProverLimits(chosen.seconds)), library, effort, simp=simp)
        for number, problem in enumerate(problems, 1):
            if number <= chosen.after:
                continue
            for way in chosen.ways.split(","):
                more = (scoring,) if way == "scored" else ()
                for breach in getattr(attack, way)(problem, *more):
                    found += 1
                    print(f"PROVED {breach}", flush=True)
            if number % 20 == 0:
                print(f"{number} of {len(problems)}, {found} proved, {time.monotonic() - began:.0f} s", flush=True)
        asked = 0
        with Provers(ProverLimits(10 * chosen.seconds)) as provers:
            for theory, query in false_queries(engine.benchmark, library, chosen.places, chosen.library):
                asked += 1
                answer = provers.prove(quick_attempts(query))
                if isinstance(answer, Proved):
                    found += 1
                    print(f"PROVED False in {theory}: {answer}", flush=True)
    print(f"{len(problems)} derivations by {chosen.ways}, False at {asked} places: {found} proved")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
