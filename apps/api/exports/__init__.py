"""Everything about somebody as lines, and such lines taken in again."""
