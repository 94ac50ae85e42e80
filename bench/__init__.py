"""Benchmarks: each prints one JSON line a figure, with the floor it is held against, measured in the same run."""
