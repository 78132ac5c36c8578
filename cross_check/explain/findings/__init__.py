"""Known faults of released engines, each with a correction that undoes it."""
