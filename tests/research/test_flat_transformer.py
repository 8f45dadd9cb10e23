"""The experiment on the flat Transformer: each variant differs in what it says, and all of them run to the end."""

import json
from argparse import Namespace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, NumberedExample
from isarstep.benchmark.arrays.measures import Layout
from isarstep.benchmark.store.special_tokens import SEP, SPECIALS
from isarstep.model.data.batches import Packer
from isarstep.model.nets import ModelConfig
from isarstep.model.train.validation import Validation, validate

EXPERIMENTS = Path(__file__).parents[2] / "research" / "experiments"
VOCABULARY = (*SPECIALS, *(f"w{i}" for i in range(20)))


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.syspath_prepend(str(EXPERIMENTS))


def corpus(count: int, seed: int = 0) -> Corpus:
    random = np.random.default_rng(seed)

    def proposition() -> list[int]:
        return random.integers(9, len(VOCABULARY), random.integers(1, 9)).tolist()

    return Corpus.of_examples(
        NumberedExample([(3, proposition()), (2, proposition()), (4, proposition())], proposition())
        for _ in range(count)
    )


def source_of(rows: list[list[tuple[int, list[int]]]]):  # type: ignore[no-untyped-def]
    packer = Packer(
        Corpus.of_examples(NumberedExample(row, [9]) for row in rows), Layout(False, "base"), torch.device("cpu")
    )
    return packer.source(np.arange(len(rows)))


def test_propositions_are_found_in_a_labelled_row() -> None:
    from flat_variants import WithPropositions, segments_at

    source = source_of([[(2, [20, 21]), (3, [22])], [(3, [23, 24, 25])]])
    begins = WithPropositions.begins(source)
    assert source.tokens_S.tolist().count(SEP) == 1
    assert begins.nonzero()[:, 0].tolist() == [0, 4, 6]
    segments = segments_at(begins, source.examples)
    assert segments.starts.tolist()[:4] == [0, 4, 6, 10]
    assert set(segments.starts.tolist()[4:]) == {10}


@torch.no_grad()
def test_restarted_positions_and_layers_inside_are_what_they_say() -> None:
    from flat_variants import WithPropositions

    near, far = [(2, [20, 21, 22]), (3, [23, 24])], [(2, [20, 21, 22, 25, 26]), (3, [23, 24])]
    config = ModelConfig("transformer", len(VOCABULARY), "tiny", dropout=0.0)

    def last_proposition(restarts: bool, inside: bool) -> list[torch.Tensor]:
        torch.manual_seed(0)
        model = WithPropositions(config, restarts, inside).eval()
        model.encoder = model.encoder[: config.dimensions.local_layers]
        return [model.encode(source_of([row]))[-3:] for row in (near, far)]

    for restarts, inside, equal in ((True, True, True), (True, False, False), (False, True, False)):
        one, other = last_proposition(restarts, inside)
        assert torch.allclose(one, other, atol=1e-5) == equal


def chosen(tmp_path: Path, name: str) -> Namespace:
    return Namespace(
        one=name, data=tmp_path, size="tiny", batch=512, warmup=5, look=4000, steps=6, seconds=1e9, device="cpu"
    )


@pytest.mark.slow
def test_every_variant_runs_and_begins_with_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from flat_transformer import marian_curve, print_table, recipe_of, variant_curve
    from flat_variants import VARIANTS

    dataset = Dataset({"train": corpus(200), "validation": corpus(2, 1)}, VOCABULARY, "made up")
    lines: list[str] = []
    names = [*VARIANTS, *(["marian"] if find_spec("transformers") else [])]
    for name in names:
        options = chosen(tmp_path, name)

        def write(variant: str = name, **fields: object) -> None:
            lines.append(json.dumps({"variant": variant, **fields}))

        if name not in ("inside", "rotary"):  # whose search differs from others'
            monkeypatch.setattr("flat_transformer.validate", lambda *_: Validation(0.0, 0.0, 0.0))
        else:
            monkeypatch.setattr("flat_transformer.validate", validate)
        curve = marian_curve if name == "marian" else variant_curve
        curve(options, dataset, recipe_of(options), torch.device("cpu"), write, lambda step: step >= 6)
    path = tmp_path / "curves.jsonl"
    path.write_text("\n".join(lines))
    print_table(path)
    rows = [json.loads(line) for line in lines]
    losses = {row["variant"]: row["loss"] for row in rows if "loss" in row}
    assert list(losses) == names
    # On a CPU these compute the same thing, and the rest does not.
    assert losses["plain"] == losses["single"] == losses["launched"] == losses["flash"] == losses["flat"]
    assert len({losses[name] for name in ("flat", "hat", "restart", "inside", "rotary", "larger", "prenorm")}) == 7
    assert all(row["exact"] == 0 for row in rows if "exact" in row)


def test_the_command_gathers_what_its_processes_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from flat_transformer import main

    from isarstep.benchmark.arrays.files import save_dataset

    save_dataset(
        Dataset({"train": corpus(60), "validation": corpus(2, 1)}, VOCABULARY, "made up"), tmp_path / "data.npz"
    )
    arguments = ["--variants", "flat", "--size", "tiny", "--batch", "512", "--steps", "2", "--device", "cpu"]
    monkeypatch.setattr(
        "sys.argv", ["flat_transformer.py", str(tmp_path / "data.npz"), str(tmp_path / "out"), *arguments]
    )
    monkeypatch.setenv("PYTHONPATH", str(EXPERIMENTS.parents[1] / "src"))
    main()
    rows = [json.loads(line) for line in (tmp_path / "out" / "curves.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [2, 2]
    assert {"loss", "validation_loss"} <= {key for row in rows for key in row}
