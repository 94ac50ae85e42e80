"""The search index over everything recallable: documents, postings, embeddings and their statistics."""
