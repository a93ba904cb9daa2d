"""How a verifier is made of a causal model: `groundwire train`, and the embedded one's commands.

At the top are the loop (`run`), what a run goes on from (`run_folder`, `options`, `clock`), and
what follows it: `merging`, `measuring`, `gate` (whether it may take the start's place), `card`.

- data: labelled pairs, and which of them are learnt when.
- made: short texts by rule, each with a twin of which other things are true.
- examples: other claims made of true ones; recipe makes all of them trees, a context with the
  questions on it.
- learning: trees as batches that compute nothing twice and no padding; the model, its adapter and
  the loss.
- embedded: the commands that make the verifiers which ship, in a checkout only.

The server imports `command` alone, for `groundwire train`, and late.
"""
