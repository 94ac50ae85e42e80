"""GraphQL and REST by topic, through one gateway."""
