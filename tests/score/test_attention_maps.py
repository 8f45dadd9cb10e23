"""Recorded attention is what the model computes, for the Transformer and for HAT's local and global layers."""

from pathlib import Path

import numpy as np
import pytest
import torch

from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.common.errors import UserError
from isarstep.model.nets import ModelConfig, build_model
from isarstep.model.nets.config import Kind
from isarstep.score.analysis.attention_maps import load_maps, record_attention, save_maps
from isarstep.score.analysis.probes import probes
from isarstep.score.report.pictures import attention_data, attention_html, attention_svg

EXAMPLE = next(probe.example for probe in probes() if probe.name == "member-subset")
VOCABULARY = [*SPECIALS, *sorted({token for _, text in EXAMPLE.source() for token in text.split()})]


@pytest.mark.parametrize("kind", ["transformer", "hat"])
def test_rows_are_distributions_over_what_may_be_seen(kind: Kind, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = build_model(ModelConfig(kind, len(VOCABULARY), "tiny"))
    maps = record_attention(model, VOCABULARY, EXAMPLE, EXAMPLE.f1)
    size = model.config.dimensions
    assert (len(maps.encoder), len(maps.cross)) == (size.encoder_layers, size.decoder_layers)
    assert maps.written[-1] == "<EOS>"
    for layer in (*maps.encoder, *maps.cross):
        assert layer.shape[0] == size.heads
        np.testing.assert_allclose(layer.sum(-1), 1, atol=1e-5)
    first = EXAMPLE.f3 or ""
    border = first.count(" ") + 1
    if kind == "hat":
        # A local layer never looks into another proposition; a global one does.
        assert not maps.encoder[0][:, :border, border:].any()
        assert maps.encoder[-1][:, :border, border:].all()
        assert maps.source[:border] == tuple(first.split())
    else:
        assert maps.source[0] == "<F3>"
        assert maps.encoder[0].all()
    save_maps([maps], tmp_path / "a.safetensors")
    again = load_maps(tmp_path / "a.safetensors")[0]
    assert (again.source, again.fields, again.written) == (maps.source, maps.fields, maps.written)
    np.testing.assert_allclose(again.encoder[1], maps.encoder[1], atol=1e-3)
    assert attention_data([again])[0]["heads"] == size.heads
    assert "member-subset" in attention_html([again], "title")
    assert "<svg" in attention_svg(again)


def test_attention_weights_reproduce_the_layer_s_output() -> None:
    torch.manual_seed(1)
    model = build_model(ModelConfig("transformer", len(VOCABULARY), "tiny")).eval()
    seen = {}
    layer = model.encoder[0].attention
    layer.register_forward_hook(lambda module, inputs, output: seen.update(x=inputs[0], turn=inputs[2], out=output))
    maps = record_attention(model, VOCABULARY, EXAMPLE, EXAMPLE.f1)
    with torch.inference_mode():
        _, _, values = layer.project(seen["x"], seen["turn"]).unbind(1)
        mixed = torch.einsum("hqk,khc->qhc", torch.from_numpy(maps.encoder[0]), values).flatten(-2)
        torch.testing.assert_close(layer.out(mixed), seen["out"], atol=1e-5, rtol=1e-4)


def test_models_without_such_layers_are_refused() -> None:
    with pytest.raises(UserError, match="transformer and hat"):
        record_attention(
            build_model(ModelConfig("rnnsearch", len(VOCABULARY), "tiny")), VOCABULARY, EXAMPLE, EXAMPLE.f1
        )


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(b"no")
    with pytest.raises(UserError, match="not attention maps"):
        load_maps(tmp_path / "a.safetensors")
