"""A text into claims: `extract.extract_claims` is the way in.

`extract` composes the others: `blocks` finds paragraphs and list items, `protected` what no
boundary may cut, `citations` the brackets, `canvas` masks both, `sentences` finds boundaries in
what is left, `attach` gives citations to sentences. Each sentence is read as `words`; `confidence`
and `frames` read what it says about itself, `speech_acts` what it does, `clauses` its parts.
`english` and `hebrew` are word lists, and each has its `_acts`. Nothing
here knows a model, a verdict or a transport.
"""
