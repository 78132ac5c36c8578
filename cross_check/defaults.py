"""The defaults of a run that every front end names. Nothing is imported here, so that --help answers at once."""

SEED = 0
STATES = 98
"""Per mechanism."""

BAR = 16.0
"""The largest error that agrees, in ε-units. On real robots, Pinocchio and RBDL are never off by more than six."""
