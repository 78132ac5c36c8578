"""The identities of the five texts, a module for each section."""
