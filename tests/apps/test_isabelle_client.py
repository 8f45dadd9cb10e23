"""The proof command `isarstep` in a real ML process, against servers good and bad. Needs ISABELLE_HOME with an image of HOL."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.apps.isabelle_servers import DOWN, KINDS, Server
from tests.apps.isabelle_session import HERE, TRANSCRIPT, Loaded, load, transcript
from tests.embedded import embedded_benchmark

import isarstep
from isarstep.benchmark.problems.problem_reader import ProblemReader
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.syntax.writing.sample import sample_signature
from isarstep.isabelle.terms.terms import Type
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.type_text import format_type, parse_type
from isarstep.isabelle.theory.problems.problem import Problem, ProblemError


@pytest.fixture(scope="module")
def servers():
    started = {kind: Server(kind) for kind in KINDS}
    yield started
    for server in started.values():
        server.close()


@pytest.fixture(scope="module")
def addresses(servers):
    return {kind: server.address for kind, server in servers.items()} | {"DOWN": DOWN}


@pytest.fixture(scope="module")
def loaded(installation_with_hol, addresses) -> Loaded:
    return load(installation_with_hol, HERE / "Asking.thy", addresses)


def recorded() -> dict[str, str]:
    parts = re.split(r"^--- (\w+) \((\w+)\)\n", TRANSCRIPT.read_text(), flags=re.MULTILINE)[1:]
    return {mark: text for mark, _, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)}


def test_every_failure_is_one_line_in_the_recorded_transcript():
    said = {mark: text.splitlines() for mark, text in recorded().items()}
    expected = {
        "down": "isarstep: no server at @DOWN@ (Connection refused); start one with: isarstep serve",
        "slow": "isarstep: no answer from @SLOW@ within 1 s",
        "garbage": "isarstep: what answers at @GARBAGE@ is no isarstep server (not HTTP)",
        "cut": "isarstep: the connection to @CUT@ broke in the middle of the answer",
        "mute": "isarstep: @MUTE@ closed the connection without an answer",
        "busy": "isarstep: the server at @BUSY@ refused with status 429: too many requests at once",
        "strange": "isarstep: what answers at @STRANGE@ is no isarstep server (not JSON)",
        "flood": "isarstep: the server's answer is too long",
        "no_terms": "isarstep: the server's answer has a step without tokens",
        "bad_address": 'isarstep: bad server "nonsense": write it as "127.0.0.1:6174"',
        "no_goal": "isarstep: there is no goal here",
    }
    assert {mark: said[mark] for mark in expected} == {mark: [line] for mark, line in expected.items()}


def test_the_theory_travels_with_the_package():
    folder = Path(isarstep.__file__).parent / "apps" / "jedit"
    names = re.findall(r"ML_file \\<open>(.*?)\\<close>", (folder / "IsarStep.thy").read_text())
    assert len(names) == 6
    assert all((folder / name).is_file() for name in names)


def test_the_server_takes_tokens_about_a_users_own_constants_and_types():
    reader = ProblemReader(TheoryContext.of_signature(sample_signature()))
    less = "CONST HOL.Trueprop $ ( CONST Orderings.ord_class.less $ FREE t $ FREE t )"
    goal = "CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST My.size $ FREE t ) $ FREE n )"
    types = {"t": "(My.tree Nat.nat)", "n": "Nat.nat"}
    task = reader.read(Problem(goal=goal, facts=(less,), form="tokens", fixed=("n", "t"), types=types))
    assert task.example.f3 == goal.replace("FREE t", "FREE <X1>").replace("FREE n", "FREE <X0>")
    assert task.context["<X0>"] == Type("Nat.nat")
    with pytest.raises(ProblemError, match="type"):
        reader.read(Problem(goal="x = y", types={"x": "My.tree"}))


def test_a_session_with_failing_servers_is_unharmed(loaded):
    assert loaded.failure == ""


def test_the_transcript_is_the_recorded_one(loaded, addresses):
    def without_proofs(text: str) -> str:
        """Which method finds a proof first depends on the machine."""
        return re.sub(r"\bby .*", "by ...", text)

    assert without_proofs(transcript(loaded, addresses)) == without_proofs(TRANSCRIPT.read_text())


def test_statements_can_be_clicked(loaded):
    assert loaded.outputs["chained"].clickable == (
        r'have "(\<exists>x. a = 2 * x) \<and> (\<exists>x. a = 2 * x)"',
        'have "even a"',
        r'have "even (a\<^sup>2)"',
        'have "x < x + 1" for x',
    )
    [whole, *_] = [text for text in loaded.outputs["prove"].clickable if text.startswith("proof -")]
    assert whole.splitlines()[-1] == "qed"


def test_proved_on_both_sides_comes_first(loaded):
    notes = re.findall(r"^\d+\. (.*):$", loaded.outputs["listed"].text, re.MULTILINE)
    assert notes == ["proved on both sides", "proved on both sides", "not proved", "not proved", "not proved"]


def test_what_was_clicked_is_a_proof(installation_with_hol, loaded, addresses, tmp_path):
    whole = next(text for text in loaded.outputs["prove"].clickable if text.startswith("proof -"))
    steps = [text for text in loaded.outputs["listed"].clickable if "\n" in text]
    direct = loaded.outputs["listed"].clickable[0]
    theory = ["theory Clicked imports Complex_Main begin"]
    theory += [f'lemma assumes "even (a::int)" shows "\\<exists>c. a = 2 * c" using assms\n{whole}']
    statement = 'lemma fixes x y :: nat assumes less: "x < y" and bound: "y < 5" shows "x + 1 < 6"'
    theory += [f"{statement}\nproof -\n{text}\nqed" for text in [direct, *steps]]
    (tmp_path / "Clicked.thy").write_text("\n".join([*theory, "end"]).replace("\\<open>even a\\<close>", "assms"))
    assert len(steps) == 2
    assert load(installation_with_hol, tmp_path / "Clicked.thy", addresses).failure == ""


def test_questions_are_tokens_with_types(loaded, servers):
    questions, known = servers["SERVER"].questions, embedded_benchmark().signature.constants
    assert len(questions) == 9
    for question in questions:
        names = set(question["fixed"])
        assert set(question["types"]) == names
        for proposition in (question["goal"], *question["facts"], *question["others"]):
            assert encode_line(decode(proposition)) == proposition
            assert set(re.findall(r"FREE (\S+)", proposition)) <= names
        for typ in question["types"].values():
            assert format_type(parse_type(typ)) == typ
        told = " ".join((question["goal"], *question["facts"], *question["others"]))
        mentioned = set(re.findall(r"CONST (\S+)", told))
        assert set(question["constants"]) <= mentioned
        # An abbreviation is no constant of Isabelle's logic.
        for name in mentioned - set(question["constants"]):
            assert known[name].abbreviates is not None
        assert all(parse_type(typ) for typ in question["constants"].values())
    # Operations of a class are its constants, and its type variable has the class as sort.
    [inside_class] = [q for q in questions if "Groups.uminus_class.uminus" in q["goal"]]
    assert inside_class["types"] == dict.fromkeys("ab", "('a :: Groups.ordered_ab_group_add)")
    # Variables stand in order of introduction, those of a locale first.
    [inside_locale] = [q for q in questions if "FREE op" in q["goal"]]
    assert inside_locale["fixed"] == ["point", "op", "x"]
    [induction] = [q for q in questions if "Groups_Big" in q["goal"]]
    assert [name.strip("_") for name in induction["fixed"]] == ["f", "n", "k"]


@pytest.fixture
def real_server():
    """`isarstep serve` with the model of the package."""
    command = [sys.executable, "-m", "isarstep", "serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"serving on http://(\S+)", line):
                yield found[1]
                return
        pytest.fail("the server did not start")
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_a_real_server_answers(installation_with_hol, real_server):
    loaded = load(installation_with_hol, HERE / "Proposals.thy", {"SERVER": real_server})
    assert loaded.failure == ""
    assert {mark: output.kind for mark, output in loaded.outputs.items()} == dict.fromkeys(
        ("subsets", "sqrt_two", "product", "counting"), "writeln"
    )
    assert all("steps" in output.text.splitlines()[0] for output in loaded.outputs.values())
