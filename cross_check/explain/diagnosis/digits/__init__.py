"""Which arithmetic makes answers inexact: each module predicts the answers of code that loses digits in one way."""
