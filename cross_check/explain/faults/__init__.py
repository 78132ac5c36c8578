"""Ways to be wrong: variants of the reference. Coverage asks which of them a run shows, diagnosis which of them explains it."""
