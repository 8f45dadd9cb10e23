"""Examples as batches: constants as numbers, packing, padding, and arrays over torch."""
