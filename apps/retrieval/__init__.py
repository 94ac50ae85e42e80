"""Answering: recall, context and the feedback on what was used."""
