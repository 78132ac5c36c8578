"""What is written and read: results, recorded data, test vectors, releases."""
