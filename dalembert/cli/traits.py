"""The command that shows the torture set for readers of URDF."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("name", required=False)
@click.option("-o", "--output", "folder", type=click.Path(path_type=Path), help="Write all files into this folder.")
def traits(name: str | None, folder: Path | None) -> None:
    """Show the torture set for readers of URDF: small files with one trait each, and what is right to make of them.

    Without NAME it lists all traits. With the NAME of a trait it prints the file. With a folder it writes all files, and
    traits.json, which says in numbers what is right to make of each. docs/urdf-traits.md shows what engines make of them.

    \b
    dalembert traits
    dalembert traits "axis of zero"
    dalembert traits -o traits
    """
    from mechanisms.urdf_traits import GROUPS, TRAITS
    from mechanisms.urdf_traits.files import as_bytes, files

    if name is not None and folder:
        raise click.UsageError("a folder is for all files; leave NAME or --output out")
    if folder:
        _write(files(GROUPS), folder)
    elif name is None:
        for group, listed in GROUPS.items():
            click.echo(f"{group}:")
            for trait in listed:
                click.echo(f"  {trait.right:7} {trait.name}")
    elif name in TRAITS:
        click.echo(as_bytes(TRAITS[name]), nl=False)
    else:
        raise click.UsageError(f"no trait is called {name!r}; `dalembert traits` lists them all")


def _write(made: dict[str, bytes], folder: Path) -> None:
    """Nothing is written if something cannot be."""
    from cross_check.results.files import require_writable, write_bytes

    for file in made:
        require_writable(folder / file)
    for file, data in made.items():
        write_bytes(data, folder / file)
    click.echo(f"wrote {len(made)} files into {folder}")
