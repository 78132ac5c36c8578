"""The smallest example of a cause, and the programs that show it."""
