"""The command ``vectors``: files by which code in any language is judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dalembert.cli import completion
from dalembert.cli.exits import DIFFERENT, NOTHING
from dalembert.cli.options import FOLDER
from dalembert.cli.printing import find_mechanism

if TYPE_CHECKING:
    from cross_check.exchange.vectors.files import Task


@click.command()
@click.argument("mechanism", nargs=-1, shell_complete=completion.mechanisms)
@click.option("-o", "--output", type=FOLDER, metavar="DIR", help="Write one file per mechanism and quantity below this folder.")
@click.option("--check", type=FOLDER, metavar="DIR", help="Make them again, and name the first difference from those in DIR.")
@click.option(
    "-q", "--quantity", multiple=True, metavar="NAME", help="These quantities or groups; repeatable.  [default: dynamics]"
)
@click.option("--corpus", is_flag=True, help="The corpus: all textbook mechanisms and all robots, with a file of digests.")
@click.pass_context
def vectors(
    ctx: click.Context,
    mechanism: tuple[str, ...],
    output: Path | None,
    check: Path | None,
    quantity: tuple[str, ...],
    corpus: bool,
) -> None:
    """Write test vectors of MECHANISM for code in any language.

    A file is JSON that explains itself: states, correctly rounded values,
    how to judge, and flags that say what a vector stresses. The same bits
    come out on every machine. docs/vectors.md has a judge of ten lines.

    Exit codes: 0 written, or all the same; 1 --check found a difference;
    2 wrong usage or a bad file; 5 there is nothing to write.

    \b
    dalembert vectors ur5 -o vectors
    dalembert vectors my_robot.urdf -q all -o vectors
    dalembert vectors --corpus -o corpus
    dalembert vectors --corpus --check corpus
    """
    if bool(output) == bool(check):
        raise click.UsageError("give either -o DIR to write vectors, or --check DIR to compare with those that are there")
    if corpus and (mechanism or quantity):
        raise click.UsageError("--corpus says which mechanisms and quantities there are; leave MECHANISM and -q out")
    if not corpus and not mechanism:
        raise click.UsageError("name mechanisms, such as ur5, or give --corpus")

    from cross_check.exchange.vectors.files import corpus as all_tasks
    from cross_check.exchange.vectors.files import read_sums, require_distinct

    sums = read_sums(check) if check and corpus else {}
    tasks = list(all_tasks(find_mechanism)) if corpus else _tasks(mechanism, quantity)
    require_distinct(tasks)
    if check:
        ctx.exit(_check(tasks, check, sums))
    assert output
    ctx.exit(_write(tasks, output, mechanism, corpus))


def _tasks(specs: tuple[str, ...], words: tuple[str, ...]) -> list[Task]:
    from cross_check.exchange.vectors.files import Task
    from cross_check.make_vectors import no_vectors
    from mechanisms.quantities import QUANTITIES, expand_groups, unknown_quantity

    names = expand_groups(words or ("dynamics",))
    if unknown := [name for name in names if name not in QUANTITIES]:
        raise click.UsageError(unknown_quantity(unknown[0]))
    if without := [name for name in names if name in words and no_vectors(QUANTITIES[name])]:
        raise click.UsageError(f"{without[0]} has no vectors: {no_vectors(QUANTITIES[without[0]])}")
    found = [(spec, find_mechanism(spec)) for spec in dict.fromkeys(specs)]
    return [Task(spec, mechanism, name) for spec, mechanism in found for name in names]


def _write(tasks: Sequence[Task], folder: Path, specs: tuple[str, ...], corpus: bool) -> int:
    """Each file is written whole as soon as it is made, so that an interrupted run keeps what it has finished."""
    from cross_check.exchange.results import write_text
    from cross_check.exchange.vectors.files import SUMS, digest, write_sums
    from cross_check.make_vectors import make
    from dalembert.outputs import input_files, remove_earlier, require_outputs
    from dalembert.progress import progress
    from mechanisms.plain_text import one_line

    inputs = input_files(specs)
    for task in tasks:
        require_outputs({"output": folder / task.name}, inputs)
    if corpus:
        remove_earlier({"output": folder / SUMS})  # An interrupted run must not leave digests of other files.
    digests, vectors, size = {}, 0, 0
    with progress() as report:
        for made in make(tasks, report):
            if made.left_out:
                about = f"{one_line(made.task.spec)} has no vectors of {made.task.quantity}"
                click.echo(f"{about}: {one_line(made.left_out)}", err=True)
                continue
            write_text(made.text, folder / made.task.name)
            digests[made.task.name] = digest(made.text)
            vectors, size = vectors + made.vectors, size + len(made.text.encode())
    if not digests:
        click.echo("nothing was written")
        return NOTHING
    if corpus:
        write_sums(digests, folder)
    click.echo(f"wrote {len(digests)} files with {vectors} vectors, {size / 1e6:.1f} MB, below {folder}")
    return 0


def _check(tasks: Sequence[Task], folder: Path, sums: dict[str, str]) -> int:
    """``sums`` has the digests of files; what is in no folder is compared by its digest."""
    from cross_check.exchange.vectors.files import SUMS, difference
    from cross_check.make_vectors import make
    from dalembert.progress import progress
    from mechanisms.plain_text import one_line

    same = 0
    with progress() as report:
        for made in make(tasks, report):
            if made.left_out:
                continue
            if found := difference(made, folder, sums):
                click.echo(one_line(found, 500))
                return DIFFERENT
            sums.pop(made.task.name, None)
            same += 1
    if sums:
        click.echo(f"{folder / SUMS} names {one_line(next(iter(sums)))}, which the corpus does not have")
        return DIFFERENT
    click.echo(f"{same} files are the same, bit for bit" if same else "nothing was compared")
    return 0 if same else NOTHING
