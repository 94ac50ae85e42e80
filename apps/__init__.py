"""What acts: Django apps whose services carry out what the core decides."""
