"""The append-only operations log: what changed, by whom, why; ids, counts and reason codes, never content."""
