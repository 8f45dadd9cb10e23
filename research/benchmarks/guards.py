"""Guards of the checker, taken away one at a time in a copy of the source: the test beside each has to fail.

    python research/benchmarks/guards.py            # all of them
    python research/benchmarks/guards.py scope      # those with this in their name

Each is a piece of source and what it becomes. A guard that is written in another way since is reported, not skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from mutants import ROOT, copied_source

EMBEDDED, LEMMAS, PARTS = "tests/prover/test_embedded.py", "tests/premises/test_lemmas.py", "tests/prover/test_parts.py"
INSTANCES = "tests/prover/test_instances.py"
REWRITING, DERIVATIONS = "tests/prover/test_rewriting.py", "tests/prover/test_derivations.py"
CONTEXT = "tests/model/data/test_context.py::test_no_context_of_the_embedded_benchmark_holds_its_target"


@dataclass(frozen=True)
class Guard:
    name: str
    file: str
    before: str
    after: str
    test: str  # file::name, that fails without the guard


GUARDS = [
    Guard("types of a fact that are fixed stay", "isabelle/context/monomorphisation.py",
          "not frees(prop) and not any(isinstance(v, TFree) for v in term_type_variables(prop))", "not frees(prop)",
          f"{PARTS}::test_a_fact_with_a_fixed_type_is_not_taken_at_others"),
    Guard("facts about fixed variables are no facts of the library", "isabelle/context/monomorphisation.py",
          "not frees(prop) and not any(", "not any(", f"{PARTS}::test_a_fact_about_a_fixed_variable_is_not_used"),
    Guard("types belong to the sorts of variables", "isabelle/context/monomorphisation.py",
          "or not signature.of_sort(right, left.sort)", "", f"{PARTS}::test_instances_respect_sorts"),
    Guard("a schematic variable has one type", "prover/encode/lowering.py",
          'raise CannotEncode(f"schematic variable {term.name} at two types")', "pass",
          f"{PARTS}::test_a_schematic_variable_at_two_types_is_not_stated"),
    Guard("copies are no alternatives", "prover/outcomes/verdict.py", " and not self.likeness.copy", "",
          f"{EMBEDDED}::test_a_copy_that_bridges_is_no_alternative"),
    Guard("copies of the theorem are no facts", "premises/available_facts.py",
          "exclude = {*known, *self.copies(example)}", "exclude = {*known}",
          f"{EMBEDDED}::test_a_copy_of_the_step_s_theorem_is_never_used"),
    Guard("scope of facts", "premises/available_facts.py",
          "        theories = context.theory_context.theories\n", "        theories = None\n",
          f"{EMBEDDED}::test_only_facts_of_the_world_are_offered"),
    Guard("scope of lemmas that an example names", "premises/available_facts.py",
          "self.facts.find(tokens, theory_context.theories)", "self.facts.find(tokens)",
          f"{EMBEDDED}::test_facts_of_other_worlds_are_not_used_even_where_an_example_names_them"),
    Guard("scope of instances", "prover/check/obligations.py",
          "query = instantiated(asked.local, asked.goal, named, asked.signature, len(first) + size)",
          "query = instantiated(asked.local, asked.goal, named, "
          "asked.context.theory_context._theory_contexts.whole, len(first) + size)",
          f"{EMBEDDED}::test_instances_of_other_worlds_are_not_taken"),
    Guard("facts come from before the step", "premises/available_facts.py",
          "before = self.facts.before(example.theory, example.name)\n            own",
          "before = len(self.facts)\n            own",
          f"{EMBEDDED}::test_facts_of_the_own_theory_are_used_from_before_the_step_only"),
    Guard("the signature is part of the resume key", "prover/check/jobs.py",
          "asdict(self), Benchmark(self.benchmark).hash, checker_name()", "asdict(self), checker_name()",
          "tests/prover/test_command.py::test_a_run_is_not_resumed_with_another_signature"),
    Guard("a proposal may not narrow types", "premises/typed_example.py",
          "typed = infer([decode(line)], signature, self.types, fixed=fixed).propositions[0]",
          "typed = infer([decode(line)], signature, {}, fixed=fixed).propositions[0]",
          f"{EMBEDDED}::test_a_proposal_may_not_narrow_the_types_of_an_example"),
    Guard("only some commands say that something exists", "premises/witnesses.py",
          'if command in EXISTENTIAL', "if command",
          f"{EMBEDDED}::test_what_a_step_says_to_exist_need_not_hold_of_everything"),
    Guard("all that is said of a witness is said of the same", "premises/witnesses.py",
          "[each for each in others if of_same_values(each, names)]", "[]",
          f"{EMBEDDED}::test_what_a_step_says_to_exist_need_not_hold_of_everything"),
    Guard("variables that are applied have the types of what they stand for", "isabelle/context/matching.py",
          "type(head) is Var and not self._typed(head, len(arguments), right, binders)", "False",
          f"{INSTANCES}::test_a_variable_that_is_applied_has_the_type_of_what_it_stands_for"),
    Guard("conditions of rules", "prover/rewrite/rewriting.py", "and self._conditions_hold(rule, matching, known, depth)", "",
          f"{REWRITING}::test_what_it_must_not_prove"),
    Guard("rules from before the step", "prover/check/obligations.py",
          "else fact < before and fact not in copies", "else True",
          f"{EMBEDDED}::test_what_simp_rules_prove_needs_no_prover"),
    Guard("imports that clash", "isabelle/context/theory_contexts.py",
          "            self._refuse_clashes(theory_context)", "            pass",
          "tests/isabelle/context/test_theory_contexts.py::test_imports_that_isabelle_could_not_merge_are_refused"),
    Guard("what is assumed of a type holds of no other", "premises/lemmas.py", " and variable not in assumed", "",
          f"{LEMMAS}::test_a_lemma_of_the_context_has_the_types_of_the_fact_that_it_is"),
    Guard("only lemmas are hints", "premises/example_reader.py",
          "if facts is not None and set(facts.in_context(line)) - set(self.available.copies(example)):",
          "if facts is not None:",
          f"{LEMMAS}::test_what_the_benchmark_does_not_know_to_be_a_lemma_is_none"),
    Guard("the theorem itself is no hint", "premises/example_reader.py",
          "set(facts.in_context(line)) - set(self.available.copies(example))", "set(facts.in_context(line))",
          f"{LEMMAS}::test_the_step_s_own_theorem_is_no_hint"),
    Guard("only what is proved is used at all types", "premises/typed_example.py",
          "if not proved or not self.scored", "if not self.scored",
          f"{LEMMAS}::test_a_step_that_is_proved_may_be_used_at_all_its_types"),
    Guard("a step of one's own has one type", "premises/typed_example.py", "if not proved or not self.scored", "if not proved",
          f"{LEMMAS}::test_a_step_that_is_proved_may_be_used_at_all_its_types"),
    Guard("no context is the answer", "benchmark/arrays/context.py", "elif text == target:", "elif False:",
          f"{CONTEXT}[validation]"),
    Guard("no context holds the answer", "benchmark/arrays/context.py", "elif hidden and target in text:", "elif False:",
          f"{CONTEXT}[validation]"),
    Guard("a context is from before the answer", "benchmark/arrays/context.py", "facts[(first <= here) & (here <= last)]", "facts",
          f"{CONTEXT}[validation]"),
]  # fmt: skip


def noticed(source: Path, *tests: str) -> bool:
    """Does one of the tests fail on the source in this folder?"""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False).returncode == 1


def main() -> None:
    chosen = [guard for guard in GUARDS if all(word in guard.name for word in sys.argv[1:])]
    survivors = []
    with copied_source() as source:
        if noticed(source, *dict.fromkeys(guard.test for guard in chosen)):
            raise SystemExit("a test fails with all guards in place; what it notices is no guard that is missing")
        for guard in chosen:
            path = source / "isarstep" / guard.file
            text = path.read_text(encoding="utf-8")
            if text.count(guard.before) != 1:
                raise SystemExit(f"{guard.name}: {guard.file} says it {text.count(guard.before)} times")
            path.write_text(text.replace(guard.before, guard.after), encoding="utf-8")
            killed = noticed(source, guard.test)
            path.write_text(text, encoding="utf-8")
            survivors += [] if killed else [guard.name]
            print(f"{'noticed' if killed else 'SURVIVED':9} {guard.name}: {guard.test.rpartition(':')[2]}", flush=True)
    print(json.dumps({"benchmark": "guards", "guards": len(chosen), "survivors": survivors}))


if __name__ == "__main__":
    main()
