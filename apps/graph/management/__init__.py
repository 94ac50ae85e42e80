"""Commands about every tenant's graph."""
