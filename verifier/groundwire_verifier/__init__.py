"""The domain: what a claim's probability is and how it is read.

`server` builds on it.
"""
