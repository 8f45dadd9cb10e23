"""Sessions and entries: what is one piece of work of one author, and what rests on what.

An entry of the AFP is mostly one session of its name; a few have several. Sessions of the distribution are no entries.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

_DISTRIBUTION = re.compile(r"(Pure|HOL|HOLCF|FOL|FOLP|ZF|CCL|CTT|Cube|LCF|Sequents|IOA)(-.*)?")

# Entries with sessions of other names.
_PARTS = {
    "AutoCorres2": "AutoCorres2_Main AutoCorres2_Test",
    "CAVA_Automata": "CAVA_Base",
    "CAVA_LTL_Modelchecker": "SM_Base SM CAVA_Setup",
    "CakeML": "LEM",
    "Collections": "Collections_Examples",
    "Containers": "Containers-Benchmarks",
    "Flyspeck-Tame": "Flyspeck-Tame-Computation",
    "Formula_Derivatives": "Formula_Derivatives-Examples",
    "Go": "Go_Test_Quick Go_Test_Slow",
    "Iptables_Semantics": "Iptables_Semantics_Examples Iptables_Semantics_Examples_Big",
    "Linear_Recurrences": "Linear_Recurrences_Solver",
    "Munta_Model_Checker": "Munta_Base",
    "Ordinary_Differential_Equations": "HOL-ODE-Numerics Lorenz_Approximation HOL-ODE-Examples HOL-ODE-ARCH-COMP "
    "Lorenz_C0 Lorenz_C1",
    "ProcessComposition": "ProcessComposition_ILL",
    "Refine_Imperative_HOL": "Sepref_Prereq Sepref_Basic Sepref_IICF",
    "Restriction_Spaces-Examples": "Restriction_Spaces-HOLCF",
    "Security_Protocol_Refinement": "Refinement_timing KE_Level1 KE_Kerberos5 KE_NSSK KE_DS",
    "Show": "Old_Datatype_Show",
    "UTP": "UTP-Toolkit",
    "Zippy": "Zip_Benchmarks",
}
_ENTRY = {session: entry for entry, sessions in _PARTS.items() for session in sessions.split()}


def entry_of(session: str) -> str:
    """The entry that a session is part of; a session of the distribution stands for itself."""
    return _ENTRY.get(session, session)


def final_entries(sessions: Mapping[str, str], parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Entries of the AFP that no other rests on, in the order of their hashes: what may be left unseen.

    Given are the session and the imports of each theory.
    """
    rested_on = {
        entry_of(sessions[parent])
        for theory, above in parents.items()
        for parent in above
        if parent in sessions and entry_of(sessions[parent]) != entry_of(sessions[theory])
    }
    entries = {entry_of(session) for session in sessions.values()} - rested_on
    return sorted(
        (entry for entry in entries if not _DISTRIBUTION.fullmatch(entry)),
        key=lambda entry: hashlib.sha256(entry.encode()).hexdigest(),
    )
