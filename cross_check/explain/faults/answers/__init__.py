"""Other answers: another frame, order or sign, another quantity, or single entries that are wrong."""
