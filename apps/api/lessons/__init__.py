"""Lessons: what users' rules, preferences, corrections and repeated requests teach an agent, and the file of them."""
