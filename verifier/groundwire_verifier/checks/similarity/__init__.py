"""Sentences of an answer against the texts that it was given, by the cosine of their vectors."""
