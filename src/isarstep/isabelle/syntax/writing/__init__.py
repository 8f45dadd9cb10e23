"""Terms to text: Isabelle's notation, Unicode, LaTeX and MathML.

`writer` prints so that Isabelle reads the term back; `printing` prints for people.
"""
