"""How the embedded verifier is made. CONTRIBUTING.md has the commands in their order.

At the top are the commands. run_folder and clock are what a killed, stopped or
ended run goes on from.

- data: labelled pairs of the shared data, in three parts, and which of them when.
- examples: other claims made of true ones; recipe makes all of them trees, a context with the
  questions on it.
- learning: trees as batches that compute nothing twice and no padding; the model, its adapter and
  the loss; scores on dev rows.

Reads the shared data only. The product does not import it.
"""
