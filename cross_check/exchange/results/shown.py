"""What a run can show, has not drawn, and how sharp it is, in sentences: the same in the terminal, in Markdown, in the report and
in messages of tests.
"""

from __future__ import annotations

from cross_check.exchange.results.objects import HISTORY, Cell, Coverage, Results
from mechanisms.library.drawn import IN_WORDS, PREFIX
from mechanisms.numbers.precision import precision_named
from mechanisms.plain_text import count, listing, one_line
from mechanisms.quantities import QUANTITIES

MOST = 8
"""Things that a sentence names; the results file has them all."""

OF_JOINTS = " joints"
"""How groups of faults end that concern one kind of joint."""


def coverage_sentences(results: Results, brief: bool = False) -> list[str]:
    """One sentence, without full stop, on what the run would have missed; one for each if implementations differ in this.

    A brief sentence counts the faults, and says that the option -v lists them.
    """
    whole = len(results.coverage) == 1
    return [_sentence(one, "The run" if whole else f"For {_names(one)} the run", brief) for one in results.coverage]


TERMS = {"Coriolis and centrifugal": "Coriolis and centrifugal terms"}
"""Groups of faults in words, where the name of the group is not enough."""


def limits(results: Results) -> str:
    """Motion to which all mechanisms of the run are restricted, such as "planar motion"; empty if there is none."""
    motions = {coverage.motion for coverage in results.coverage}
    return motions.pop() if len(motions) == 1 else ""


def not_shown(results: Results) -> str:
    """The basic terms of which the run shows nothing at all, in a clause; empty if it shows something of each."""
    lacking = [coverage for coverage in results.coverage if coverage.lacks and not coverage.is_empty]
    whole = len(results.coverage) == 1
    return "; ".join(f"{'this run' if whole else f'for {_names(one)} this run'} cannot show {_terms(one)}" for one in lacking)


def _terms(coverage: Coverage) -> str:
    *others, last = (TERMS.get(term, term) for term in coverage.lacks)
    return f"{', '.join(others)} or {last}" if others else last


def exercised(results: Results) -> list[str]:
    """For every coverage that is not complete, a sentence, without full stop, on what is exercised."""
    lines = []
    for coverage in results.coverage:
        if coverage.hidden and not (coverage.untried and coverage.hidden == coverage.faults):
            who = f" for {_names(coverage)}" if len(results.coverage) > 1 else ""
            terms = [group for group in coverage.exercised if not group.endswith(OF_JOINTS)]
            joints = listing(coverage.joints) or "none"
            parts = [group for group in coverage.invisible if group not in coverage.unseen and not group.endswith(OF_JOINTS)]
            of = listing(terms) or (f"parts of {listing(parts[:MOST])}" if parts else "nothing")
            lines.append(f"Exercised{who}: {of}; kinds of joints: {joints}")
    return lines


def _sentence(coverage: Coverage, subject: str, brief: bool) -> str:
    if not coverage.faults:
        return f"{subject} compared quantities about which no typical faults are listed"
    tried = count(coverage.faults, "typical fault")
    large = listing([one_line(name, 60) for name in coverage.untried[:MOST]])
    if not coverage.hidden:
        return f"{subject} would miss none of {tried}"
    if coverage.untried and coverage.hidden == coverage.faults:
        run = f"{subject[:1].lower()}{subject[1:]}"
        return f"It is not known which faults {run} would miss, because {large} is too large to try them"
    remedies = [f"take {coverage.states} states"] * bool(coverage.states) + [f"add {listing(coverage.add)}"] * bool(coverage.add)
    remedy = f"; {listing(remedies)}" if remedies else ""
    if large:
        remedy = f"; {large} may show some of them, and is too large to try"
    which = ", which -v lists" if brief else f": {listing(_missed(coverage))}"
    return f"{subject} would miss {coverage.hidden} of {tried}{which}{remedy}"


def _missed(coverage: Coverage) -> list[str]:
    """Terms of which nothing shows, the number of kinds of joints, and single faults of other terms."""
    terms = [group for group in coverage.unseen if not group.endswith(OF_JOINTS)]
    joints = [group for group in coverage.unseen if group.endswith(OF_JOINTS)]
    named = [f"{len(joints)} kinds of joints" if len(joints) > 1 else joint for joint in joints[:1]]
    single = [f"“{name}”" for group, names in coverage.invisible.items() if group not in coverage.unseen for name in names]
    missed = [*terms[:MOST], *named, *single]
    rest = len(terms[MOST:]) + len(missed[MOST + 2 :])
    return [*missed[: MOST + 2], f"{rest} more"] if rest else missed


def _names(coverage: Coverage) -> str:
    return listing([one_line(name, 60) for name in coverage.implementations])


def undrawn(results: Results) -> list[str]:
    """A sentence, without full stop; none for recorded data, which has the mechanism and the states that it has.

    It gives no advice, because code for one robot could not follow it.
    """
    if results.settings.recorded or not results.mechanisms:
        return []
    drawn = {word for one in results.mechanisms for word in one.spec.split(":") if PREFIX in one.spec.split(":")}
    most = max(one.bodies for one in results.mechanisms)
    bodies = "one body" if most == 1 else f"{most} bodies"
    lacking = [words for trait, words in IN_WORDS.items() if trait not in drawn]
    sentence = f"No mechanism had more than {bodies}" + (f"; not drawn were {listing(lacking)}" if lacking else "")
    asked_again = any(one.name == HISTORY for one in results.invariants)
    return [sentence if asked_again else f"{sentence}; earlier calls and other batches were not tried"]


MOST_SHARP = 4
"""Implementations that a sentence on sharpness names."""


def sharpnesses(results: Results) -> list[tuple[Cell, float]]:
    """The right cells whose errors were fitted, each with the part of its size to which every number is right.

    Code that is wrong somewhere is left out.
    """
    accused = {cell.implementation for cell in results.cells if cell.verdict == "discrepancy"}
    right = (cell for cell in results.cells if cell.verdict == "agrees" and cell.implementation not in accused)
    return [(cell, cell.sharpness.bound) for cell in right if cell.sharpness]


def sharpness_sentences(results: Results) -> list[str]:
    """A sentence, without full stop, on how well the mechanisms' numbers are known; none if no errors were fitted."""
    if not (fitted := sharpnesses(results)):
        return []
    bounds: dict[str, float] = {}
    for cell, bound in fitted:
        bounds[cell.implementation] = max(bounds.get(cell.implementation, 0.0), bound)
    symbols = dict.fromkeys(QUANTITIES[cell.quantity].symbol for cell, _ in fitted)
    worst = dict(sorted(bounds.items(), key=lambda item: -item[1])[:MOST_SHARP])
    known = listing([f"{bound:.2g} in {one_line(name, 40)}" for name, bound in worst.items()])
    others = "; in the others they are at least as good" if len(bounds) > MOST_SHARP else ""
    fixed = (precision_named(entry.precision).is_fixed for entry in results.implementations if entry.name in bounds)
    others += "; in fixed point, numbers below one count as one" if any(fixed) else ""
    of = f"{listing(list(symbols))} {'depend' if len(symbols) > 1 else 'depends'}"
    return [f"Every number of a mechanism on which {of} is right, to this part of its size: {known}{others}"]
