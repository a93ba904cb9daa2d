"""Makes the verifiers that ship; training/README.md has the commands in their order.

Each command is a file, run from a checkout: it needs bench/ and the shared data. `rows` and `sets`
are the labelled pairs of the shared data and how often each set is learnt; `progress` and `scores`
are what adapters do on dev rows. Not in the wheel.
"""
