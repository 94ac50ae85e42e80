"""Makes the models in memory_platform/heads from data of our own: `make train`. Not part of the product."""
