"""Where implementations come from: names, entry points, and users' modules and files."""
