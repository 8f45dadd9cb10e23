"""Theory files read without a running Isabelle, up to a place in a proof.

`document` reads a whole file. Below it, from the bottom: `text`, `environment`, `rules`, `proofs`, `declarations`,
`locales`; `problems` holds what a user states.
"""
