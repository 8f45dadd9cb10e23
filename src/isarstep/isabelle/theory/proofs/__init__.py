"""Structured proofs, command by command: blocks, cases, named facts and the state at a place.

The main type is `proof_block.ProofState`.
"""
