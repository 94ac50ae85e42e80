"""The REST door: it translates, MemoryAgent acts."""
