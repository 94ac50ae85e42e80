"""Commands that create tenants: the only place where one may look across them."""
