"""Outputs of agents: what of a conversation is evidence, the stated form, the risk, the correction.

Imports the use cases beside it.
"""
