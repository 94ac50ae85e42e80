"""The GraphQL door: it translates, MemoryAgent acts."""
