"""What a check can find out, and comparisons of a proposed statement with the given ones.

The main types are `verdict.Verdict`, `verdict.Proved`, `verdict.Refuted` and `step.Step`.
"""
