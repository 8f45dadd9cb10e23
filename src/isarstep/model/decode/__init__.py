"""Ranked lists of propositions from a model: beam search, constraints of syntax and type, predictions files.

The main types are `predict.Predictor` and `hypotheses.SearchRules`; `predictions` reads the lists of any system.
"""
