"""Chains of reasoning: whether each step rests on its evidence, and whether the answer follows.

`audit` is the use case. `step_claims` finds what each step claims. `post_hoc` has the answer
derived from the steps, `matching` compares two answers.
"""
