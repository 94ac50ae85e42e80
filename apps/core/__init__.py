"""Plumbing without tables: the tenant scope, ids, the clock, providers, problems and paging."""
