"""Curation: what every agent of a tenant is told first, proposals to change it, and the queue of those who review."""
