"""The domain: what a claim's probability is and how it is read."""
