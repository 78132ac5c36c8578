"""``python -m dalembert`` is the command ``dalembert``."""

from dalembert.cli import main

main(prog_name="dalembert")
