"""A benchmark folder with a few examples written by hand and a fact base, made with the bench room's own writer."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from tests.prover.derivations import FACTS
from tests.prover.language import SIGNATURE, lemma, read, read_type

from isarstep.benchmark.building.write import Content, write_benchmark
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import variables_of
from isarstep.benchmark.store.schemas import EXAMPLE_SCHEMA, FACT_SCHEMA
from isarstep.isabelle.context.fact_table import occurrences, shows_its_type
from isarstep.isabelle.terms.normal_names import normalise, variable_order
from isarstep.isabelle.terms.terms import Const, erase
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.isabelle.terms.type_text import format_type

# f1, f2, f3, f4, types in the order of the variables' first occurrence over F.2, F.3, F.4, F.1
STEPS = [
    ("(< x 2)", ["(< x 1)"], "(< x 3)", ["(= y 0)"], {"x": "nat", "y": "nat"}),
    ("(in x A)", ["(in x (inf A B))"], "(in x (sup A C))", [], {"x": "nat"}),
    ("(= (rev (rev xs)) xs)", [], "(= (append (rev (rev xs)) ys) (append xs ys))", [], {"xs": "(list nat)", "ys": "(list nat)"}),
    ("(<= x y)", ["(~ (<= y x))"], "(= (max x y) y)", ["(--> (<= x y) (= (max x y) y))"],
     {"x": "('a :: Orderings.linorder)", "y": "('a :: Orderings.linorder)"}),
    ("(P x)", ["(Q x)"], "(R x)", [], {"x": "nat"}),
]  # fmt: skip


def examples() -> list[Example]:
    made = []
    for number, (f1, f2, f3, f4, types) in enumerate(STEPS):
        terms = {"f1": [read(f1)], "f2": [read(t) for t in f2], "f3": [read(f3)], "f4": [read(t) for t in f4]}
        order = variable_order([*terms["f2"], *terms["f3"], *terms["f4"], *terms["f1"]])
        lines = {k: tuple(encode_line(normalise(t, order)) for t in v) for k, v in terms.items()}
        known = {f"<X{order.index(name)}>": format_type(read_type(typ)) for name, typ in types.items() if name in order}
        made.append(
            Example(
                id=f"{number:012x}", f1=lines["f1"][0], f2=lines["f2"], f3=lines["f3"][0], f4=lines["f4"], f5=(),
                target_kind="step" if f2 else "assumption", types=known, theorem=f"{number:016x}", name=f"T.thm{number}",
                session="S", theory="S.Late",
            )
        )  # fmt: skip
    return made


def write_small_benchmark(folder: Path) -> list[Example]:
    propositions: dict[str, int] = {}
    types: dict[str, int] = {}
    rows = []
    made = examples()
    for example in made:
        used = sorted({v for t in (example.f1, *example.f2, example.f3 or "", *example.f4) for v in variables_of(t)})
        recorded = all(f"<X{v}>" in example.types for v in used)
        rows.append(
            {
                **{name: getattr(example, name, None) for name in EXAMPLE_SCHEMA.names if name != "copies"},
                **{f: propositions.setdefault(getattr(example, f), len(propositions)) for f in ("f1", "f3")},
                **{
                    f: [propositions.setdefault(t, len(propositions)) for t in getattr(example, f)]
                    for f in ("f2", "f4", "f5")
                },
                "types": [types.setdefault(example.types[f"<X{v}>"], len(types)) for v in used] if recorded else [],
                "copies": 1,
            }
        )
    facts = []
    for name, (text, given) in FACTS.items():
        prop = normalise(lemma(name, text, given).prop, [])
        slots = [
            types.setdefault(format_type(node.type), len(types))
            for node, arguments in occurrences(prop)
            if type(node) is not Const or not shows_its_type(SIGNATURE.constants[node.name].type, arguments)
        ]
        number = propositions.setdefault(encode_line(erase(prop)), len(propositions))
        facts.append({"theory": "S.Early", "name": name, "index": 0, "proposition": number, "types": slots})
    last = {
        "theory": "S.Late",
        "name": "T.last",
        "index": 0,
        "proposition": facts[0]["proposition"],
        "types": facts[0]["types"],
    }
    write_benchmark(
        folder,
        Content(
            {"test": pa.Table.from_pylist(rows, EXAMPLE_SCHEMA)},
            pa.chunked_array([pa.array(list(propositions), pa.large_string())]),
            list(types),
            facts=pa.Table.from_pylist([*facts, last], FACT_SCHEMA),
            signature=SIGNATURE.to_json(),
        ),
    )
    return made
