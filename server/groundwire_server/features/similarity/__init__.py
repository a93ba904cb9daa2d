"""The service of similarity, and the embedding behind it."""
