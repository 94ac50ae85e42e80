"""What was learnt: items with their versions, sources and links; and how observations become them."""
