"""Croissant metadata of an exported benchmark, with the vocabulary for responsible AI.

`mlcroissant validate --jsonld croissant.json` accepts it, and reads records of every split by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from isarstep.benchmark.export.card import BIBTEX, version_of
from isarstep.benchmark.rules.licences import sessions_by_licence
from isarstep.benchmark.store.canary import CANARY
from isarstep.common.files import sha256_of

PUBLISHED = "2026-11-15"  # when the current version of the rules first gave a benchmark

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "isLiveDataset": "cr:isLiveDataset",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "repeated": "cr:repeated",
    "sc": "https://schema.org/",
    "source": "cr:source",
}

_FIELDS = {  # name -> (description, is it a list?)
    "id": ("12 hex digits of the hash of theorem and F.1-F.5", False),
    "theorem": ("16 hex digits of the identity of the theorem's statements", False),
    "name": ("name of the theorem", False),
    "session": ("Isabelle session, which decides the licence", False),
    "step": ("theory, ordinal of the proof, ordinal of the command", False),
    "target_kind": ("step, assumption or compound", False),
    "f1": ("the hidden proposition", False),
    "f2": ("local facts used to justify F.1", True),
    "f3": ("the consequence", False),
    "f4": ("other facts used for the consequence", True),
    "f5": ("library lemmas used for F.1", True),
    "variables": ("variables of the example", True),
    "types": ("their types, in the same order", True),
    "canary": ("marks the record", False),
}

_RESPONSIBLE_AI: dict[str, Any] = {
    "rai:dataCollection": "Mined from published Isabelle theories by a program that watches Isabelle process them.",
    "rai:dataCollectionType": ["Secondary Data Analysis", "Software Collection"],
    "rai:dataCollectionMissingData": "Proofs that mining could not finish are left out and counted in the manifest.",
    "rai:dataCollectionRawData": "Isabelle's library and entries of the Archive of Formal Proofs.",
    "rai:dataPreprocessingProtocol": [
        "Variables are numbered, abbreviations folded; examples are filtered by length and split by theorem; "
        "docs/benchmark.md states every rule."
    ],
    "rai:dataAnnotationProtocol": ["None: the hidden proposition is what the author of the proof wrote."],
    "rai:machineAnnotationTools": ["Isabelle"],
    "rai:dataUseCases": ["Training and scoring of models that find intermediate propositions", "Selection of premises"],
    "rai:dataLimitations": [
        "A right step that is not the author's counts as wrong for exact match.",
        "The source is public: language models may have read the proofs before.",
        "Proofs without intermediate steps are absent.",
    ],
    "rai:dataBiases": ["Large entries and their authors' styles weigh more; topics are those of the Archive."],
    "rai:dataSocialImpact": "Formal mathematics and verified software; no data about people.",
    "rai:personalSensitiveInformation": ["None; names of theories and theorems may contain names of mathematicians."],
    "rai:dataReleaseMaintenancePlan": "Errata are collected as issues and corrected in the next version; see the card.",
}  # fmt: skip


def croissant(manifest: Mapping[str, Any], files: Sequence[Path], folder: Path, *, hints: bool) -> dict[str, Any]:
    """The JSON-LD document that describes exported splits in a folder, each a file named after its split."""
    fields = [name for name in _FIELDS if hints or name != "f5"]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": "isarstep",
        "description": f"The missing step of an Isabelle/HOL proof. Benchmark {manifest['hash'][:12]}. {CANARY}",
        "version": version_of(manifest),
        "license": list(sessions_by_licence(manifest.get("sessions", {}))) or ["unknown"],
        "creator": {"@type": "sc:Organization", "name": "the isarstep authors", "url": "https://arxiv.org/abs/2006.09265"},
        "url": "https://arxiv.org/abs/2006.09265",
        "citeAs": BIBTEX,
        "datePublished": PUBLISHED,
        "isLiveDataset": False,
        "keywords": ["Isabelle", "theorem proving", "mathematics", "reasoning"],
        **_RESPONSIBLE_AI,
        "distribution": [_file(path, folder) for path in files],
        "recordSet": [_records(path, fields) for path in files],
    }  # fmt: skip


def _file(path: Path, folder: Path) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": str(path.relative_to(folder)),
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": f"application/{'x-parquet' if path.suffix == '.parquet' else 'jsonlines'}",
        "sha256": sha256_of(path),
    }


def _records(path: Path, fields: Sequence[str]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": path.stem,
        "name": path.stem,
        "description": f"the examples of {path.stem}",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{path.stem}/{name}",
                "name": name,
                "description": _FIELDS[name][0],
                "dataType": "sc:Text",
                **({"repeated": True} if _FIELDS[name][1] else {}),
                "source": {"fileObject": {"@id": path.name}, "extract": {"column": name}},
            }
            for name in fields
        ],
    }
