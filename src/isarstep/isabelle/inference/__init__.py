"""Type inference: order-sorted unification, coercions, type annotations and statements that carry their types.

`infer.infer` types a term; `partial_inference` types a proposition token by token.
"""
