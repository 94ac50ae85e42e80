"""Summaries: what is held of a category, in words, and how that came to be."""
