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
    from mechanisms.urdf_traits import FILES, GROUPS, INDEX, TRAITS

    if name is not None and folder:
        raise click.UsageError("a folder is for all files; leave NAME or --output out")
    if folder:
        _write([*(FILES / trait.file for trait in TRAITS.values()), INDEX], folder)
    elif name is None:
        for group, listed in GROUPS.items():
            click.echo(f"{group}:")
            for trait in listed:
                click.echo(f"  {trait.right:7} {trait.name}")
    elif name in TRAITS:
        click.echo(TRAITS[name].content, nl=False)
    else:
        raise click.UsageError(f"no trait is called {name!r}; `dalembert traits` lists them all")


def _write(files: list[Path], folder: Path) -> None:
    """Nothing is written if something cannot be."""
    from cross_check.results.files import require_writable, write_bytes

    for file in files:
        require_writable(folder / file.name)
    for file in files:
        write_bytes(file.read_bytes(), folder / file.name)
    click.echo(f"wrote {len(files)} files into {folder}")
