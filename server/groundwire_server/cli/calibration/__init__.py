"""`groundwire calibrate`: labelled claims, what a model says of them, and the fit."""
