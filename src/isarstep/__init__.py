"""IsarStep: mine Isabelle proofs, build the benchmark, train and score models, propose and check missing steps."""

__version__ = "0.1.0"
