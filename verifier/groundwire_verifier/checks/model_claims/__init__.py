"""Claims that a model finds in a text: asked for, traced to the text, and put beside the rules'.

`extractor` is the use case, and `answers` and `tracing` what is taken of what the model writes.
"""
