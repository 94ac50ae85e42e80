"""MCP: verbs as tools that a model may call, and the session-start context as a resource."""
