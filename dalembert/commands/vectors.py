"""Files by which code in any language is judged: written, or made again and compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from cross_check.exchange.results import write_text
from cross_check.exchange.vectors.files import SUMS, Task, difference, digest, read_sums, require_distinct, write_sums
from cross_check.exchange.vectors.files import corpus as all_tasks
from cross_check.make_vectors import make, no_vectors
from dalembert.cli.exits import DIFFERENT, NOTHING
from dalembert.outputs import input_files, remove_earlier, require_outputs
from dalembert.printing import find_mechanism, progress
from mechanisms.plain_text import one_line
from mechanisms.quantities import QUANTITIES, expand_groups, unknown_quantity


def vectors(mechanism: tuple[str, ...], output: Path | None, check: Path | None, quantity: tuple[str, ...], corpus: bool) -> int:
    """Write the files below ``output``, or compare those below ``check``; the exit code."""
    if bool(output) == bool(check):
        raise click.UsageError("give either -o DIR to write vectors, or --check DIR to compare with those that are there")
    if corpus and (mechanism or quantity):
        raise click.UsageError("--corpus says which mechanisms and quantities there are; leave MECHANISM and -q out")
    if not corpus and not mechanism:
        raise click.UsageError("name mechanisms, such as ur5, or give --corpus")

    sums = read_sums(check) if check and corpus else {}
    tasks = list(all_tasks(find_mechanism)) if corpus else _tasks(mechanism, quantity)
    require_distinct(tasks)
    if check:
        return _check(tasks, check, sums)
    assert output
    return _write(tasks, output, mechanism, corpus)


def _tasks(specs: tuple[str, ...], words: tuple[str, ...]) -> list[Task]:
    names = expand_groups(words or ("dynamics",))
    if unknown := [name for name in names if name not in QUANTITIES]:
        raise click.UsageError(unknown_quantity(unknown[0]))
    if without := [name for name in names if name in words and no_vectors(QUANTITIES[name])]:
        raise click.UsageError(f"{without[0]} has no vectors: {no_vectors(QUANTITIES[without[0]])}")
    found = [(spec, find_mechanism(spec)) for spec in dict.fromkeys(specs)]
    return [Task(spec, mechanism, name) for spec, mechanism in found for name in names]


def _write(tasks: Sequence[Task], folder: Path, specs: tuple[str, ...], corpus: bool) -> int:
    """Each file is written whole as soon as it is made, so that an interrupted run keeps what it has finished."""
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
