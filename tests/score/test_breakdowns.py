"""Groups partition the examples; copying and nearness are what they say."""

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from isarstep.benchmark.store.example import Example
from isarstep.common.tables import Table
from isarstep.score.breakdowns import SOURCE_BUCKETS, breakdowns, by_length, failure_table, source_length
from isarstep.score.copying import copied_share, is_copy, is_whole_copy, nearness, renamed
from isarstep.score.headline import open_system, open_task
from isarstep.score.scores import ScoringTask
from isarstep.score.topics import topic_of, topics


def example(f1: str, *f2: str, f3: str = "CONST g", name: str = "e") -> Example:
    return Example(name, f1, f2, f3, (), ("CONST hint $ CONST h",))


def test_every_breakdown_is_a_partition(benchmark: Path) -> None:
    task = open_task(benchmark)
    for breakdown in breakdowns(task, benchmark):
        counts = np.sum([members for _, members in breakdown.groups], axis=0)
        assert (counts == 1).all(), breakdown.key


def test_source_length_counts_f2_to_f4_and_the_paper_s_buckets_hold_their_edges() -> None:
    assert source_length(example("FREE a", "CONST a $ CONST b")) == 7
    lengths = [160, 161, 320, 800]
    examples = [example("FREE a", " ".join(["x"] * (length - 2)), name=str(length)) for length in lengths]
    task = ScoringTask("", "test", examples, ["a"] * 4)
    found = by_length(task, "source", "F.2", SOURCE_BUCKETS, source_length)
    assert [label for label, _ in found.groups] == ["0 – 160", "161 – 320", "321 – 480", "481 – 640", "641 – 800"]
    assert [np.flatnonzero(members).tolist() for _, members in found.groups] == [[0], [1, 2], [], [], [3]]


def test_a_copy_is_a_run_of_whole_tokens() -> None:
    here = example("FREE a", "CONST f $ ( CONST gg $ CONST h )")
    assert is_copy(here, "CONST gg $ CONST h")
    assert not is_copy(here, "CONST ggg")
    assert not is_copy(here, "ONST gg")
    assert is_copy(here, "CONST g", hints=False)  # the consequence
    assert is_copy(here, "CONST hint $ CONST h")
    assert not is_copy(here, "CONST hint $ CONST h", hints=False)
    assert not is_copy(here, "")
    assert is_whole_copy(here, "CONST g")
    assert not is_whole_copy(here, "CONST gg $ CONST h")


def test_copied_share_by_hand() -> None:
    # The target's eight tokens behind Trueprop; the longest common run is "CONST f $ CONST a".
    here = example("CONST HOL.Trueprop $ CONST f $ CONST a $ CONST b", "CONST f $ CONST a $ FREE c", f3="FREE z")
    assert copied_share(here) == pytest.approx(6 / 8)
    assert copied_share(example("FREE q", f3="CONST z")) == 0


def test_copied_share_against_the_plain_definition() -> None:
    draw = random.Random(2)
    for _ in range(60):
        words = [" ".join(draw.choices("abc", k=draw.randint(1, 12))) for _ in range(3)]
        target = words[0].split()
        runs = [
            j - i
            for i in range(len(target))
            for j in range(i + 1, len(target) + 1)
            if any(f" {' '.join(target[i:j])} " in f" {other} " for other in words[1:])
        ]
        wanted = max(runs, default=0) / len(target)
        assert copied_share(Example("e", words[0], (words[1],), words[2], (), ())) == pytest.approx(wanted)


def test_nearness_against_all_pairs() -> None:
    draw = random.Random(3)
    training = [" ".join(draw.choices("abcdefg", k=draw.randint(10, 24))) for _ in range(80)]
    targets = []
    for text in training[:40]:
        words = text.split()
        for _ in range(draw.randint(0, 2)):
            words[draw.randrange(len(words))] = draw.choice("abcdefgh")
        targets.append(" ".join(draw.sample(words, len(words))))
    targets.append("CONST f $ FREE <X7>")
    training.append("CONST f $ FREE <X2>")

    def plain(target: str) -> str:
        if renamed(target) in set(map(renamed, training)):
            return "renamed"
        bag = Counter(renamed(target).split())
        others = [Counter(renamed(text).split()) for text in training]
        return "near" if any((bag & other).total() >= 0.9 * (bag | other).total() for other in others) else "new"

    found = nearness(targets, training)
    assert found == [plain(target) for target in targets]
    assert set(found) == {"renamed", "near", "new"}


def test_failures_are_shares_of_the_wrong(benchmark: Path, runs: dict[str, Path]) -> None:
    task = open_task(benchmark)
    table = failure_table([open_system(runs["hat"], task)])
    shares = [float(cell.removesuffix(" %")) for cell in table.rows[0][2:5]]
    assert sum(shares) == pytest.approx(100, abs=0.2)


def test_topics_name_sessions_and_fall_back_on_the_theory() -> None:
    assert topic_of("HOL-Analysis", "") == "Mathematics: Analysis"
    assert topic_of("", "HOL-Algebra.Group") == "Mathematics: Algebra"
    assert topic_of("Jordan_Normal_Form", "") == "Mathematics: Algebra"
    assert topic_of("Nowhere", "") == ""
    assert len(topics()) > 1000
    assert all(": " in topic or topic == "Tools" for topic in topics().values())


def test_tables_escape_what_they_show() -> None:
    table = Table("k", "a < b", ("x|y", "n"), (("<b>|", "1.0 [0.9, 1.1]"),), groups=(("", 1), ("G", 1)))
    assert "&lt;b&gt;|" in table.to_html()
    assert 'class="interval">[0.9, 1.1]' in table.to_html()
    assert r"<b>\|" in table.to_markdown()
    assert "G n" in table.to_markdown()
