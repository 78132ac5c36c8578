"""The theorem about every tree: lemmas about one body and its parent, proven as identities of rational functions."""
