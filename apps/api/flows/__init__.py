"""What needs several apps at once: one function each, called inside a tenant scope."""
