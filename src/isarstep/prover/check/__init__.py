"""Both sides of a proposed step, one obligation at a time.

`obligations.GapCloser` discharges one obligation, `step_checker.Checker` checks a proposal, `prover_session.Proving`
keeps provers ready.
"""
