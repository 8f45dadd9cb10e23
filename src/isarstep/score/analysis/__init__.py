"""What a model has learned: embeddings, attention, probes."""
