"""Under which licence the propositions of a session stand: what the Archive's own metadata say (August 2026)."""

from __future__ import annotations

from collections.abc import Iterable

from isarstep.benchmark.rules.entries import entry_of

BSD, LGPL = "BSD-3-Clause", "LGPL-2.1-only"

# All other entries of the Archive, and Isabelle itself, are under BSD.
_LGPL = frozenset(
    """Abstract-Rewriting Category Completeness_Decreasing_Diagrams_for_N1 Decreasing-Diagrams Decreasing-Diagrams-II
    Diophantine_Eqns_Lin_Hom First_Order_Terms First_Welfare_Theorem IsaGeoCoq JiveDataStoreModel
    Key_Agreement_Strong_Adversaries Lifting_Definition_Option Matrix Neumann_Morgenstern_Utility Partial_Function_MR
    Polynomials Real_Impl Safe_OCL Security_Protocol_Refinement SequentInvertibility Show Sqrt_Babylonian
    Transitive-Closure Transitive-Closure-II Weak_Spectroscopy Wieferich_Kempner""".split()
)


def licence_of(session: str) -> str:
    return LGPL if entry_of(session) in _LGPL else BSD


def licences_by_entry(sessions: Iterable[str]) -> dict[str, str]:
    """Entry -> its licence, for the manifest."""
    return {entry: licence_of(entry) for entry in sorted({entry_of(session) for session in sessions})}


def sessions_by_licence(sessions: Iterable[str]) -> dict[str, list[str]]:
    """Licence -> its sessions in alphabetical order."""
    found: dict[str, list[str]] = {}
    for session in sorted(sessions):
        found.setdefault(licence_of(session), []).append(session)
    return dict(sorted(found.items()))
