"""Tenant, members, agents, keys and policy, for those who run a tenant. Every save calls a service."""

from apps.tenants.admin import agents, keys, logins, members, policy, tenants

__all__ = ["agents", "keys", "logins", "members", "policy", "tenants"]
