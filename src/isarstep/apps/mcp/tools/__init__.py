"""One module per tool that agents call; `results` has the types of their answers."""
