"""Text to typed terms.

`reader.read_formula` is the entry point; `translation` follows Isabelle's parse translations; `advice` and
`misreadings` explain what cannot be read.
"""
