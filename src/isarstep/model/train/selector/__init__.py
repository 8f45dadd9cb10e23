"""Training of the selector of premises."""
