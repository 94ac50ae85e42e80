"""Triggers: times ahead that messages named or callers set, and what is done when they come."""
