"""Rules that proof methods apply: cases, induction rules, attributes and resolution of facts."""
