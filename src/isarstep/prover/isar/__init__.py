"""Proofs as Isar text.

The main type is `sketch.Sketch`.
"""
