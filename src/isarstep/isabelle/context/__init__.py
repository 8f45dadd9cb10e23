"""What is visible at a place: theories with their ancestors, their constants and the facts of the library.

The main types are `theory_contexts.TheoryContexts`, `theory_contexts.TheoryContext` and `library_facts.LibraryFacts`.
`monomorphisation.Named` is a fact with its name; `matching.Matching` matches typed terms.
"""
