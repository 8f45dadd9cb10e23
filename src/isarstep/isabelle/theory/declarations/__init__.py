"""Commands that define types, functions and predicates, with the facts that they prove."""
