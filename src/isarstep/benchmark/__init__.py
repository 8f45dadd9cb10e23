"""The IsarStep benchmark: examples, how they are built from proof graphs, scored splits and other formats.

From the bottom: `store` (reading), `rules` (which examples are trained on or scored), `extraction` (graphs to
examples), `building`, `export`, `arrays` (splits as integers) and `problems` (a user's problem as an example).
"""
