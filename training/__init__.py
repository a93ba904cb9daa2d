"""How the embedded verifier is trained: `python -m training.train`.

`rows` reads labelled pairs, `edits` makes near misses of true claims, `recipe` turns both into
trees (a context and the questions on it), `packing` into batches, `learner` holds model and loss,
`train` the loop. Reads the shared data's train splits only. The product does not import it.
"""
