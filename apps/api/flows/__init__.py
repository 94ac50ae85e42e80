"""What needs several rooms at once: one function each, called inside a tenant scope."""
