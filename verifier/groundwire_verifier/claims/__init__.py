"""A text into claims: `extract.extract_claims` is the way in.

`extract` composes the others: `blocks` finds paragraphs and list items, `protected` what no
boundary may cut, `citations` the brackets (`literals` what only looks like one, `wrappers` what
stands around one, `subjects` which are part of the sentence), `emphasis` the stars, `canvas` masks
all of them, `sentences` finds boundaries in what is left, `attach` gives citations to sentences.
Each sentence is read as `words`; `confidence` and `frames` read what it says about itself,
`speech_acts` and `lead_ins` what it does, `clauses` its parts. `english` and `hebrew` are word
lists, and each has its `_acts`. Nothing here knows a model, a verdict or a transport.

What is skipped is not verified. So whatever is not surely a question, an instruction or a hedge is
an assertion, and a sentence that does not surely split stays whole.
"""
