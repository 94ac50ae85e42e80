"""What pages show and do, a module a topic."""
