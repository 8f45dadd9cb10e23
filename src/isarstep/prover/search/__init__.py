"""Search for a chain of steps from the facts to the goal."""
