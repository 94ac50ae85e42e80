"""What memories are filed under."""
