"""The exit codes of the commands, in one place for scripts and supervisors."""

EXIT_OK = 0
EXIT_BELOW = 1
"""`verify`: the answer is not grounded. `assess`: an action is suggested. `estimate`: a claim has
no probability, or one below --fail-under. `doctor`: a finding. `calibrate`: the rows allow no fit.
`train`: ended before its length, refused since it is worse than it was at the start, too little of
the probability is on the labels, or no calibration.
`feedback export`: there is none. `audit replay`: a verdict differs. `similarity`: a sentence is
like no text, or none was compared. `analyze`: a claim is not GROUNDED, or there is none. `index`:
nothing was indexed, and the text says why. `run`: the job is done, and a row was rejected or has an
error. `evaluate`: a row has no probability. `patterns`: something drifts."""
EXIT_CONFIG = 2
"""The flags, the configuration or the request are wrong; trying again will not help.
`audit replay`: nothing differs, but not all could be replayed. `patterns`: nothing drifts, and no
detection was read, or a line was left out."""
EXIT_MODEL = 3
"""The model cannot be prepared or loaded."""
EXIT_ENGINE_FAILED = 4
"""`serve`: the engine died or hung; a supervisor should start the server again. `run`: the model in
this process, or the cluster, failed; the same command goes on."""
EXIT_UNAVAILABLE = 5
"""`verify`, `estimate`, `assess`, `analyze`, `review`, `calibrate`, `evaluate`, `audit replay`,
`erase`: no answer from the server; trying again later may help. `similarity`: none from the
endpoint of the embeddings. `run`: no answer from the server, or nothing can be written, such as on
a full disk; the same command goes on."""
EXIT_UNFORESEEN = 70
"""A bug of groundwire's. Standard error has where."""
EXIT_PIPE_CLOSED = 128 + 13
"""Nobody reads what is printed any more, as behind `| head`."""
