"""Proof graphs to examples: for each local fact and each consequence of it, what is given and what is missing."""
