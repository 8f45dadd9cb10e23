"""Programs for users: the engine, the command line, HTTP, editors, agents and Isabelle/jEdit.

`engine.Engine` is where model, provers and context meet; everything else prints what it returns.
"""
