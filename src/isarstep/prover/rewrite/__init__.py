"""Rewriting with the simp rules of a context, and instances of facts found by matching."""
