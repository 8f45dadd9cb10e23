"""Reading and writing propositions in the notation of a theory: `grammar` first, then `writing` and `reading`."""
