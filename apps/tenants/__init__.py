"""Who there is: tenants, their members, agents and keys; and the numbers a tenant may tune (Policy, Category)."""
