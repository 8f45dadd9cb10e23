"""Building, growing and describing a benchmark.

`build` is the entry point; `fresh` builds a split of recent entries beside an existing benchmark.
"""
