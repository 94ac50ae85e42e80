"""How openapi.json becomes the typed parts of the clients."""
