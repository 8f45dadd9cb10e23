"""Terms and types of HOL: construction, substitution, normal forms and the token encoding.

The main types are `terms.Term` and `terms.Typ`, and `signature.Signature` (the constants, types and classes that
exist).
"""
