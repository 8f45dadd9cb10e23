"""Bags of words, what a selector is asked with, and selected facts as a model reads them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.benchmark.corpus import write_corpus

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, NumberedExample, starts_of
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.arrays.inputs import CITED, EARLIER, SELECTED, STATEMENT
from isarstep.benchmark.arrays.pattern_keys import pattern_keys
from isarstep.benchmark.building.build import build
from isarstep.benchmark.rules.rules import Sizes
from isarstep.benchmark.store.store import Benchmark
from isarstep.premises.selector.premise_arrays import (
    ExampleColumns,
    FactArrays,
    PremiseArrays,
    premise_arrays,
    two_halves,
)
from isarstep.premises.selector.premise_files import load_with_facts, over_one_list, save_with_facts
from isarstep.premises.selector.premise_questions import (
    FOR_MODEL,
    FOR_PROVERS,
    STEP,
    all_questions,
    facts_of,
    questions_of,
    together,
)
from isarstep.premises.selector.selected_premises import (
    MOST_PREMISES,
    SHARES,
    VIEWS,
    all_views,
    drawn_views,
    keys_for_premises,
    premises_read,
    view,
    with_cited,
)
from isarstep.premises.selector.selected_premises import with_premises as premises_of
from isarstep.premises.selector.word_bags import (
    bags_of,
    bags_of_names,
    each_once,
    numbered_texts,
    part_rows,
    word_table,
)


@pytest.mark.parametrize("numbers", [[], [0], [3, 3], [5, -1, 5, 0, 2, -1]])
def test_each_number_once_as_numpy_has_it(numbers: list[int]) -> None:
    some = np.array(numbers, np.int64)
    assert np.array_equal(each_once(some), np.unique(some))


def bag(text: str) -> set[int]:
    names, tokens, starts = numbered_texts([text])
    words = word_table(names)
    found = bags_of(tokens, starts, words)
    return {int(words.own[value]) if value < len(words) else int(value) - len(words) for value in found.values}


def test_a_bag_knows_constants_and_neighbours_and_no_names_of_variables() -> None:
    one = bag("CONST HOL.eq $ FREE <X0> $ ( CONST Nat.Suc $ FREE <X1> )")
    assert one == bag("HOL.eq <X3> ( Nat.Suc <X7> )")
    assert one != bag("HOL.eq ( Nat.Suc <X1> ) <X0>")  # other neighbours
    assert len(one) == 2 + 3  # eq, Suc; eq-variable, variable-Suc, Suc-variable


def test_parts_of_names_are_shared() -> None:
    assert set(part_rows("Groups.plus_class.plus")) & set(part_rows("Foo.plus_assoc"))
    assert len(part_rows("a.a_A")) == 1
    names = bags_of_names(["Nat.Suc", ""], 10)
    assert names.counts.tolist() == [2, 0]
    assert names.values.min() >= 10


def test_many_propositions_have_the_bags_of_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    names, tokens, starts = numbered_texts(["A.a ( B.b <X0> )", "", "B.b <X1>", "A.a A.a A.a"])
    words = word_table(names)
    whole = bags_of(tokens, starts, words)
    monkeypatch.setattr("isarstep.premises.selector.word_bags.AT_ONCE", 1)
    parts = bags_of(tokens, starts, words)
    assert whole.values.tolist() == parts.values.tolist()
    assert whole.counts.tolist() == parts.counts.tolist() == [4, 0, 2, 2]


WORDS = ("<PAD>", "A.a", "B.b", "<X0>", "<X1>", "<V0>", "<V1>", "C.c")
A, B, X0, X1, V0, V1, C = range(1, 8)


def example_corpus() -> Corpus:
    """Proposition 0 is the target; 1 and 2 are given; facts follow."""
    rows = [[A, X1, X0], [B, X0], [C], [A, V0, V1], [A, V0, V0], [B, X0], [C, C, V0]]
    return Corpus(
        np.array([token for row in rows for token in row], np.int32),
        starts_of(np.array([len(row) for row in rows])),
        np.array([0], np.int32),
        np.array([1, 2], np.int32),
        np.array([2, 4], np.int8),
        np.array([0, 2]),
        np.array([2], np.int32),
        ("one",),
    )


def test_keys_are_equal_up_to_renaming_alone() -> None:
    corpus = example_corpus()
    keys = keys_for_premises(corpus, WORDS)
    assert keys[0] == keys[3]
    assert keys[0] != keys[4]
    assert keys[1] == keys[5]
    only_free = pattern_keys(corpus.tokens, corpus.token_starts, WORDS)
    assert only_free[0] != only_free[3]


def test_a_premise_that_is_the_target_or_given_is_left_out_and_counted() -> None:
    corpus, counts = example_corpus(), Counter[str]()
    propositions = np.array([3, 4, 1, 6, 4], np.int32)  # of facts 0 to 4
    ranked = np.array([[0, 1, 2, 4, 3, -1]], np.int32)
    found = premises_of(corpus, ranked, propositions, keys_for_premises(corpus, WORDS), counts)
    assert found.sources[found.fields == SELECTED].tolist() == [4, 6]  # 3 is the target, 1 is given, 4 comes once
    assert counts == {"are the target": 1, "there already": 1, "premises": 2}
    assert found.sources[found.fields != SELECTED].tolist() == [1, 2]


def test_there_is_room_for_so_many_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = example_corpus()
    keys = keys_for_premises(corpus, WORDS)
    monkeypatch.setattr("isarstep.premises.selector.selected_premises.PREMISE_TOKENS", 4)
    found = premises_of(corpus, np.array([[0, 1, 2]], np.int32), np.array([4, 6, 2], np.int32), keys, Counter())
    assert found.sources[found.fields == SELECTED].tolist() == [4]  # 6 is too long by then, 2 is given
    monkeypatch.setattr("isarstep.premises.selector.selected_premises.MOST_PREMISES", 0)
    found = premises_of(corpus, np.array([[0]], np.int32), np.array([4], np.int32), keys, Counter())
    assert SELECTED not in found.fields.tolist()
    assert MOST_PREMISES > 0


def test_views_leave_fields_out() -> None:
    examples = [
        NumberedExample([(2, [A, n]), (5, [B]), (STATEMENT, [C, n]), (SELECTED, [B, n])], [A], str(n)) for n in (X0, X1)
    ]
    corpus = Corpus.of_examples(examples)
    assert view(corpus, VIEWS["base"]).fields.tolist() == [2, 2]
    assert view(corpus, VIEWS["+context+premises"]).fields.tolist() == [2, STATEMENT, SELECTED] * 2  # never F.5
    every = all_views(corpus)
    assert len(every) == 2 * len(VIEWS)
    for number, read_as in enumerate(VIEWS.values()):
        part = every.take(np.arange(2) + 2 * number)
        alone = view(corpus, read_as)
        assert part.fields.tolist() == alone.fields.tolist()
        assert [part.proposition(n).tolist() for n in part.sources] == [
            alone.proposition(n).tolist() for n in alone.sources
        ]


def test_a_state_has_all_facts_of_the_proof_as_f4_and_no_library_fact_that_the_author_cites() -> None:
    source = [(2, [A]), (3, [B]), (4, [C]), (4, [A, B]), (STATEMENT, [C, B]), (EARLIER, [B, B]), (SELECTED, [C, C])]
    corpus = Corpus.of_examples([NumberedExample(source, [A, A], "one")])
    cited = with_cited(corpus, corpus.sources[3:4])
    assert cited.fields.tolist() == [2, 3, 4, CITED, STATEMENT, EARLIER, SELECTED]
    state = view(cited, VIEWS["state"])
    assert state.fields.tolist() == [2, 3, 4, 4, SELECTED]
    assert state.sources.tolist() == corpus.sources[[0, 1, 2, 5, 6]].tolist()
    assert view(cited, VIEWS["base"]).fields.tolist() == [2, 3, 4, 4]  # the author's F.4, whatever it is


def test_an_epoch_reads_each_example_in_one_view() -> None:
    drawn = drawn_views(1000, 3, 0)
    assert sorted((drawn % 1000).tolist()) == list(range(1000))
    assert np.allclose(np.bincount(drawn // 1000) / 1000, SHARES, atol=0.06)
    assert drawn.tolist() == drawn_views(1000, 3, 0).tolist() != drawn_views(1000, 3, 1).tolist()


def test_halves_are_of_entries_and_nearly_equal() -> None:
    halves = two_halves({"train": ["A"] * 5 + ["B"] * 3 + ["SM"] * 2 + ["CAVA_Setup"], "test": ["D"]})
    assert set(halves) == {"A", "B", "CAVA_LTL_Modelchecker", "D"}
    assert halves["A"] != halves["B"] == halves["CAVA_LTL_Modelchecker"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Dataset, PremiseArrays, Benchmark]:
    folder = tmp_path_factory.mktemp("premises")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        build(write_corpus(folder), folder / "bench", sizes=Sizes(scored=12, band=0.2), workers=1)
        benchmark = Benchmark(folder / "bench")
        dataset = load_dataset(folder / "bench", "+context")
        arrays = premise_arrays(benchmark, tuple(dataset.splits))
        return *over_one_list(dataset, arrays, len(benchmark.propositions)), benchmark


def test_one_list_says_what_the_benchmark_says(made: tuple[Dataset, PremiseArrays, Benchmark]) -> None:
    dataset, arrays, benchmark = made
    split = dataset.split("train")

    def text(number: int) -> str:
        return " ".join(dataset.words[token] for token in split.proposition(number))

    dense = {"$", "CONST", "FREE", "VAR", "BOUND"}
    for number, row in enumerate(benchmark.facts.to_pylist()):
        wanted = [word for word in benchmark.propositions[row["proposition"]].split() if word not in dense]
        assert text(int(arrays.facts.proposition[number])) == " ".join(wanted)
        assert arrays.facts.theories[arrays.facts.theory[number]] == row["theory"]
    for number, example in enumerate(benchmark.split("train")):
        assert text(int(split.targets[number])) == " ".join(w for w in example.f1.split() if w not in dense)
        assert arrays.facts.theories[arrays.splits["train"].theory[number]] == example.theory


def test_the_file_gives_back_what_was_written(made: tuple[Dataset, PremiseArrays, Benchmark], tmp_path: Path) -> None:
    dataset, arrays, _ = made
    save_with_facts(dataset, arrays, tmp_path / "all.npz")
    again, same = load_with_facts(tmp_path / "all.npz")
    assert again.words == dataset.words
    for name, split in dataset.splits.items():
        for part in ("tokens", "token_starts", "targets", "sources", "fields", "source_starts", "variables"):
            assert np.array_equal(getattr(again.splits[name], part), getattr(split, part)), part
        for part in ("theory", "before", "half", "theorem", "step", "next_step"):
            assert np.array_equal(getattr(same.splits[name], part), getattr(arrays.splits[name], part)), part
    assert np.array_equal(same.facts.sees, arrays.facts.sees)
    assert np.array_equal(same.facts.names.values, arrays.facts.names.values)


def with_the_lemma_as_fact(split: Corpus, arrays: PremiseArrays) -> tuple[FactArrays, ExampleColumns]:
    """The lemma that the examples use is facts 1 and 3 of five; examples of the last theory see neither."""
    (lemma,) = set(split.sources[split.fields == 5].tolist())
    columns = arrays.splits["train"]
    sees = np.ones_like(arrays.facts.sees)
    sees[-1] = False
    proposition = arrays.facts.proposition.copy()
    proposition[[1, 3]] = lemma
    return replace(arrays.facts, proposition=proposition, sees=sees), replace(columns, before=columns.before * 0 + 3)


def test_the_model_never_asks_with_the_target_nor_with_f5(made: tuple[Dataset, PremiseArrays, Benchmark]) -> None:
    dataset, arrays, _ = made
    split = dataset.split("train")
    facts, columns = with_the_lemma_as_fact(split, arrays)
    known = facts_of(facts, len(split.token_starts) - 1, True)
    asked = questions_of(split, columns, facts, FOR_MODEL, known)
    everyone = all_questions(split, columns, FOR_MODEL)
    assert len(everyone) == len(split)
    assert len(asked)
    assert STEP not in everyone.roles.tolist()
    for number, example in enumerate(asked.example.tolist()):
        here = slice(split.source_starts[example], split.source_starts[example + 1])
        allowed = split.sources[here][split.fields[here] != 5]
        said = asked.propositions[asked.starts[number] : asked.starts[number + 1]]
        assert sorted(said.tolist()) == sorted(allowed.tolist())
        assert columns.theory[example] != len(facts.theories) - 1
        used = asked.used[asked.used_starts[number] : asked.used_starts[number + 1]]
        assert used.tolist() == [1]  # fact 3 states the same, too late


def test_provers_ask_once_a_step(made: tuple[Dataset, PremiseArrays, Benchmark]) -> None:
    dataset, arrays, _ = made
    split = dataset.split("train")
    facts, columns = with_the_lemma_as_fact(split, arrays)
    known = facts_of(facts, len(split.token_starts) - 1, True)
    asked = questions_of(split, columns, facts, FOR_PROVERS, known)
    assert 0 < len(asked) < int((np.diff(split.source_starts) > 0).sum())
    steps = [(int(columns.step[n]), int(split.targets[n])) for n in asked.example]
    assert len(steps) == len(set(steps))
    both = together([asked, asked])
    assert len(both) == 2 * len(asked)
    assert both.used_starts[-1] == 2 * len(asked.used)


def test_what_is_read_of_facts_as_texts_is_what_is_read_of_them_as_numbers() -> None:
    corpus = example_corpus()
    propositions = np.array([4, 1, 6, 4], np.int32)
    ranked = np.array([[0, 1, 2, 3]], np.int32)
    by_number = premises_of(corpus, ranked, propositions, keys_for_premises(corpus, WORDS), Counter())

    def text(number: int) -> str:
        return " ".join(WORDS[token] for token in corpus.proposition(number))

    known = [text(number) for number in corpus.sources.tolist()]
    by_text = premises_read([text(number) for number in propositions.tolist()], known)
    assert by_text == [text(number) for number in by_number.sources[by_number.fields == SELECTED].tolist()] != []


def test_texts_have_the_same_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert premises_read(["a b", "a b", "c"], ["c"]) == ["a b"]
    monkeypatch.setattr("isarstep.premises.selector.selected_premises.PREMISE_TOKENS", 3)
    assert premises_read(["CONST a $ CONST b", "c d", "e"], []) == [
        "CONST a $ CONST b",
        "e",
    ]  # what is implied takes no room
    monkeypatch.setattr("isarstep.premises.selector.selected_premises.MOST_PREMISES", 1)
    assert premises_read(["a b", "e"], []) == ["a b"]
