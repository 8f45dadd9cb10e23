"""The Language Server Protocol for editors."""
