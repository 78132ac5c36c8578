"""The work of the commands that compare and prove; :mod:`dalembert.cli` declares them, and imports these modules late."""
