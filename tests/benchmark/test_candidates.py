"""Which entries of an Archive may be mined to be scored only."""

import hashlib
from pathlib import Path

import pytest
from tests.isabelle.process.conftest import FakeIsabelle

from isarstep.benchmark.building.candidates import CandidateRule, candidates
from isarstep.isabelle.process.installation import Sessions, find_installation

STEPS = "\n".join(f'lemma "x{n} = x{n}" proof - show ?thesis by simp qed' for n in range(5))
TRAINED = "\n".join(f'lemma trained{n}: "a long statement of the corpus number {n} = b"' for n in range(9))


def entry(archive: Path, name: str, imports: str, body: str, *, sessions: str = "", date: str = "2020-01-01") -> None:
    folder = archive / "thys" / name
    folder.mkdir(parents=True)
    (folder / "ROOT").write_text(f'session "{name}" = Pure + sessions Small {sessions} theories T_{name}\n')
    (folder / f"T_{name}.thy").write_text(f"theory T_{name} imports {imports} begin\n{body}\nend\n")
    metadata = archive / "metadata" / "entries"
    metadata.mkdir(parents=True, exist_ok=True)
    (metadata / f"{name}.toml").write_text(f'title = "{name}"\ndate = {date}\n')
    roots = archive / "thys" / "ROOTS"
    roots.write_text((roots.read_text() if roots.is_file() else "") + f"{name}\n")


@pytest.fixture
def archive(tmp_path, monkeypatch):
    isabelle = FakeIsabelle(tmp_path)
    monkeypatch.setenv("ISABELLE_HOME", str(isabelle.home))
    monkeypatch.setenv("ML_HOME", str(isabelle.poly))
    folder = tmp_path / "afp"
    small = '"Small.A"'
    entry(folder, "Trained", small, TRAINED)
    entry(folder, "Good", small, STEPS)
    entry(folder, "Better", small, STEPS)
    entry(folder, "Young", small, STEPS, date="2026-05-01")
    entry(folder, "Without_Steps", small, "definition c where c")
    entry(folder, "Too_Long", small, STEPS + "\n" * 100)
    entry(folder, "Copy", small, STEPS + TRAINED.replace("lemma", "  lemma"))
    entry(folder, "Costly", '"Other.O"', STEPS, sessions="Other")
    entry(folder, "Not_Whole", "Nowhere", STEPS)
    return folder


RULE = CandidateRule({"Trained"}, ["Small"], least_steps=5, most_lines=50)


def test_entries_that_may_be_scored_in_the_order_of_their_hashes(archive):
    found = list(candidates(archive, Sessions(find_installation(), [archive / "thys"]), RULE))
    names = ["Better", "Good", "Young"]
    assert [item.entry for item in found] == sorted(names, key=lambda n: hashlib.sha256(n.encode()).hexdigest())
    good = next(item for item in found if item.entry == "Good")
    assert (good.sessions, good.lines, good.steps, good.dated) == (("Good",), 7, 5, "2020-01-01")


def test_entries_that_are_younger(archive):
    rule = CandidateRule(RULE.known, RULE.bases, RULE.least_steps, RULE.most_lines, after="2026-02-03")
    [young] = candidates(archive, Sessions(find_installation(), [archive / "thys"]), rule)
    assert (young.entry, young.dated) == ("Young", "2026-05-01")
