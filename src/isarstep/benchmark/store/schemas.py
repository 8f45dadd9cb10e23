"""The columns of a benchmark's tables; docs/benchmark.md describes the same for people with other tools."""

from __future__ import annotations

import pyarrow as pa

_NUMBERS = pa.list_(pa.int32())

# One row an example. Propositions and types are numbers of rows in propositions.parquet and types.parquet.
EXAMPLE_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("theorem", pa.string()),  # 16 hex digits of the identity of its statements
        ("name", pa.string()),
        ("session", pa.string()),
        ("theory", pa.string()),
        ("proof", pa.int32()),  # ordinal of the proof in its theory
        ("proof_row", pa.int32()),  # of proofs.parquet; null where proofs are not known
        ("target_step", pa.int32()),  # ordinals of the commands in the proof
        ("consequence_step", pa.int32()),
        ("target_command", pa.string()),
        ("consequence_command", pa.string()),
        ("target_kind", pa.string()),
        ("mark", pa.string()),  # why it teaches nothing (isarstep.benchmark.rules.marks); empty: it may
        ("fixed", pa.int32()),  # how many variables are fixed at the consequence: <X0> to <X(n-1)>; -1: not known
        ("f1", pa.int32()),
        ("f2", _NUMBERS),
        ("f3", pa.int32()),  # null where nothing follows from the target (kept on request only)
        ("f4", _NUMBERS),
        ("f5", _NUMBERS),
        ("types", _NUMBERS),  # of <X..> in the order of their numbers: those that are fixed or occur in F.1-F.5
        ("variables", _NUMBERS),  # of the same <X..>: which of the proof's variables each is
        ("introduced", _NUMBERS),  # numbers of the <X..> that the target's own step introduces
        ("introduced_after", _NUMBERS),  # those that the consequence's step introduces
        ("copies", pa.int32()),  # how often the same example was found
    ]
)

# One row a proof with examples. Propositions are written with its variables in the order in which they are introduced.
PROOF_SCHEMA = pa.schema(
    [
        ("theory", pa.string()),
        ("proof", pa.int32()),
        ("locale", pa.string()),  # the locale or class it stands in; empty: none
        ("names", pa.list_(pa.string())),  # that the text gives to the variables
        ("types", _NUMBERS),
        ("statement", _NUMBERS),  # of the theorem
        ("facts", _NUMBERS),  # in the order in which they are established
        ("first", _NUMBERS),  # of each fact: the first step at which it can be used
        ("last", _NUMBERS),  # and the last
    ]
)

FACT_SCHEMA = pa.schema(
    [
        ("theory", pa.string()),  # theories in an order in which each follows its parents
        ("name", pa.string()),
        ("index", pa.int32()),
        ("proposition", pa.int32()),
        ("types", _NUMBERS),  # see isarstep.isabelle.context.fact_table
    ]
)

# Which facts of the fact base the lemmas of F.4 and F.5 are.
LEMMA_SCHEMA = pa.schema([("proposition", pa.int32()), ("fact", pa.int32())])

# What theories declare about facts: simp, intro, cong, ...
RULE_SCHEMA = pa.schema(
    [
        ("theory", pa.string()),
        ("kind", pa.string()),
        ("fact", pa.int32()),  # null where the fact base does not have it
        ("proposition", pa.int32()),  # as the prover uses it; null where that is the fact itself
        ("types", _NUMBERS),  # of the proposition, as in the fact base
    ]
)
