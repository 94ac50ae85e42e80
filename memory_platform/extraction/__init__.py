"""What a text says that lasts."""
