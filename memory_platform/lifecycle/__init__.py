"""How what is known ages and learns from use."""
