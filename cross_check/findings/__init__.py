"""Known faults of released engines, each with the correction that undoes it."""
