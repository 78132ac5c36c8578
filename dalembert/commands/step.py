"""The command step: which schemes the time steps of a code follow."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import click
import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.recorded_data.subject import PREFIX
from cross_check.exchange.results.objects import BAR
from cross_check.explain.findings.finding import Prediction
from cross_check.explain.findings.known import findings_of
from cross_check.judge.comparison.measure import finite
from cross_check.judge.settings import Settings
from cross_check.simulations.parting import apart_in_steps, parted
from cross_check.steps.asked import answered, answered_further, ask, lengths, repeats, slow, steps_case
from cross_check.steps.motion import Motion
from cross_check.steps.moves import Fault
from cross_check.steps.naming import Named, Naming
from cross_check.steps.order import order_of
from cross_check.steps.results import FORM, MechanismSteps, Steps, common
from cross_check.steps.several_steps import several_steps
from cross_check.steps.taken import unwrapped
from dalembert.commands.asking import Refusals, asked, keep_json
from dalembert.commands.simulation import MECHANISMS, names_of, simulate
from dalembert.outputs import input_files, is_page, remove_earlier, require_outputs
from dalembert.printing import progress
from dalembert.session import about_code, execution_from, select, settings_from
from implementations.plugins.registry import names_of_implementations
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.plain_text import one_line
from mechanisms.quantities.quantity import entries
from mechanisms.quantities.steps import STEP
from reports.words import units

SETTINGS = ("seed", "precision")

LONG = 0.02
"""The step (s) from which the order is measured."""

MOST_OTHERS = 3
"""A step is compared with those of another code if they have its name, or are so few."""

OTHERWISE = "asked again in another order, it answers otherwise: it depends on earlier calls, or on chance"

WRAPS = "  it takes whole turns away from angles; they are put back here"

ONLY_DRAWN = "it follows the nearest one at the states that are drawn; at those to which these steps lead it does not"

MOVED = "integrate"
"""The quantity of which known faults tell how positions move."""

RUNS = 3
"""From so many states code goes on by itself, to see which earlier steps it needs."""

LEAST_ORDER = 0.5
"""Below it, a step has no order."""


def step(code: str, mechanism: tuple[str, ...], **options: Any) -> int:
    """Name the schemes; the exit code."""
    how = execution_from(options)
    settings = settings_from({name: options[name] for name in SETTINGS})
    files = {"output": options["output"]}
    codes = (code, *(word for word in mechanism if _is_code(word)))
    mechanism = tuple(word for word in mechanism if word not in codes)
    require_outputs(files, input_files(mechanism, codes))
    if any(word.startswith(PREFIX) for word in codes) or is_page(options["output"]) or options["along"]:
        return simulate(codes, mechanism, options, how, settings)
    selection = select(mechanism, codes, (), how, settings.seed, MECHANISMS)
    remove_earlier(files)
    runs = [CodeSteps(one, settings, options["states"], options["h"], options["scheme"] or "") for one in selection.entries]
    if len(runs) > 1 and options["output"]:
        raise click.UsageError("-o is about one code; name one, or leave it out")
    with asked(selection.entries, lambda: keep_json(runs[0].document, options["output"])):
        for run in runs:
            run.name(selection.mechanisms)
    ends = [run.conclude() for run in runs]
    return max([*ends, *(_part(*pair) for pair in combinations(runs, 2))])


def _is_code(word: str) -> bool:
    """Whether a word names an implementation. What a file is depends on what it defines."""
    return word in names_of_implementations() or word.startswith((PREFIX, "cmd:", "lib:"))


def _part(first: CodeSteps, second: CodeSteps) -> int:
    """Print whether two codes take the same steps, and if not, why; the exit code."""
    same = True
    for (spec, name), named in first.named.items():
        alike = {other: one for (on, other), one in second.named.items() if on == spec}
        others = [name] if name in alike else list(alike)
        if len(others) > MOST_OTHERS:
            click.echo(
                f"{one_line(spec)}: {second.code.name} has no {name} beside {first.code.name}'s; their schemes stand above"
            )
            continue
        for other in others:
            names = [f"{run.code.name}" + (f", {one}," if one != "step" else "") for run, one in ((first, name), (second, other))]
            found = named.found, alike[other].found
            apart = apart_in_steps(named.mechanism, *(one.step for one in found))
            words, agrees = parted(named.mechanism, (names[0], names[1]), found, apart)
            click.echo(f"{one_line(spec)}: {words}")
            same &= agrees
    return 0 if same else 1


class NamedOn(NamedTuple):
    """What is known of the steps of one mechanism."""

    mechanism: Mechanism
    found: Named


@dataclass
class CodeSteps:
    """The steps of one code; what was found so far."""

    code: Entry
    settings: Settings
    states: int
    h: float | None
    wanted: str
    """The scheme that is required; empty if any will do."""
    found: list[MechanismSteps] = field(default_factory=list)
    named: dict[tuple[str, str], NamedOn] = field(default_factory=dict)
    """By the word for a mechanism and the name of the step."""
    refusals: Refusals = field(default_factory=Refusals)

    def name(self, mechanisms: list[tuple[str, Mechanism]]) -> None:
        """Print the scheme of every step of every mechanism."""
        precision = self.settings.precision_of(self.code.subject, self.code.spec)
        for spec, mechanism in mechanisms:
            about = one_line(spec)
            if mechanism.constraints:
                click.echo(f"{about}: left out: steps of mechanisms with constraints are not judged")
                continue
            with self.refusals.said(about):
                loaded = self.code.subject.load(mechanism.in_precision(precision))
                for name in names_of(self.code, loaded, about):
                    with self.refusals.said(f"{about}, {name}"):
                        self._name(spec, mechanism.in_precision(precision), loaded, name)

    def _name(self, spec: str, mechanism: Mechanism, loaded: Any, name: str) -> None:
        case = steps_case(mechanism, self.settings.seed, self.states, self.h)
        answer = answered(case, loaded, name, lengths(case, self.settings.seed, self.h))
        taken, about = unwrapped(mechanism, answer), f"{one_line(spec)}, {name}"
        wraps = not np.array_equal(taken.next_q, answer.next_q)
        with progress() as show:
            make = partial(Naming, case.truth, case.scale, taken, partial(show, f"{about}: schemes tried"))
            fault, known = self._known(mechanism)
            named = (naming := make(fault)).named() if fault else None
            if named is None or not named.agrees:
                named, known = (naming := make()).named(), ()
        only_drawn = False
        if named.agrees:
            further = answered_further(case, loaded, name, taken)
            named = naming.confirmed(named, unwrapped(mechanism, further))
            only_drawn = not named.agrees
        self.named[spec, name] = NamedOn(mechanism, named)
        asking = partial(ask, loaded, name)
        near, order, earlier = slow(taken, LONG), None, ""
        if not named.agrees:
            order = order_of(asking, near.q, near.v, near.tau, LONG, mechanism.precision.epsilon)
        alike = named.agrees or repeats(loaded, name, answer)
        if only_drawn or not alike:
            earlier = several_steps(asking, Motion(case.truth), near.pick(np.flatnonzero(near.v.any(axis=1))[:RUNS]))
        more = {"repeats": alike and not earlier, "order": order, "earlier": earlier, "known": known, "wraps": wraps}
        one = _told(spec, mechanism, name, named, **more, only_drawn=only_drawn)
        self.found.append(one)
        click.echo("\n".join(_lines(one)))

    def _known(self, mechanism: Mechanism) -> tuple[Fault | None, tuple[str, ...]]:
        """What the known faults of the engine do to positions that move, and their pages."""
        findings = findings_of(self.code.subject.engine, self.code.version)
        moving = [one for one in findings if MOVED in one.predict(mechanism, REFERENCE.load(mechanism))]
        if not moving:
            return None, ()
        prediction = Prediction(moving, mechanism)
        fault = Fault(partial(prediction.added, MOVED), partial(prediction.bound, MOVED))
        return fault, tuple(one.page for one in moving)

    @property
    def document(self) -> Steps:
        return Steps(FORM, *about_code(self.code, self.settings), tuple(self.found))

    def conclude(self) -> int:
        """Print what holds for all mechanisms; the exit code."""
        by_name = defaultdict[str, list[MechanismSteps]](list)
        for one in self.found:
            by_name[one.step].append(one)
        follows = True
        for name, found in by_name.items():
            scheme = common(found)
            on = f"on {len(found)} mechanism{'s' if len(found) > 1 else ''}"
            if not scheme:
                click.echo(f"{self.code.name}, {name}: no scheme agrees {on}")
            elif not scheme.startswith(self.wanted):
                click.echo(f"{self.code.name}, {name}: {scheme}, not {self.wanted}, {on}")
            else:
                click.echo(f"{self.code.name}, {name}: {scheme}, to {units(max(one.miss for one in found))} ε-units {on}")
            follows &= bool(scheme) and scheme.startswith(self.wanted)
        return self.refusals.exit_code(bool(self.found), follows)


def _told(spec: str, mechanism: Mechanism, name: str, named: Named, **more: Any) -> MechanismSteps:
    first, parts = named.candidates[0], entries(mechanism, STEP.axes[0])
    agreeing = named.residual.by_state <= BAR
    off = np.abs(named.off if agreeing.all() else named.off[~agreeing])
    medians = [float(np.median(part.max(axis=1))) for part in np.split(off, [mechanism.nq], axis=1)]
    further = slice(0, mechanism.nq) if medians[0] > medians[1] else slice(mechanism.nq, None)
    worst = further.start + int(np.median(off[:, further], axis=0).argmax())
    return MechanismSteps(
        spec,
        name,
        tuple(dict.fromkeys(one.scheme.words for one in named.candidates)),
        first.chart.words(mechanism),
        first.alteration.words(mechanism) if first.alteration and named.is_explained else "",
        finite(named.residual.worst),
        finite(max(medians)),
        int(agreeing.sum()),
        parts[worst].replace(" ", "⁺ ", 1),
        states=len(named.step.q),
        agrees=named.agrees,
        **more,
    )


def _lines(one: MechanismSteps) -> list[str]:
    """What is printed of one mechanism."""
    about, scheme = f"{one_line(one.mechanism)}, {one.step}", one.schemes[0]
    moves = f"; {one.moves}" if one.moves else ""
    to = f"to {units(one.miss)} ε-units at {one.states} states"
    again = [WRAPS] if one.wraps else []
    if one.agrees:
        but = f", but for a known fault ({', '.join(one.known)})" if one.known else ""
        return [f"{about}: {scheme}{moves}, {to}{but}", *again]
    if not one.repeats:
        again.append(f"  it needs earlier steps: {one.earlier}" if one.earlier else f"  {OTHERWISE}")
    if one.altered:
        return [f"{about}: {scheme}{moves}, as if {one.altered}, {to}{_order(one.order)}", *again]
    if one.only_drawn:
        again.append(f"  {ONLY_DRAWN}")
    lines = [f"{about}: follows no scheme that was tried{_order(one.order)}", *again]
    part = f"{one.worst} is off by {one.off:.2g} of the change of {one.worst[0]} (median)"
    where = f"it agrees at {one.agreeing} of {one.states} states; at the others " if one.agreeing else ""
    return [*lines, f"  nearest: {scheme}{moves}; {where}{part}"]


def _order(order: float | None) -> str:
    if order is None:
        return ""
    if order < LEAST_ORDER:
        return "; of no order: one step and two half steps do not come near each other as h gets small"
    return f"; order {order:.2f} in h"
