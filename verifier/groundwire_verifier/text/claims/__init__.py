"""A text into claims: `extract.extract_claims` is the way in.

Step by step, and the file of each:

- `markup/`, where the text can be cut: `blocks` (paragraphs, items, headings, rows, code), `inline`
  (code, links and stars within a line), `citations` and `citation_places` (which brackets name a
  source, and whose they are), `canvas` (a block with all of these masked), `boundaries` (where its
  sentences end).
- `wording/`, what words mean: `sentence` (a sentence as words), `english*` and `hebrew*` (word
  lists; `_acts` for questions and instructions, `_verbs` and `_clauses` for predicates),
  `confidence_words`.
- Here, what a sentence says: `confidence` and `frames` (about itself), `speech_acts` (whether it
  asserts) and `answer_talk` (whether it only talks about the answer), `clauses` (its parts),
  `tables` (a row's values). `extract` composes them.

Nothing here knows a model, a verdict or a transport. What is skipped is not verified. So whatever
is not surely a question, an instruction or a hedge is an assertion, and a sentence that does not
surely split stays whole.
"""
