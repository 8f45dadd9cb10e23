"""Typed propositions to the languages of provers, and derivations back.

The main type is `formula.Formula`, simply typed terms with arithmetic.
"""
