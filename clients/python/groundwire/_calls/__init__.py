"""The calls of the contract: what is sent, and how a response becomes a value of this package.

Nothing fails open. A response whose parts do not bear each other out is refused whole, with
InvalidResponseError, and what this client does not know never counts as grounded, entailed or safe.
"""
