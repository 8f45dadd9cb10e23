"""Training: recipes, the loop, validation and resumption.

`loop` is the entry point; `recipes/` holds the recipes that ship, as TOML files.
"""
