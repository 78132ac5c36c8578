"""The checker's own score: a bank of faulty and of correct dynamics code, and what the checker says about each."""
