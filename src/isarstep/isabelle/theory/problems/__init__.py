"""A problem as a user states it, before it is read, and the types that it leaves open.

The main type is `problem.Problem`; mistakes in it are `problem.ProblemError`.
"""
