"""The language of Isabelle/HOL and the Isabelle system, without machine learning.

From the bottom: `terms`, `inference`, `syntax`, `context` (what is visible at a place), `theory` (theory files read
without Isabelle) and `process` (a real Isabelle).
"""
