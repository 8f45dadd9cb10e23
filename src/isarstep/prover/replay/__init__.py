"""A real Isabelle as judge of proposals and proofs."""
