"""The doors: GraphQL and REST, through one MemoryAgent."""
