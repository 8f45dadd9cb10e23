"""The tokens that stand first in every vocabulary, and their numbers."""

SPECIALS = ("<PAD>", "<BOS>", "<EOS>", "<UNK>", "<SEP>", "<F2>", "<F3>", "<F4>", "<F5>")
PAD, BOS, EOS, UNK, SEP, F2, F3, F4, F5 = range(len(SPECIALS))
