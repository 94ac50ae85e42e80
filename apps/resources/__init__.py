"""What happened: sessions, checkpoints and append-only resources."""
