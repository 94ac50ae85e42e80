"""What a text is about: entities, how they relate, and how near they are to each other."""
