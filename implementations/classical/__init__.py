"""The classical Newton-Euler recursion: 3-vectors in link frames."""
