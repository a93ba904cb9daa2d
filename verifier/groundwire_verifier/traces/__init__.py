"""Chains of reasoning: whether each step rests on its evidence, and whether the answer follows.

`audit` is the use case. `steps` finds what each step claims, `plans` those that only say what is
going to be done. `post_hoc` has the answer derived from the steps, `matching` and `values` compare
two answers. Nothing here knows transports or an engine.
"""
