"""`groundwire evaluate`: how often a server or a model is right about labelled rows."""
