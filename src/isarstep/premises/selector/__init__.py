"""The learned selector of premises over numpy: its arrays, its questions and the network."""
