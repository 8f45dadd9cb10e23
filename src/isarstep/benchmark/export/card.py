"""The card of a benchmark: what it is made of, what it is for and not for, as a README that data hubs understand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from isarstep.benchmark.rules.licences import sessions_by_licence
from isarstep.benchmark.store.canary import CANARY

BIBTEX = """@inproceedings{li2021isarstep,
  title     = {{IsarStep}: a Benchmark for High-level Mathematical Reasoning},
  author    = {Wenda Li and Lei Yu and Yuhuai Wu and Lawrence C. Paulson},
  booktitle = {International Conference on Learning Representations},
  year      = {2021},
  url       = {https://arxiv.org/abs/2006.09265}
}"""

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def version_of(manifest: Mapping[str, Any]) -> str:
    """`2.1.0`: see the card on what changes which number."""
    return ".".join([*str(manifest.get("version", 1)).split("."), "0", "0"][:3])


def card(manifest: Mapping[str, Any], files: Sequence[Path], folder: Path) -> str:
    """The card as Markdown; `files` are the exported splits in the folder, each named after its split."""
    total = sum(manifest["examples"].values())
    sessions = manifest.get("sessions", {})
    licences = [f"**{licence}**: {', '.join(names)}." for licence, names in sessions_by_licence(sessions).items()]
    text = (Path(__file__).parent / "card.md").read_text(encoding="utf-8")
    filling = {
        "size": next((word for limit, word in _SIZES if total < limit), "n>1M"),
        "data_files": "\n".join(f"  - split: {path.stem}\n    path: {path.relative_to(folder)}" for path in files),
        "version": version_of(manifest),
        "hash": manifest["hash"][:12],
        "canary": CANARY,
        "splits": "\n".join(f"| {name} | {count:,} |" for name, count in manifest["examples"].items()),
        "propositions": f"{manifest['propositions']:,}",
        "vocabulary": f"{manifest['vocabulary']:,}",
        "facts": f"{manifest['facts']:,}",
        "sessions": str(len(sessions)),
        "isabelle": ", ".join(manifest.get("isabelle", ())) or "a release of others",
        "licences": "\n\n".join(licences) or "Not recorded: imported from a release of others.",
        "bibtex": BIBTEX,
    }
    for name, value in filling.items():
        text = text.replace("{" + name + "}", value)
    return text
