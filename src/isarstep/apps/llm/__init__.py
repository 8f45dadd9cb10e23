"""Language models as systems: questions, an endpoint, tasks for evaluation harnesses."""
