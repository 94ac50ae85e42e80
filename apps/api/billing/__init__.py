"""Billing: what was spent, by whom, for what."""
