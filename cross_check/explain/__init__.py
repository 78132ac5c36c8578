"""Why code is wrong, and what a run would have missed: faults, diagnosis, coverage, known findings."""
