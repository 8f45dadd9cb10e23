"""Each model's step-by-step path equals its packed one; HAT has the invariances that the paper claims."""

from dataclasses import replace

import pytest
import torch
from tests.model.data.segments import segments_of

from isarstep.benchmark.arrays.inputs import Segments, Source, Target
from isarstep.model.nets import ModelConfig, build_model
from isarstep.model.nets.base import Seq2Seq
from isarstep.model.nets.config import Kind, Style
from isarstep.model.nets.layers import drop, hashed_dropout
from isarstep.model.nets.rnnsearch import AdditiveAttention, RNNSearch

VOCABULARY = 50
VARIANTS: list[tuple[Kind, Style]] = [
    ("transformer", "paper"),
    ("transformer", "modern"),
    ("hat", "paper"),
    ("hat", "modern"),
    ("rnnsearch", "paper"),
    ("convs2s", "paper"),
]


def source_of(examples: list[list[tuple[int, list[int]]]], hierarchical: bool) -> Source:
    """Propositions (category, tokens) of each example, packed."""
    lengths = [sum(len(tokens) for _, tokens in example) for example in examples]
    each = [len(tokens) for example in examples for _, tokens in example]
    bounds = each if hierarchical else lengths
    return Source(
        torch.tensor([t for example in examples for _, tokens in example for t in tokens]),
        torch.cat([torch.arange(n) for n in bounds]),
        torch.tensor([c for example in examples for c, tokens in example for _ in tokens]),
        segments_of(lengths),
        segments_of(bounds),
    )


def target_of(rows: list[list[int]]) -> Target:
    lengths = [len(row) for row in rows]
    flat = torch.tensor([t for row in rows for t in row])
    return Target(flat, flat, torch.cat([torch.arange(n) for n in lengths]), segments_of(lengths))


def random_examples(seed: int, count: int) -> list[list[tuple[int, list[int]]]]:
    generator = torch.Generator().manual_seed(seed)

    def draw(low: int, high: int) -> int:
        return int(torch.randint(low, high, (1,), generator=generator))

    return [
        [(draw(0, 4), [draw(5, VOCABULARY) for _ in range(draw(1, 12))]) for _ in range(draw(1, 5))]
        for _ in range(count)
    ]


def model_of(kind: Kind, style: Style) -> Seq2Seq:
    torch.manual_seed(1)
    model = build_model(ModelConfig(kind, VOCABULARY, "tiny", style, dropout=0.1)).eval()
    with torch.no_grad():  # projections that start at zero would hide mistakes
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    return model


@pytest.mark.parametrize(("kind", "style"), VARIANTS)
@torch.no_grad()
def test_steps_agree_with_the_packed_pass_whatever_the_beam_does(kind: Kind, style: Style) -> None:
    """Hypotheses move between beams at random; every one must see its own past and nothing else."""
    model = model_of(kind, style)
    source = source_of(random_examples(2, 3), kind == "hat")
    beams, length = 4, 40
    generator = torch.Generator().manual_seed(3)
    state = model.start(source, beams)
    rows: list[list[list[int]]] = [[[] for _ in range(beams)] for _ in range(3)]
    for _ in range(length):
        tokens = torch.randint(5, VOCABULARY, (3, beams), generator=generator)
        parents = torch.randint(0, beams, (3, beams), generator=generator)
        rows = [[[*rows[b][int(parents[b, k])], int(tokens[b, k])] for k in range(beams)] for b in range(3)]
        hidden = model.step(state, tokens, parents)
    for k in range(beams):
        target = target_of([rows[b][k] for b in range(3)])
        last = model(source, target)[target.examples.starts[1:].long() - 1]
        torch.testing.assert_close(hidden[:, k], last, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("kind", "style"), VARIANTS)
@torch.no_grad()
def test_neighbours_in_a_batch_and_dropped_sentences_change_nothing(kind: Kind, style: Style) -> None:
    model = model_of(kind, style)
    examples = random_examples(4, 4)
    tokens, parents = torch.full((4, 2), 7), torch.zeros(4, 2, dtype=torch.long)
    together = model.start(source_of(examples, kind == "hat"), 2)
    model.step(together, tokens, parents)
    together.keep(torch.tensor([2]))
    alone = model.start(source_of(examples[2:3], kind == "hat"), 2)
    model.step(alone, tokens[:1], parents[:1])
    both = [model.step(state, tokens[:1] + 1, parents[:1]) for state in (together, alone)]
    torch.testing.assert_close(both[0], both[1], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("style", ["paper", "modern"])
@torch.no_grad()
def test_hat_with_one_proposition_and_no_category_is_the_transformer(style: Style) -> None:
    hat, transformer = model_of("hat", style), model_of("transformer", style)
    weights = dict(hat.state_dict())
    weights.pop("categories")
    transformer.load_state_dict(weights)
    hat.categories.zero_()  # type: ignore[operator]
    examples = [example[:1] for example in random_examples(5, 3)]
    torch.testing.assert_close(
        hat.encode(source_of(examples, True)), transformer.encode(source_of(examples, False)), atol=1e-6, rtol=1e-6
    )


@pytest.mark.parametrize("style", ["paper", "modern"])
@torch.no_grad()
def test_hat_does_not_see_the_order_of_propositions(style: Style) -> None:
    hat = model_of("hat", style)
    examples = random_examples(6, 3)
    target = target_of([[6, 7, 8], [9], [10, 11]])
    forward = hat.logits(hat(source_of(examples, True), target)).log_softmax(-1)
    backward = hat.logits(hat(source_of([e[::-1] for e in examples], True), target)).log_softmax(-1)
    torch.testing.assert_close(forward, backward, atol=1e-5, rtol=0)


@torch.no_grad()
def test_hat_sees_categories_and_proposition_bounds() -> None:
    hat = model_of("hat", "paper")
    plain = hat.encode(source_of([[(0, [5, 6]), (1, [7, 8])]], True))
    assert (plain - hat.encode(source_of([[(1, [5, 6]), (0, [7, 8])]], True))).abs().max() > 1e-2
    assert (plain - hat.encode(source_of([[(0, [5, 6, 7]), (1, [8])]], True))).abs().max() > 1e-2


def test_hat_has_no_parameters_beyond_the_transformer_but_the_category_table() -> None:
    config = ModelConfig("hat", 1000, "base")
    hat = {name: p.shape for name, p in build_model(config).named_parameters()}
    transformer = {name: p.shape for name, p in build_model(replace(config, kind="transformer")).named_parameters()}
    assert hat.pop("categories") == (4, 512)
    assert hat == transformer


def test_the_base_transformer_has_the_papers_size() -> None:
    model = build_model(ModelConfig("transformer", 29759, "base"))
    count = sum(p.numel() for p in model.parameters())
    assert count == 29759 * 512 + 6 * (3_152_384 + 4_204_032)  # one shared table; layers as in Vaswani et al.


@pytest.mark.parametrize("kind", ["transformer", "hat", "rnnsearch", "convs2s"])
def test_every_parameter_learns(kind: Kind) -> None:
    torch.manual_seed(0)
    model = build_model(ModelConfig(kind, VOCABULARY, "tiny", dropout=0.0))
    examples = random_examples(7, 8)
    target = target_of([[6, 7, 8, 9, 10]] * 8)
    model.logits(model(source_of(examples, kind == "hat"), target)).logsumexp(-1).sum().backward()
    assert [name for name, p in model.named_parameters() if p.grad is None or p.grad.abs().max() == 0] == []


def test_hashed_dropout_keeps_its_share_everywhere_and_scales_the_rest() -> None:
    x = torch.ones(1000, 512, requires_grad=True)
    seeds = torch.tensor([[12345, -999], [777, 4242]], dtype=torch.int32)
    one, other = (hashed_dropout(x, 0.1, pair) for pair in seeds)
    kept, kept_other = one != 0, other != 0
    assert kept.float().mean() == pytest.approx(0.9, abs=2e-3)
    # Neither rows nor columns nor another seed's choice tell what is kept.
    assert kept.float().mean(1).std() == pytest.approx((0.09 / 512) ** 0.5, rel=0.15)
    assert kept.float().mean(0).std() == pytest.approx((0.09 / 1000) ** 0.5, rel=0.15)
    assert (kept & kept_other).float().mean() == pytest.approx(0.81, abs=3e-3)
    assert torch.equal(one[kept], torch.full_like(one[kept], 1 / 0.9))
    (gradient,) = torch.autograd.grad(one.sum(), x)
    assert torch.equal(gradient != 0, kept)


def test_hats_first_layers_stay_inside_a_proposition_and_the_rest_look_at_all() -> None:
    model = model_of("hat", "paper")
    source = source_of(random_examples(4, 2), hierarchical=True)
    seen: list[Segments] = []
    for layer in model.encoder:  # type: ignore[union-attr]
        layer.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[1]))
    model.start(source, 1)
    size = model.config.dimensions
    assert (size.local_layers, size.encoder_layers) == (2, 3)
    assert all(
        found is wanted for found, wanted in zip(seen, [source.propositions] * 2 + [source.examples], strict=True)
    )


@pytest.mark.parametrize(("kind", "style"), VARIANTS)
def test_a_model_drops_while_it_trains_and_only_then(kind: Kind, style: Style) -> None:
    model = model_of(kind, style)
    source, target = source_of(random_examples(5, 2), kind == "hat"), target_of([[5, 6, 7], [8]])

    def outputs(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        hidden: torch.Tensor = model(source, target)
        return hidden.detach()

    assert torch.equal(outputs(1), outputs(2))
    model.train()
    assert not torch.allclose(outputs(1), outputs(2))
    assert torch.equal(outputs(1), outputs(1))


def test_a_share_is_dropped_and_the_rest_makes_up_for_it() -> None:
    torch.manual_seed(0)
    x = torch.ones(100_000)
    dropped = drop(x, 0.3, training=True)
    kept = dropped != 0
    assert 0.29 < 1 - kept.float().mean() < 0.31
    assert torch.allclose(dropped[kept], torch.tensor(1 / 0.7))
    assert drop(x, 0.3, training=False) is x


@pytest.mark.parametrize(("style", "smaller"), [("paper", 2**-0.5), ("modern", 1.0)])
def test_queries_keys_and_values_of_the_paper_begin_smaller(style: Style, smaller: float) -> None:
    model = build_model(ModelConfig("transformer", VOCABULARY, "small", style))
    glorot = (6 / (384 + 384)) ** 0.5  # a uniform distribution's largest value
    for name in ("attention.queries_keys_values", "cross.queries", "cross.keys_values"):
        weight = model.get_parameter(f"decoder.0.{name}.weight")
        assert float(weight.abs().max().detach()) == pytest.approx(smaller * glorot, rel=1e-3)


def test_rnnsearch_reads_each_sentence_as_if_alone_and_learns_from_all() -> None:
    model = model_of("rnnsearch", "paper")
    assert isinstance(model, RNNSearch)
    examples = random_examples(8, 5)

    def alone(example: list[tuple[int, list[int]]]) -> torch.Tensor:
        tokens = torch.tensor([t for _, row in example for t in row])
        return model.join_directions(model.encoder(model.embedding(tokens)[None])[0][0])

    def gradient(rows: torch.Tensor) -> torch.Tensor:
        (table,) = torch.autograd.grad(rows.square().sum(), model.token_table)
        return table

    together, one_by_one = model.encode(source_of(examples, False)), torch.cat([alone(row) for row in examples])
    torch.testing.assert_close(together, one_by_one, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(gradient(together), gradient(one_by_one), atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_additive_attention_is_the_formula() -> None:
    attention = AdditiveAttention(8)
    query, keys = torch.randn(2, 3, 8), torch.randn(2, 5, 8)
    formula = torch.tanh(query[:, :, None] + keys[:, None]) @ attention.weight
    torch.testing.assert_close(attention.scores(query, keys), formula)
