"""Events: what happens to memories, told to those who listen."""
