"""A user's problem, or a place of a theory file, as an example that models and provers read.

The main types are `task.Task` and `problem_reader.ProblemReader`.
"""
