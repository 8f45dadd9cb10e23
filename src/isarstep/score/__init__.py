"""Scores of systems: exact match, BLEU, intervals, baselines and the signature of a score.

The main types are `scores.Scores` and `scores.ScoringTask`; `headline` makes the table that `isarstep evaluate`
prints.
"""
