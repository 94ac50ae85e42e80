"""What any text is: sentences, terms, times, tokens, and what must not be kept of it."""
