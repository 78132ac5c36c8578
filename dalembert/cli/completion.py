"""Words that a shell completes, and the command ``completion``, which prints what the shell must read for that."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem, get_completion_class

SHELLS = ("bash", "zsh", "fish")

FILES = CompletionItem("", type="file")
"""Tells the shell to complete names of files itself."""


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands, mechanisms, quantities and implementations in SHELL.

    \b
    eval "$(dalembert completion bash)"    # in ~/.bashrc
    eval "$(dalembert completion zsh)"     # in ~/.zshrc
    dalembert completion fish > ~/.config/fish/completions/dalembert.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.find_root().command, {}, "dalembert", "_DALEMBERT_COMPLETE").source())


def mechanisms(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of mechanisms, also behind ``free:``; where none fits, files."""
    from mechanisms.library.robots import ALIASES, ROBOTS
    from mechanisms.library.textbook import TEXTBOOK
    from mechanisms.library.textbook_tables import LOOPS

    prefix = "free:" if incomplete.startswith("free:") else ""
    return _items((f"{prefix}{name}" for name in (*TEXTBOOK, *LOOPS, *ROBOTS, *ALIASES, "random:")), incomplete) or [FILES]


def implementations(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of implementations; where none fits, files."""
    from implementations.plugins.registry import names_of_implementations

    return _items(names_of_implementations(), incomplete) or [FILES]


def quantities(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of quantities, relations and their groups."""
    from cross_check.judge.relations.table import RELATION_GROUPS, RELATIONS
    from mechanisms.quantities import ALL_GROUPS, ALL_QUANTITIES

    return _items((*ALL_GROUPS, *RELATION_GROUPS, *ALL_QUANTITIES, *RELATIONS), incomplete)


def profiles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the project's profiles."""
    from dalembert.settings import profile_names

    return _items(profile_names(), incomplete)


def _items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(incomplete)]
