"""The paper's Transformer in the layouts of its peers, Hugging Face's Marian and CTranslate2, to compare with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from isarstep.common.errors import UserError
from isarstep.model.nets.base import Seq2Seq
from isarstep.model.nets.config import ModelConfig
from isarstep.model.nets.layers import sinusoids

PAD, BOS, EOS, UNK = range(4)  # as in every vocabulary of ours
PLACES = 2048


def marian_config(config: ModelConfig) -> Any:
    """Marian's configuration for the same architecture."""
    if config.kind != "transformer" or config.style != "paper":
        raise UserError(f"only the paper's Transformer has Marian's layers, not {config.kind} in style {config.style}")
    from transformers import MarianConfig

    size = config.dimensions
    return MarianConfig(
        vocab_size=config.vocabulary,
        d_model=size.width,
        encoder_layers=size.encoder_layers,
        decoder_layers=size.decoder_layers,
        encoder_ffn_dim=size.filter,
        decoder_ffn_dim=size.filter,
        encoder_attention_heads=size.heads,
        decoder_attention_heads=size.heads,
        activation_function="relu",
        dropout=config.dropout,
        scale_embedding=True,
        max_position_embeddings=PLACES,
        pad_token_id=PAD,
        eos_token_id=EOS,
        bos_token_id=BOS,
        decoder_start_token_id=BOS,
        forced_eos_token_id=None,
    )


def to_marian(model: Seq2Seq) -> Any:
    """A `MarianMTModel` that computes the same function."""
    config = marian_config(model.config)  # refuses what has no counterpart, before the peer is needed
    from transformers import MarianMTModel

    theirs: Any = MarianMTModel(config)
    theirs.eval()
    places = sinusoids(torch.arange(PLACES), model.config.dimensions.width)
    renamed = marian_weights(model.state_dict())
    # Position tables and the projection's zero bias are Marian's own; the output shares the token table.
    renamed |= {
        "model.encoder.embed_positions.weight": places,
        "model.decoder.embed_positions.weight": places,
        "final_logits_bias": torch.zeros(1, model.config.vocabulary),
    }
    missing, unexpected = theirs.load_state_dict(renamed, strict=False)
    tied = {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight"}
    assert not unexpected, unexpected
    assert set(missing) <= tied, missing
    theirs.tie_weights()
    return theirs


def marian_weights(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    renamed: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if name == "embedding.weight":
            renamed["model.shared.weight"] = tensor
            continue
        part, layer, block, *rest = name.split(".")
        prefix = f"model.{part}.layers.{layer}"
        kind = rest[-1]  # weight or bias
        if block.endswith("_residual"):
            norm = {
                "attention_residual": "self_attn_layer_norm",
                "cross_residual": "encoder_attn_layer_norm",
                "feed_forward_residual": "final_layer_norm",
            }[block]
            renamed[f"{prefix}.{norm}.{kind}"] = tensor
        elif block == "feed_forward":
            renamed[f"{prefix}.{'fc1' if rest[0] == 'inner' else 'fc2'}.{kind}"] = tensor
        else:
            attention = "self_attn" if block == "attention" else "encoder_attn"
            names = {
                "queries_keys_values": ("q_proj", "k_proj", "v_proj"),
                "queries": ("q_proj",),
                "keys_values": ("k_proj", "v_proj"),
                "out": ("out_proj",),
            }[rest[0]]
            for target, piece in zip(names, tensor.chunk(len(names)), strict=True):
                renamed[f"{prefix}.{attention}.{target}.{kind}"] = piece
    return renamed


def to_ctranslate2(model: Seq2Seq, vocabulary: tuple[str, ...], folder: Path) -> None:
    """A CTranslate2 model folder with the same weights in fp32."""
    import numpy as np
    from ctranslate2.specs import TransformerSpec, common_spec

    marian_config(model.config)  # refuses what has no counterpart
    size = model.config.dimensions
    spec = TransformerSpec.from_config(
        (size.encoder_layers, size.decoder_layers),
        size.heads,
        pre_norm=False,
        activation=common_spec.Activation.RELU,
    )
    weights = {name: tensor.float().numpy() for name, tensor in model.state_dict().items()}
    places = sinusoids(torch.arange(PLACES), size.width).numpy()

    def linear(target: Any, name: str) -> None:
        target.weight, target.bias = weights[f"{name}.weight"], weights[f"{name}.bias"]

    def norm(target: Any, name: str) -> None:
        target.gamma, target.beta = weights[f"{name}.norm.weight"], weights[f"{name}.norm.bias"]

    for part, stack in (("encoder", spec.encoder), ("decoder", spec.decoder)):
        tables = stack.embeddings if isinstance(stack.embeddings, list) else [stack.embeddings]
        tables[0].weight = weights["embedding.weight"]
        stack.scale_embeddings = True
        stack.position_encodings.encodings = places
        for number, layer in enumerate(stack.layer):
            here = f"{part}.{number}"
            linear(layer.self_attention.linear[0], f"{here}.attention.queries_keys_values")
            linear(layer.self_attention.linear[1], f"{here}.attention.out")
            norm(layer.self_attention.layer_norm, f"{here}.attention_residual")
            if part == "decoder":
                linear(layer.attention.linear[0], f"{here}.cross.queries")
                linear(layer.attention.linear[1], f"{here}.cross.keys_values")
                linear(layer.attention.linear[2], f"{here}.cross.out")
                norm(layer.attention.layer_norm, f"{here}.cross_residual")
            linear(layer.ffn.linear_0, f"{here}.feed_forward.inner")
            linear(layer.ffn.linear_1, f"{here}.feed_forward.outer")
            norm(layer.ffn.layer_norm, f"{here}.feed_forward_residual")
    spec.decoder.projection.weight = weights["embedding.weight"]
    spec.decoder.projection.bias = np.zeros(len(vocabulary), np.float32)
    spec.register_source_vocabulary(list(vocabulary))
    spec.register_target_vocabulary(list(vocabulary))
    spec.config.add_source_bos = spec.config.add_source_eos = False
    spec.config.bos_token, spec.config.eos_token = vocabulary[BOS], vocabulary[EOS]
    spec.config.unk_token, spec.config.decoder_start_token = vocabulary[UNK], vocabulary[BOS]
    spec.validate()
    spec.optimize()
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
