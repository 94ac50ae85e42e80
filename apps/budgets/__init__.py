"""What operations cost: usage rows, written by the service that spends."""
