"""Induction and case distinction by rules of the library, and goals taken apart."""
