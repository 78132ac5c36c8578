"""The command that writes a project of users' code."""

from __future__ import annotations

from pathlib import Path

import click

from dalembert.projects import LANGUAGES


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--language", type=click.Choice([*LANGUAGES]), required=True, help="The language of your code.")
def new(folder: Path, language: str) -> None:
    """Write a project that lets dalembert ask code in another language.

    DIR is a new or an empty folder. The project contains an example of dynamics, to be replaced by your code, a few lines of
    glue, a file that answers dalembert, and what builds it.

    \b
    dalembert new --language cpp my_dynamics
    """
    from dalembert.projects import ProjectError, next_commands, write_project
    from mechanisms.plain_text import one_line

    try:
        write_project(language, folder)
    except ProjectError as error:
        raise click.UsageError(str(error)) from error
    click.echo(f"{one_line(str(folder))} has a project in {LANGUAGES[language].title}. Next:\n")
    for command in next_commands(language, folder):
        click.echo(f"  {command}")
