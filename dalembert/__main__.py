"""``python -m dalembert`` is the command ``dalembert``."""

from dalembert.cli.main import main

if __name__ == "__main__":  # The processes of a run import this module, too.
    main(prog_name="dalembert")
