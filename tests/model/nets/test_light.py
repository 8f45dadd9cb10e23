"""The model without torch computes what the one of torch does: on random weights and on the shipped ones."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.drawn import drawn

from isarstep.benchmark.arrays.backend import NUMPY
from isarstep.benchmark.arrays.corpus import Corpus, NumberedExample
from isarstep.benchmark.arrays.inputs import FIELDS_READ, Input
from isarstep.benchmark.arrays.measures import Layout
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.common.errors import UserError
from isarstep.model.data.batches import Packer
from isarstep.model.data.packing import HostPacker
from isarstep.model.nets import ModelConfig, build_model
from isarstep.model.nets.base import Seq2Seq
from isarstep.model.nets.checkpoint import About, load_model, write_model
from isarstep.model.nets.config import Size
from isarstep.model.nets.folders import Storage, open_folder
from isarstep.model.nets.light import Blocks, LightHAT, Weights, is_light, load_light
from isarstep.resources import EMBEDDED, model_folder

VOCABULARY = (*SPECIALS, *(f"C.c{i}" for i in range(90)))
CLOSE = 1e-4  # in logits


def lively(size: Size = "tiny", reads: Input = "base") -> Seq2Seq:
    """Random; no layer is the identity, as each is before training."""
    torch.manual_seed(3)
    model = build_model(ModelConfig("hat", len(VOCABULARY), size, "modern", dropout=0.0, input=reads)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn_like(parameter)
            parameter.copy_(1 + 0.3 * noise if "norm" in name else 1.5 * noise * parameter.shape[-1] ** -0.5)
    return model


def pair(
    folder: Path, storage: Storage = "fp32", size: Size = "tiny", reads: Input = "base"
) -> tuple[Seq2Seq, LightHAT]:
    write_model(lively(size, reads), About("hash", VOCABULARY, {}), folder, storage)
    return load_model(folder)[0], load_light(open_folder(folder))


def corpus_of(lengths: list[list[int]], seed: int = 0) -> Corpus:
    """Examples of so many propositions, each of so many tokens."""
    rng = np.random.default_rng(seed)
    rows = [[rng.integers(9, len(VOCABULARY), length).tolist() for length in example] for example in lengths]
    return Corpus.of_examples(
        NumberedExample([(2 + (place + at) % 6, row) for place, row in enumerate(example)], [9])
        for at, example in enumerate(rows)
    )


def assert_steps_agree(heavy: Seq2Seq, light: LightHAT, corpus: Corpus, beams: int, steps: int, kept: int) -> None:
    """Random tokens and parents, now for more and now for fewer hypotheses; after half of the steps only the first
    sentences stay."""
    examples = np.arange(len(corpus))
    rng = np.random.default_rng(1)
    with torch.inference_mode(), NUMPY.searching():
        theirs = heavy.start(heavy.packer(corpus).source(examples), beams)
        ours = light.start(light.packer(corpus).source(examples), beams)
        batch, before = len(corpus), 1
        for step in range(steps):
            hypotheses = rng.integers(1, beams + 1)
            tokens = rng.integers(0, heavy.config.vocabulary, (batch, hypotheses))
            parents, before = rng.integers(0, before, (batch, hypotheses)), hypotheses
            hidden = heavy.step(theirs, torch.from_numpy(tokens), torch.from_numpy(parents))
            expected = heavy.logits(hidden).numpy()
            found = light.logits(light.step(ours, tokens, parents))
            assert found.shape == expected.shape
            assert np.abs(found - expected).max() < CLOSE
            if step == steps // 2 and kept < batch:
                theirs.keep(torch.arange(batch - kept, batch))
                ours.keep(np.arange(batch - kept, batch))
                batch = kept


@settings(max_examples=drawn(25))
@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), min_size=1, max_size=4), st.data())
def test_it_agrees_with_torch_on_random_weights(tmp_path_factory: pytest.TempPathFactory, lengths, data) -> None:
    storage = data.draw(st.sampled_from(["fp32", "int8"]))
    reads = data.draw(st.sampled_from(list(FIELDS_READ)))
    # Not every field is read, and an example of nothing else is never searched.
    corpus = corpus_of(lengths)
    read = np.flatnonzero(corpus.source_lengths(reads) > 0)
    if not len(read):
        return
    corpus = corpus.take(read)
    heavy, light = pair(tmp_path_factory.mktemp("model"), storage, reads=reads)
    assert_steps_agree(heavy, light, corpus, data.draw(st.integers(1, 5)), 4, data.draw(st.integers(1, len(corpus))))


def test_it_agrees_over_more_steps_than_there_is_room_for_at_first(tmp_path: Path) -> None:
    heavy, light = pair(tmp_path)
    assert_steps_agree(heavy, light, corpus_of([[4, 2], [7]]), 3, 70, 2)


def test_it_agrees_on_the_shipped_weights() -> None:
    folder = model_folder(EMBEDDED)
    heavy, light = load_model(folder)[0], load_light(open_folder(folder))
    rng = np.random.default_rng(0)
    rows = [[rng.integers(9, heavy.config.vocabulary, n).tolist() for n in sizes] for sizes in ([30, 8, 12], [60, 5])]
    corpus = Corpus.of_examples(NumberedExample([(2 + i % 3, row) for i, row in enumerate(each)], [9]) for each in rows)
    assert_steps_agree(heavy, light, corpus, 10, 12, 1)


def test_sources_are_packed_as_for_torch() -> None:
    corpus = corpus_of([[3, 5, 2, 4], [1], [6, 6, 6]])
    for reads in FIELDS_READ:
        layout, examples = Layout(True, reads), np.array([2, 0, 1])
        theirs = Packer(corpus, layout, torch.device("cpu")).source(examples)
        ours = HostPacker(corpus, layout).source(examples)
        for name in ("tokens_S", "positions_S", "categories_S"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name).numpy())
        for name in ("examples", "propositions"):
            assert np.array_equal(getattr(ours, name).starts, getattr(theirs, name).starts.numpy())
            assert getattr(ours, name).longest == getattr(theirs, name).longest


@pytest.mark.parametrize("outputs", [1, 63, 64, 65, 200])
def test_blocks_are_the_matrix(outputs: int) -> None:
    rng = np.random.default_rng(0)
    weight, x = rng.standard_normal((outputs, 24), np.float32), rng.standard_normal((7, 24), np.float32)
    weights = Weights({"a.weight": weight})
    assert weights.blocks("a").weight_XDN.shape[2] == Blocks.WIDTH
    assert np.allclose(weights.blocks("a")(x), x @ weight.T, atol=1e-5)
    assert np.allclose(weights.matrix("a")(x), x @ weight.T, atol=1e-5)


@pytest.mark.parametrize("there", ["checksums", "shards"])
def test_a_folder_that_is_not_whole_is_refused(tmp_path: Path, there: str) -> None:
    pair(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    kept = {key: value for key, value in config.items() if key not in {"checksums", "shards"} - {there}}
    (tmp_path / "config.json").write_text(json.dumps(kept))
    load_light(open_folder(tmp_path))
    (shard,) = tmp_path.glob("*.safetensors")
    raw = bytearray(shard.read_bytes())
    raw[-1] ^= 1
    shard.write_bytes(raw)
    with pytest.raises(UserError, match="cut off or changed"):
        load_light(open_folder(tmp_path))


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    pair(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text()) | {"size": "small"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError, match="weights do not fit the configuration"):
        load_light(open_folder(tmp_path))


def test_other_kinds_and_styles_are_torchs(tmp_path: Path) -> None:
    for kind, style, storage, light in (
        ("hat", "modern", "int8", True),
        ("hat", "modern", "bf16", False),
        ("hat", "paper", "int8", False),
        ("transformer", "modern", "fp32", False),
    ):
        folder = tmp_path / f"{kind}-{style}-{storage}"
        folder.mkdir()
        write_model(
            build_model(ModelConfig(kind, len(VOCABULARY), "tiny", style)), About("", VOCABULARY, {}), folder, storage
        )  # type: ignore[arg-type]
        assert is_light(open_folder(folder)) == light
