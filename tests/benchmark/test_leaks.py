"""Leaks planted in a copy of a clean benchmark are found, each kind; the clean one has none."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from isarstep.benchmark.building.write import Content, write_benchmark
from isarstep.benchmark.rules.leaks import bag_of, find_leaks
from isarstep.benchmark.rules.shards import ShardBuilder
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import VARIABLE
from isarstep.benchmark.store.schemas import EXAMPLE_SCHEMA
from isarstep.benchmark.store.store import Benchmark


def planted(small_benchmark: Path, out: Path, change: Callable[[Example], Example]) -> str:
    """A copy in which a changed test example with many propositions stands in training; returns the test example's id."""
    benchmark = Benchmark(small_benchmark)
    splits = {name: list(benchmark.split(name)) for name in benchmark.splits}
    victim = max(splits["test"], key=lambda example: (len(example.f4), example.id))
    splits["train"].append(change(victim))
    builder = ShardBuilder()
    ranges: dict[str, tuple[int, int]] = {}
    done = 0
    for name, examples in splits.items():
        for e in examples:
            f1, *rest = (builder.proposition(text) for text in (e.f1, *e.f2, *e.f4, *e.f5))
            f2, f4, f5 = rest[: len(e.f2)], rest[len(e.f2) : len(e.f2) + len(e.f4)], rest[len(e.f2) + len(e.f4) :]
            f3 = None if e.f3 is None else builder.proposition(e.f3)
            builder.add(f1, f2, f3, f4, f5, theorem=e.theorem)
        ranges[name] = (done, done + len(examples))
        done += len(examples)
    shard = builder.finish()
    table = shard.examples.select(EXAMPLE_SCHEMA.names)
    content = Content({n: table.slice(a, b - a) for n, (a, b) in ranges.items()}, shard.propositions["tokens"])
    write_benchmark(out, content)
    return victim.id


def swapped(text: str) -> str:
    return VARIABLE.sub(lambda match: {"0": "<X1>", "1": "<X0>"}.get(match[1], f"<X{int(match[1]) + 5}>"), text)


def renamed(example: Example) -> Example:
    return replace(
        example,
        f1=swapped(example.f1),
        f2=tuple(map(swapped, example.f2)),
        f3=None if example.f3 is None else swapped(example.f3),
        f4=tuple(map(swapped, example.f4)),
        f5=(),
    )


def test_a_clean_benchmark_has_no_leaks(small_benchmark: Path) -> None:
    report = find_leaks(small_benchmark)
    assert report.exact == report.renamed == report.theorem == []
    assert sum(report.scored.values()) == sum(
        len(Benchmark(small_benchmark).split(name)) for name in Benchmark(small_benchmark).splits[1:]
    )


def test_an_exact_target_is_found(small_benchmark: Path, tmp_path: Path) -> None:
    other = "CONST HOL.Trueprop $ CONST HOL.True"
    victim = planted(small_benchmark, tmp_path / "out", lambda e: replace(e, f2=(other,), f3=other, f4=(other,), f5=()))
    report = find_leaks(tmp_path / "out")
    assert victim in [leak.held_out for leak in report.exact]
    assert victim in [leak.held_out for leak in report.theorem]  # the copy is of the same theorem
    assert victim in [
        leak.held_out for leak in find_leaks(small_benchmark, tmp_path / "out").exact
    ]  # out is what is trained on
    assert not report.renamed


def test_a_renamed_example_is_found(small_benchmark: Path, tmp_path: Path) -> None:
    victim = planted(small_benchmark, tmp_path / "out", renamed)
    report = find_leaks(tmp_path / "out")
    assert [leak.held_out for leak in report.renamed] == [victim]
    assert not report.exact
    assert [leak.similarity for leak in report.near if leak.held_out == victim] == [1.0]


def test_a_near_duplicate_is_found(small_benchmark: Path, tmp_path: Path) -> None:
    def nearly(example: Example) -> Example:
        other = re.sub(r"Nat\.\w+", "Nat.other", swapped(example.f1), count=1)
        return replace(renamed(example), f1=other, theorem="0" * 16)

    victim = planted(small_benchmark, tmp_path / "out", nearly)
    report = find_leaks(tmp_path / "out")
    assert report.exact == report.renamed == report.theorem == []
    [leak] = [leak for leak in report.near if leak.held_out == victim and leak.split == "test"]
    assert 0.9 <= leak.similarity < 1


def test_bags_don_t_know_names_of_variables() -> None:
    left = Example("a", "CONST p $ FREE <X3>", (), "CONST q $ FREE <X3> $ FREE <X1>", (), ())
    right = Example("b", "CONST p $ FREE <X0>", (), "CONST q $ FREE <X0> $ FREE <X2>", (), ())
    assert bag_of(left) == bag_of(right)
    assert bag_of(left)["<X0>"] == 2
