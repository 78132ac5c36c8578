"""The search for the states at which code loses most."""
