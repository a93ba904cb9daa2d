"""Responses with their tool calls: how likely they are made up, and what to do about that.

`assess` is the use case, of three layers: `heuristics` with `patterns` and `tool_values`,
`common_sense` with `sense`, and `detailed`. `user_texts` has the words for users.
"""
