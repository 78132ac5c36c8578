"""Simulations in sentences, for the terminal and the page, and the page with its charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from cross_check.exchange.results.objects import INFINITE
from cross_check.simulations.results import AtTime, Balance, Simulation, Simulations
from reports.line_charts import Line, line_chart
from reports.pages import page
from reports.words import count, listing, printable, units

DIGITS = (9, 6, 4, 3, 2, 1)
"""Decimals for which the page says until when they are right."""

MOST_TIMES = 3

MOST_CERTIFIED = 10
"""Times of a certified trajectory that are listed, the last one among them."""

MOST_NAMES = 3
"""Names in a sentence; the others are counted."""


def headline(one: Simulation, code: str) -> str:
    """Which scheme the steps follow."""
    about = ", ".join(filter(None, (one.mechanism, code, one.step if one.step != "step" else "")))
    steps = f"{count(one.rows - 1, 'step')} of {one.h:.6g} s"
    if not one.is_named:
        return f"{about}: {steps} follow no scheme that was tried; nearest: {one.schemes[0]}"
    how = ", ".join(filter(None, (one.schemes[0], one.moves.replace("; ", ", "), f"as if {one.altered}" if one.altered else "")))
    others = _other_schemes(one)
    also = f" (or {count(others, 'other scheme')}, which its digits do not tell apart)" if others else ""
    to = "as far as their digits show" if one.is_rounded else f"to {units(one.missed)} ε-units"
    if one.stray_steps:
        return f"{about}: {one.rows - 1 - one.stray_steps} of {steps} follow {how}{also}, {to}; {one.stray_steps} do not"
    return f"{about}: {steps} follow {how}{also}, {to}"


def _other_schemes(one: Simulation) -> int:
    """How many schemes the digits of a recording do not tell from the one that is named."""
    return len(one.schemes) - 1 if one.is_rounded else 0


def sentences(one: Simulation, code: str) -> list[str]:
    """What is known of a simulation, the headline first."""
    return [headline(one, code), *_details(one)]


def _details(one: Simulation) -> Iterator[str]:
    if one.is_named and one.stray_steps:
        first = one.strays[0]
        yield f"the first that does not ends at {first.time:.6g} s: {first.where} is off by {_share(first.share)}"
    end, own = one.off[-1], one.scheme_off[-1]
    off = f"off by {_number(end)} at {one.times[-1]:.6g} s ({one.where})"
    if end <= one.truth_off[-1]:
        yield f"{off}, which is not more than the truth itself may be off by"
    elif one.follows:
        order = f", of order {one.order:.2f}" if one.order and not _other_schemes(one) else ""
        yield f"{off}: all of it is the scheme's{order}" + (", and its digits'" if one.is_rounded else "")
    elif own is None:
        yield off
    else:
        yield f"{off}; without fault the scheme is off by {_number(own)}"
    if right := list(_right(one)):
        yield f"right to {listing(right)}"
    every = max(1, -(-len(one.certified) // MOST_CERTIFIED))
    listed = one.certified[::-every][::-1]
    others = [each for each in listed if each.is_other_motion]
    # Where the motion is another one, its errors in between say nothing more.
    yield from (_certified(each, bool(one.lengths)) for each in listed if each not in others[1:-1])
    yield from map(_balance, [each for each in one.balances if not each.is_the_schemes or each.name == "energy"])
    if kept := [each for each in one.balances if each.is_the_schemes and each.name != "energy"]:
        largest = max(kept, key=lambda each: abs(each.drift[-1]))
        names = ", ".join(each.name for each in kept[:MOST_NAMES]) + (
            f" and {len(kept) - MOST_NAMES} more" if len(kept) > MOST_NAMES else ""
        )
        yield f"conserved: {names}; drift by at most {_number(abs(largest.drift[-1]))} {largest.unit}, as the scheme has it"
    if one.structure:
        yield f"the scheme on this motion: {one.structure}"
    yield from one.notes


def _certified(one: AtTime, has_lengths: bool) -> str:
    off = f"at {one.time:.6g} s off by {_number(one.off)} from the certified trajectory ({one.where})"
    if one.is_other_motion:
        return f"{off}, which no shorter step mends: the motion is another one"
    if one.order is not None:
        return f"{off}: the scheme's, order {one.order:.2f}"
    return f"{off}: no order is seen; a shorter step may show it" if has_lengths else off


def _right(one: Simulation) -> Iterator[str]:
    """Until when how many decimals are right; the times that differ."""
    said = 0
    for decimals in DIGITS:
        limit = 0.5 * 10.0**-decimals
        k = next((k for k, off in enumerate(one.off) if off > limit), len(one.off))
        if 1 < k < len(one.off) and said < MOST_TIMES:
            said += 1
            yield f"{count(decimals, 'decimal')} until {one.times[k - 1]:.3g} s"
        elif k == len(one.off):
            yield f"{count(decimals, 'decimal')} until the end"
            return


def _balance(one: Balance) -> str:
    said = f"{one.name} drifts by {one.drift[-1]:+.2g} {one.unit}"
    if one.is_the_schemes:
        return f"{said}, as the scheme has it"
    own = one.scheme[-1]
    if own is None:
        return said
    rest = f"{one.drift[-1] - own:+.2g} {one.unit}"
    return f"{said}, and the scheme must have {own:+.2g} {one.unit}: the rest, {rest}, is a fault"


def _number(x: float) -> str:
    return "∞" if abs(x) >= 1e90 else f"{x:.2g}"


def _share(share: float) -> str:
    return f"{share:.2g} of how far it moves" if share < INFINITE else "more than any number"


def charts(one: Simulation) -> list[tuple[str, Markup]]:
    """Titles and charts."""
    error = [
        Line("bound", one.times, one.truth_off),
        Line("run", one.times, one.off),
        Line("scheme", one.times, one.scheme_off),
        Line("dots", [each.time for each in one.certified], [each.off for each in one.certified]),
    ]
    about = f"The error against time; {_number(one.off[-1])} at the end"
    made = [("Error", line_chart(error, "time (s)", "rad, m, per s", about, (False, True)))]
    for each in one.balances:
        lines = [Line("run", one.times, each.drift), Line("scheme", one.times, each.scheme)]
        title = f"{each.name[:1].upper()}{each.name[1:]}, drift"
        made.append((title, line_chart(lines, "time (s)", each.unit, f"The drift of {each.name} against time")))
    if one.lengths:
        h, off = [each.h for each in one.lengths], [each.off for each in one.lengths]
        slope = [off[0] * (x / h[0]) ** one.order for x in h] if one.order else []
        lines = [Line("scheme", h[: len(slope)], slope), Line("dots", h, off)]
        about = "The error against the step"
        made.append(("Error at the end", line_chart(lines, "step (s)", "rad, m, per s", about, (True, True))))
    return [(title, chart) for title, chart in made if chart]


def simulations_page(codes: Sequence[Simulations]) -> str:
    """All simulations as one page that opens from disk and needs no network and no script."""
    every = [(one, code.code) for code in codes for one in code.simulations]
    wrong = sum(not one.is_right for one, _ in every)
    said = f"{wrong} of {len(every)} simulations do not follow a scheme" if wrong else "Every simulation follows a scheme"
    if len(every) == 1:
        said = headline(*every[0])
    names: dict[str, Any] = {"charts": charts, "headline_of": headline, "details": lambda one: list(_details(one))}
    names |= {"simulations": every, "wrong": wrong, "codes": codes}
    return page("simulations.html", "simulations.css", headline=printable(said), **names)
