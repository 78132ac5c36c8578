"""Code under test in a process of its own: how it is asked, watched, limited and replaced when it ends."""
