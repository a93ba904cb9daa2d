"""Backends: one file each, behind the protocol in `base`."""
