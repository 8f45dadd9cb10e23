"""The theories that `research/benchmarks/fill.py` makes: a gap, the proof around it to its end, and every open block closed."""

from pathlib import Path

from research.benchmarks.fill import RUN, TRUST, drawn_gaps, kind, terminal_proofs

from isarstep.isabelle.theory.text.source import TheorySource, split_commands

THEORY = """theory Own
  imports Main Beside
begin

locale l = fixes c :: nat
begin

lemma small: "c < c + 1" by simp

lemma large: "c \\<le> c + 1"
proof -
  have a: "c < c + 1"
    using Own.l.small
    by simp
  show ?thesis using a by (simp add: Own.other)
qed

lemma later: "c = c" by simp

end

end
"""


def test_terminal_proofs_of_statements_inside_proofs() -> None:
    source = TheorySource(THEORY, Path("Own.thy"))
    found = terminal_proofs(split_commands(source)[1])
    assert [THEORY[each.start : each.end].split() for each in found] == [
        ["using", "Own.l.small", "by", "simp"],
        ["using", "a", "by", "(simp", "add:", "Own.other)"],
    ]
    assert {(source.line(each.head), each.blocks) for each in found} == {(10, 1)}
    assert all(THEORY[: each.last].endswith("qed") for each in found)


def test_a_theory_with_a_gap(tmp_path: Path) -> None:
    folder = tmp_path / "Entry"
    (folder / "inner").mkdir(parents=True)
    (folder / "ROOT").write_text("session Entry = Main + theories Own")
    (folder / "Beside.thy").write_text("theory Beside imports Main begin end")
    (folder / "inner" / "Own.thy").write_text(THEORY)
    out = tmp_path / "out"
    gaps = drawn_gaps([folder / "inner" / "Own.thy"], 2, out)
    assert sorted(gap.place for gap in gaps) == ["Own.thy:13", "Own.thy:15"]
    first = next(gap for gap in gaps if gap.place.endswith("13"))
    assert (out / "Own" / "Beside.thy").is_file()
    assert not (out / "Own" / "ROOT").exists()
    text = first.write("Judged", f"{RUN} by auto {TRUST}", "Ask_Tools").read_text()
    assert first.folder == out / "Own" / "inner"
    assert text.startswith(f"theory Judged_{first.number}\n  imports Ask_Tools Main Beside\nbegin")
    assert f'have a: "c < c + 1"\n    {RUN} by auto {TRUST}\n  show' in text
    assert f"Judged_{first.number}.other" in text
    assert text.endswith("qed\n\nend\n\nend\n")
    assert "later" not in text


def test_the_gaps_after_a_draw(tmp_path: Path) -> None:
    path = tmp_path / "Own.thy"
    path.write_text(THEORY)
    [first] = drawn_gaps([path], 1, tmp_path / "out")
    [second] = drawn_gaps([path], 1, tmp_path / "out", after=1)
    assert {first.place, second.place} == {"Own.thy:13", "Own.thy:15"}
    assert [first.number, second.number] == [0, 1]
    assert drawn_gaps([path], 1, tmp_path / "out", after=2) == []


def test_refusals_are_counted_without_names() -> None:
    assert kind("/x/Gap_3.thy:12:4: 'foo' is of `typedef` at /x/A.thy:1:1, which is not read") == (
        "_ is of `typedef` at _, which is not read"
    )
    assert kind("") == "no step was found"
