"""Simulation: what other numbers would have changed."""
