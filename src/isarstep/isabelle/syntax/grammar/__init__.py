"""The grammar of a context: notation as data, inner tokens, the parser, name resolution and patterns.

`language.Language` collects everything that reading and printing need to know about a theory and its ancestors.
"""
