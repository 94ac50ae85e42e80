"""The `memory` command. serve, demo and doctor know the stack; everything else speaks HTTP through the client."""
