"""How much do tokens tell about types? Mined propositions against what inference makes of their tokens alone.

    python research/benchmarks/retyping.py GRAPHS [--every 10]

Takes every n-th proof of all graphs in the folder. Each of its facts is typed again from its tokens with the signature
of the mined theories: alone; together with the other facts of its proof, which share their variables; and alone, but
with the recorded types of its variables. Types are compared up to the names of type variables. Prints a table; the last
line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import Context, infer, well_formed
from isarstep.isabelle.process.proof_graph import Proof, read_graph
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import Abs, Const, Free, Term, TFree, TVar, Typ, Type, Var, subterms
from isarstep.isabelle.terms.tokens import decode, encode_line

# From best to worst, in the order in which the table shows them.
EQUAL = "equal"
SORTS = "equal but for sorts"
GENERAL = "more general"
OTHER = "other"
UNKNOWN = "constant not in the signature"
ILL_TYPED = "ill-typed"
KINDS = (EQUAL, SORTS, GENERAL, OTHER, UNKNOWN, ILL_TYPED)


def types_in(term: Term) -> Iterator[Typ]:
    """The types of constants, variables and abstractions, in order."""
    for node in subterms(term):
        if isinstance(node, Const | Free | Var | Abs):
            assert node.type is not None
            yield node.type


def compare(inferred: Term, mined: Term) -> str:
    """How the types of two terms with the same tokens relate."""
    images: dict[TFree | TVar, Typ] = {}
    todo: list[tuple[Typ, Typ]] = list(zip(types_in(inferred), types_in(mined), strict=True))
    while todo:
        general, special = todo.pop()
        if isinstance(general, Type):
            if not isinstance(special, Type) or special.name != general.name:
                return OTHER
            todo += zip(general.args, special.args, strict=True)
        elif images.setdefault(general, special) != special:
            return OTHER
    if any(isinstance(image, Type) for image in images.values()) or len(set(images.values())) < len(images):
        return GENERAL
    pairs = ((variable.sort, image.sort) for variable, image in images.items() if not isinstance(image, Type))
    same = all(set(sort) == set(other) for sort, other in pairs)
    return EQUAL if same else SORTS


def judge_alone(prop: Term, signature: Signature, context: Context | None = None) -> str:
    judgement = well_formed(encode_line(prop), signature, context)
    if judgement.term is None:
        return UNKNOWN if "is not in the signature" in (judgement.reason or "") else ILL_TYPED
    return compare(judgement.term, prop)


def judge_together(props: Sequence[Term], signature: Signature) -> list[str]:
    try:
        typing = infer([decode(encode_line(prop)) for prop in props], signature)
    except UserError as error:
        return [UNKNOWN if "is not in the signature" in str(error) else ILL_TYPED] * len(props)
    return [compare(again, prop) for again, prop in zip(typing.propositions, props, strict=True)]


def gather(folder: Path, every: int) -> tuple[list[Proof], Signature, int]:
    """The facts of every n-th proof, the signature of all theories, and the number of theories."""
    proofs: list[Proof] = []
    constants: dict[str, Constant] = {}
    types: dict[str, int] = {}
    classes: dict[str, tuple[str, ...]] = {}
    arities: dict[tuple[str, str], tuple[tuple[str, ...], ...]] = {}
    seen = theories = 0
    for path in sorted(folder.rglob("*.jsonl.zst")):
        graph = read_graph(path)
        theories += 1
        for constant in graph.signature.constants:
            constants.setdefault(constant.name, Constant(constant.name, constant.type, constant.abbreviates))
        types.update(graph.signature.types)
        for name, above in graph.signature.classes:
            classes[name] = tuple(sorted({*classes.get(name, ()), *above}))
        arities.update({(constructor, name): tuple(sorts) for constructor, name, sorts in graph.signature.arities})
        for proof in graph.proofs:
            seen += 1
            if seen % every == 0 and proof.facts:
                proofs.append(proof)
    signature = Signature.build(
        constants.values(),
        types.items(),
        classes.items(),
        ((constructor, name, sorts) for (constructor, name), sorts in arities.items()),
    )
    return proofs, signature, theories


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", type=Path)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--show", type=int, default=0, help="print so many propositions of each kind but the first")
    options = parser.parse_args()
    proofs, signature, theories = gather(options.graphs, options.every)
    ways = ("alone", "in proof", "variables known")
    counts: dict[str, Counter[str]] = {way: Counter() for way in ways}
    shown: Counter[tuple[str, str]] = Counter()
    for proof in proofs:
        props = [fact.prop for fact in proof.facts]
        context = {variable.name: variable.type for variable in proof.variables}
        alone = [judge_alone(prop, signature) for prop in props]
        known = [judge_alone(prop, signature, context) for prop in props]
        for way, kinds in zip(ways, (alone, judge_together(props, signature), known), strict=True):
            counts[way].update(kinds)
            for kind, prop in zip(kinds, props, strict=True):
                if kind != EQUAL and shown[way, kind] < options.show:
                    shown[way, kind] += 1
                    print(f"{way}, {kind}: {encode_line(prop)}")
    total = sum(counts["alone"].values())
    print(f"{total:,} propositions of {len(proofs):,} proofs, signature of {theories:,} theories")
    print(f"{'types inferred from tokens':32}" + "".join(f"{way:>16}" for way in ways))
    for kind in KINDS:
        print(f"{kind:32}" + "".join(f"{counts[way][kind] / total:16.2%}" for way in ways))
    result = {"propositions": total, "proofs": len(proofs), "theories": theories, "every": options.every}
    shares = {way: {kind: counts[way][kind] / total for kind in KINDS} for way in ways}
    print(json.dumps(result | shares))


if __name__ == "__main__":
    main()
