"""One file, read by every engine's own reader and by ours: where the readings differ, and why."""
