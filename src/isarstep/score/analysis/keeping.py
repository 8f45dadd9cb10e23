"""What a run leaves beside its model, so that reports can be made again without the weights.

N-best lists of the held-out splits for both of the paper's beams, the token table, the answers to the probes
and the attention while answering the paper's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from isarstep.benchmark.arrays.corpus import Dataset
from isarstep.common.progress import Watched
from isarstep.model.decode.hypotheses import NARROW, WIDE, SearchRules
from isarstep.model.decode.predict import Predictor, meta_of
from isarstep.model.decode.predictions import write_predictions
from isarstep.model.decode.ranking import COMPARED_ORDER
from isarstep.model.nets.transformer import Transformer
from isarstep.score.analysis.attention_maps import record_attention, save_maps
from isarstep.score.analysis.embeddings import embeddings_of, save_embeddings
from isarstep.score.analysis.probes import probes, write_answers

SPLITS = ("validation", "test", "unseen", "fresh", "unseen2", "fresh2")


def keep_views(folder: Path, device: str | None = None) -> list[Path]:
    """Token table, answers to the probes and attention; the files that were written."""
    predictor = Predictor(folder, device)
    asked = probes()
    answers = predictor.nbest([probe.example for probe in asked], SearchRules(beam=WIDE))
    written = [folder / "probes.jsonl", folder / "embeddings.safetensors"]
    write_answers(written[0], asked, answers)
    # A GPU answers at half precision; what is looked at closely comes from the weights as they were stored.
    model = predictor.torch_model
    written[1].unlink(missing_ok=True)  # or it would be read instead of the weights
    known = embeddings_of(folder)
    assert known is not None
    save_embeddings(known, written[1])
    if isinstance(model, Transformer):
        maps = [
            record_attention(model, predictor.vocabulary, probe.example, nbest[0][0] if nbest else probe.answers[0])
            for probe, nbest in zip(asked, answers, strict=True)
            if probe.about == "paper"
        ]
        written.append(folder / "attention.safetensors")
        save_maps(maps, written[-1])
    return written


def keep_predictions(
    folder: Path,
    dataset: Dataset,
    device: str | None = None,
    splits: Sequence[str] = SPLITS,
    into: Path | None = None,
) -> list[Path]:
    """The n-best lists that are not yet there (beside the model unless another folder is given); what was written."""
    into = into or folder / "predictions"
    wanted = [(split, beam) for split in splits if split in dataset.splits for beam in (NARROW, WIDE)]
    missing = [(s, b) for s, b in wanted if not (into / f"{s}.beam{b}.jsonl").is_file()]
    if not missing:
        return []
    predictor = Predictor(folder, device)
    written = []
    for split, beam in missing:
        corpus, rules = predictor.split(dataset, split), SearchRules(beam)
        path = into / f"{split}.beam{beam}.jsonl"
        with Watched(f"{split}, beam {beam}", len(corpus)) as watched:
            lines = predictor.lines(corpus, rules, on_progress=watched.advance, order=COMPARED_ORDER)
            write_predictions(path, lines, meta_of(predictor, dataset.benchmark, split, rules, "none", COMPARED_ORDER))
        written.append(path)
    return written
