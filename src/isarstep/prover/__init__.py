"""Proving: provers, calculation, rewriting, induction and search, from typed propositions to Isar text.

From the bottom: `outcomes`, `encode`, `rewrite`, `induct`, `values`, `arithmetic`, `atp`, `isar`, `check`, `search`
and `replay`.
"""
