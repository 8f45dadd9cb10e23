"""Proofs by calculation: polynomials, remainders, linear arithmetic and certificates for inequalities."""
