"""Locales, classes and their interpretations."""
