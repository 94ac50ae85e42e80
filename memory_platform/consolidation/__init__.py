"""What becomes of a claim: whether it is kept, what it repeats, what it replaces."""
