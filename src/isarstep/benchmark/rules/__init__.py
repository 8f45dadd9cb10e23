"""Which examples are trained on, which are scored and which are dropped, and the tests for leaks."""
