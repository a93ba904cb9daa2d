"""How the embedded verifier is made. CONTRIBUTING.md has the commands in their order.

- sets and rows: labelled pairs of the shared data, in three parts; mix: which of them when.
- edits, hebrew, rewrites and numbers: other claims made of true ones; recipe: all of them as trees,
  a context with the questions on it; trees: what a tree is.
- packing and attention: trees as batches that compute nothing twice and no padding.
- learner and merged: the model, its adapter and the loss; train: the loop; run_folder and clock:
  what a killed, stopped or ended run goes on from; progress: its scores on dev rows.
- export: the adapter into the product; held_out: the rows that its calibration is fitted on.
- evaluate and ablate: scores without a server, and what each ingredient is worth.

Reads the shared data only. The product does not import it.
"""
