"""The text of a theory file: outer syntax, commands, quoted statements and mixfix annotations.

`source.TheorySource` cuts a file into commands; `statements` turns quoted text into typed terms.
"""
