"""`groundwire evaluate`: how often a running server is right about labelled rows."""
