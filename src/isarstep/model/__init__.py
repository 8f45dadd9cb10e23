"""The neural models: their input (`data`), the networks (`nets`), beam search (`decode`) and training (`train`)."""
