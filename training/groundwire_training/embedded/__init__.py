"""How the embedded verifiers are made. CONTRIBUTING.md has the commands in their order.

At the top are the commands. The loop, the recipe and the learner are those of everybody:
`groundwire_server.training`.

- data: labelled pairs of the shared data, in three parts, and how often each set is learnt.
- learning: scores on dev rows, and what an ingredient left out costs.

Reads the shared data only. The product does not import it.
"""
