"""Evaluation of executable terms and search for counterexamples.

The main types are `executable.Machine` and `refutation.Refuter`.
"""
