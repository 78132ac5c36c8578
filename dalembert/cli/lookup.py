"""The commands that look something up and print it. Each imports what it needs when it runs, so that --help answers at once."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cross_check.defaults import STATES
from dalembert.cli import completion
from dalembert.cli.options import FILE, Whole, setting, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from mechanisms import Mechanism
    from mechanisms.reading import Form
    from oracle import Equations

STYLES = ("text", "latex", "python")
"""How equations can be written."""

LONG = 20_000
"""The number of characters above which equations are not printed on a terminal without asking."""


@click.command()
@click.argument("mechanism", shell_complete=completion.mechanisms)
@click.option("--format", "style", type=click.Choice(STYLES), default=STYLES[0], show_default=True, help="How to write them.")
@click.option("--symbols", is_flag=True, help="Keep a textbook mechanism's parameters as symbols.")
@click.option("--yes", is_flag=True, help="Print long equations on a terminal without asking.")
def derive(mechanism: str, style: str, symbols: bool, yes: bool) -> None:
    """Print M, C and g of a small MECHANISM, derived from its energy.

    The LaTeX is a document that compiles as it stands; it writes long matrices entry by entry. On a terminal, the command
    asks before it prints equations that fill hundreds of lines.

    \b
    dalembert derive cart-pole
    dalembert derive pendulum --symbols --format latex
    dalembert derive my_arm.urdf --format python > my_arm_dynamics.py
    dalembert check my_arm_dynamics.py
    """
    import oracle
    from dalembert.printing import find_mechanism
    from mechanisms.plain_text import one_line

    chosen = _with_symbols(mechanism) if symbols else find_mechanism(mechanism)
    if not oracle.is_small(chosen):
        size = f"{chosen.nv} degrees of freedom"
        raise click.UsageError(f"the equations of {mechanism} ({size}) are too long; choose a smaller mechanism")
    write: dict[str, Callable[[Equations], str]] = {"text": oracle.text, "latex": oracle.latex}
    text = write.get(style, partial(oracle.python, spec=mechanism))(oracle.derive(chosen))
    size = f"{len(text.encode()) / 1000:.0f} KB"
    question = f"The equations of {one_line(mechanism)} are {size} of text. Print them?"
    if len(text) <= LONG or yes or not sys.stdout.isatty() or click.confirm(question, err=True):
        click.echo(text, nl=False)


@click.command()
def mechanisms() -> None:
    """List the mechanisms that have a name."""
    from mechanisms import find_mechanism
    from mechanisms.joint import MOVING
    from mechanisms.library.drawn import TRAITS
    from mechanisms.library.robots import ROBOTS
    from mechanisms.library.textbook import TEXTBOOK
    from mechanisms.library.textbook_tables import LOOPS

    for name, make in {**TEXTBOOK, **LOOPS}.items():
        chosen = find_mechanism(name)
        click.echo(f"{name:22} {chosen.nv:2} DoF   {(make.__doc__ or '').splitlines()[0].replace('`', '')}")
    click.echo("\nReal robots, from the package example-robot-data:\n" + click.wrap_text(", ".join(ROBOTS), 100, "  ", "  "))
    click.echo(
        "\nAlso random:SEED:BODIES[:KINDS], planar-pendulum:LINKS, any file of URDF, MJCF or SDF, and free:NAME for a free base;"
    )
    click.echo(f"drawn:SEED:TRAIT for one that a default check draws, with the TRAIT {', '.join(TRAITS)};")
    click.echo("framed:NAME for a skew frame on every body; or your own in Python: file.py, file.py:name or module:name.")
    click.echo("mimic:ROBOT lets its mimic joints follow their leaders, independent:FILE lets those of a file move on their own.")
    click.echo("KINDS of joints are all, or some with commas between them, as in random:7:30:revolute,universal:")
    click.echo(click.wrap_text(", ".join(MOVING), 100, "  ", "  "))


@click.command()
def implementations() -> None:
    """List the implementations that have a name, and how to install those that are missing."""
    from implementations.processes.find import list_subjects

    for listing in list_subjects():
        click.echo(f"{listing.name:12} {listing.version or listing.status + ': ' + listing.hint}")
        if listing.about:
            click.echo(f"             {listing.about}")
    click.echo("\nYour own: module, module:name, file.py, file.py:name, cmd:COMMAND (a program) or lib:FILE (a shared library).")


@click.command()
def quantities() -> None:
    """List the quantities that an implementation may offer, as functions of batches of states, and the relations among them."""
    from cross_check.judge.relations.table import RELATION_GROUPS, RELATIONS
    from mechanisms.quantities import ALL_GROUPS, ALL_QUANTITIES, BY_NAME, FRAMES, PARAMETERS, Axis

    def length(axis: Axis) -> str:
        return f"{len(PARAMETERS)} bodies" if axis == "parameters" else axis if isinstance(axis, str) else str(len(axis))

    conditions = {"constraints": ", of mechanisms that have some (docs/loops.md)"}
    conditions |= dict.fromkeys(BY_NAME, ", compared only if you name them, or all")
    for group, names in ALL_GROUPS.items():
        click.echo(f"{group}{conditions.get(group, '')}:")
        for name in names:
            quantity = ALL_QUANTITIES[name]
            shape = ", ".join(["batch", *map(length, quantity.axes)])
            click.echo(f"  {name}({', '.join(quantity.arguments)})  ({shape})\n      {quantity.meaning}")
            if quantity.frame:
                click.echo(f"      {quantity.frame}: {FRAMES[quantity.frame]}")
    pages = {"relations": "docs/relations.md", "as-read": "docs/as-read.md"}
    for group, names in RELATION_GROUPS.items():
        click.echo(f"{group}, checked only if you name them ({pages[group]}):")
        for name in names:
            click.echo(f"  {name}\n      {RELATIONS[name].meaning}")
    click.echo(
        "\nq is (batch, nq); v, a and tau are (batch, nv); f is (batch, bodies, 6); v_minus is (batch, nv);\n"
        "dv is (batch, nv) and `to` is (batch, nq).\n"
        "A function of one state gets and returns these without `batch`. docs/conventions.md has the conventions."
    )


@click.command()
@click.argument("mechanism", shell_complete=completion.mechanisms)
@click.option("-o", "--output", type=FILE, required=True, help="Write here: .csv, .json or .npz.")
@setting("quantities", help="Add empty columns for its answers; repeatable.")
@shown("seed")
@click.option("--states", "count", type=Whole(1, 10**6), default=STATES, show_default=True, help="How many.")
@setting("precision", type=click.STRING, metavar="NAME", help="Write numbers of this precision (docs/precision.md).")
def states(mechanism: str, output: Path, quantity: tuple[str, ...], seed: int, count: int, precision: str | None) -> None:
    """Write the states at which `check` compares, for code that runs elsewhere and records its answers.

    Fill in the answers and check the file: docs/recorded.md. Without quantities the file has q, v, a, tau and f; with some, what
    they depend on.

    \b
    dalembert states ur5 -q inverse_dynamics -o ur5.csv
    dalembert check ur5 --recorded ur5.csv
    """
    from cross_check.exchange.recorded_data.columns import NOT_RECORDED
    from cross_check.exchange.recorded_data.write import write_states
    from cross_check.judge.comparison.given import sampled_states
    from dalembert.outputs import input_files, require_outputs
    from dalembert.printing import find_mechanism
    from dalembert.session import settings_from
    from mechanisms.numbers.precision import precision_named
    from mechanisms.quantities import INTEGRATION

    require_outputs({"output": output}, input_files([mechanism]))
    settings = settings_from({"seed": seed, "states": count, "quantities": quantity or None, "precision": precision})
    chosen = find_mechanism(mechanism).in_precision(precision_named(settings.precision))
    names = settings.quantities if quantity else ()
    if integrated := next((name for name in names if name in INTEGRATION), ""):
        raise click.UsageError(f"{integrated} cannot be recorded: {NOT_RECORDED}; `dalembert check` compares code that runs")
    write_states(output, chosen, sampled_states(chosen, settings.seed, count, names), names)


@click.command()
@click.argument("mechanism", shell_complete=completion.mechanisms)
@click.option("-o", "--output", type=FILE, help="Write here instead of to standard output.")
@click.option("--as-read", metavar="NAME", help="Write it as this relation of --as-read does, such as reads_inertial_rpy.")
def urdf(mechanism: str, output: Path | None, as_read: str | None) -> None:
    """Write a MECHANISM as URDF, for code that loads its own.

    \b
    dalembert urdf random:7:30 -o random.urdf
    dalembert urdf ur5 --as-read reads_inertial_rpy
    """
    _write("urdf", mechanism, output, as_read)


def _writer(form: Form, program: str, ending: str) -> click.Command:
    """The command that writes a mechanism in this form."""

    @click.command(
        form, help=f"Write a MECHANISM as {form.upper()}, the format of {program}.\n\n\b\ndalembert {form} ur5 -o ur5.{ending}"
    )
    @click.argument("mechanism", shell_complete=completion.mechanisms)
    @click.option("-o", "--output", type=FILE, help="Write here instead of to standard output.")
    def write(mechanism: str, output: Path | None) -> None:
        _write(form, mechanism, output, program=program)

    return write


mjcf, sdf = _writer("mjcf", "MuJoCo", "xml"), _writer("sdf", "Gazebo", "sdf")


def _write(form: Form, spec: str, output: Path | None, as_read: str | None = None, program: str = "") -> None:
    from cross_check.exchange.results import write_text
    from dalembert.outputs import input_files, require_outputs
    from dalembert.printing import find_mechanism
    from mechanisms.files.by_form import WRITERS
    from mechanisms.plain_text import one_line

    require_outputs({"output": output}, input_files([spec]))
    chosen, name = find_mechanism(spec), one_line(spec)
    if form == "urdf" and chosen.constraints:
        click.echo(f"URDF has no constraints, so those of {name} are left out; docs/loops.md has a file for them", err=True)
    for body, fault in chosen.faults.items() if program else ():
        click.echo(f"{name}, {one_line(body)}: {fault}, which {program} refuses", err=True)
    text = _rewritten(chosen, as_read) if as_read else WRITERS[form](chosen)
    if output:
        write_text(text, output)
    else:
        click.echo(text, nl=False)


def _rewritten(mechanism: Mechanism, relation: str) -> str:
    from cross_check.judge.relations.readings import BY_RELATION, image
    from cross_check.read.as_read.rewriting import plain
    from mechanisms.errors import Unsupported

    if relation not in BY_RELATION:
        raise click.UsageError(f"--as-read {relation!r} is no relation of files; use one of {', '.join(BY_RELATION)}")
    try:
        _, made = image(plain(mechanism), BY_RELATION[relation])
    except Unsupported as reason:
        raise click.UsageError(f"{relation} does not apply to {mechanism.name}: {reason}; choose another") from None
    return made.text


def _with_symbols(name: str) -> Any:
    """A textbook mechanism whose parameters are symbols of the same names."""
    from inspect import signature

    from sympy import Symbol

    from mechanisms.library.textbook import TEXTBOOK
    from mechanisms.numbers.exact import exact

    def symbols(parameter: str, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(Symbol(f"{parameter}{k}") if exact(part) else part for k, part in enumerate(value, 1))
        return Symbol(parameter)

    parameters = signature(TEXTBOOK[name]).parameters if name in TEXTBOOK else {}
    if kept := {p: symbols(p, parameters[p].default) for p in parameters if p != "links"}:
        return TEXTBOOK[name](**kept)
    raise click.UsageError(f"{name!r} has no parameters to keep as symbols; leave --symbols out")


@click.command()
@click.argument("name", required=False)
@click.option("-o", "--output", "folder", type=click.Path(path_type=Path), help="Write all files into this folder.")
@click.option("--form", type=click.Choice(["urdf", "mjcf", "sdf"]), default="urdf", help="Their form.  [default: urdf]")
def traits(name: str | None, folder: Path | None, form: Form) -> None:
    """Show the torture set for readers of URDF, MJCF or SDF: small files with one trait each, and what is right to make of them.

    Without NAME it lists all traits. With the NAME of a trait it prints the file. With a folder it writes all files, and
    traits.json, which says in numbers what is right to make of each. docs/urdf-traits.md shows what engines make of URDF.

    \b
    dalembert traits
    dalembert traits "axis of zero"
    dalembert traits --form mjcf -o traits
    """
    from mechanisms import mjcf_traits, sdf_traits, urdf_traits

    chosen = {"urdf": urdf_traits, "mjcf": mjcf_traits, "sdf": sdf_traits}[form].TRAITS
    if name is not None and folder:
        raise click.UsageError("a folder is for all files; leave NAME or --output out")
    if folder:
        files = [trait.folder / trait.file for trait in chosen.values()]
        _write_all([*files, files[0].with_name(urdf_traits.TABLE)], folder)
    elif name is None:
        for group, listed in urdf_traits.grouped(chosen).items():
            click.echo(f"{group}:")
            for trait in listed:
                click.echo(f"  {trait.right:7} {trait.name}")
    elif name in chosen:
        click.echo(chosen[name].content, nl=False)
    else:
        raise click.UsageError(f"no trait is called {name!r}; `dalembert traits --form {form}` lists them all")


def _write_all(files: list[Path], folder: Path) -> None:
    """Nothing is written if something cannot be."""
    from cross_check.exchange.results.files import require_writable, write_bytes

    for file in files:
        require_writable(folder / file.name)
    for file in files:
        write_bytes(file.read_bytes(), folder / file.name)
    click.echo(f"wrote {len(files)} files into {folder}")
