"""Whether the numbers of a robot's file are plausible (docs/lint.md)."""
