"""How sharp a verdict is: the errors of all states, fitted to the mechanism's numbers (docs/notes/sharpness.md)."""
