"""What to answer: the plan of a question, what is relevant, in which order, with which warnings."""
