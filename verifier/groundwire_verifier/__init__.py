"""The domain: what a claim's probability is and how it is read.

Knows no transport, no telemetry and no environment. `server` builds on it.
"""
