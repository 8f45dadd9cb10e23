"""The splits of a benchmark as integer arrays, the only view that selectors and models read.

The main types are `corpus.Corpus` and `corpus.Dataset`; `backend` is the interface of arrays over numpy or torch.
"""
