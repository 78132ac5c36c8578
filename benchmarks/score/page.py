"""The page docs/score.md, from verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from score.entry import BANK
from score.judge import Verdict

NAMES = {
    "terms": "terms of the equations",
    "misread": "misread models",
    "conventions": "conventions",
    "arithmetic": "arithmetic",
    "history": "history",
    "conditions": "conditions",
    "trackers": "faults from public trackers",
    "quantities": "kinematics, derivatives, regressor",
    "pairs": "two faults at once",
    "formulations": "other formulations",
    "disguises": "disguises",
}
"""The classes, in words."""

HEAD = """# The checker's own score

This page is for readers who ask how far a named cause can be trusted. After it they know how many known faults the checker
detects, locates and names, and how often it blames right code. `tox -e score` writes the page.

The bank ([`benchmarks/score/bank`](../benchmarks/score/bank)) has faulty code and misread models with documented causes, and
correct code in disguise. It is plain NumPy over `mechanism.arrays`, and shares no code with the derivations, the oracle or the
faults of this project. Every entry is checked alone. The diagnosis was written with the bank at hand: of faults that nobody has
thought of yet, fewer will be named.

- *Detected*: a quantity disagrees. Faults that the coverage statement of the run declares invisible are counted apart.
- *Located*: the cause names exactly the bodies or joints at fault, or says that the fault is everywhere if it is.
- *Term*: the cause names the term of the equations, or the parameter.
- *Named*: the cause has the right kind and place, and nothing remains unexplained. It says what the bank documents: in a synonym
  that the entry lists, or by the wrong and the right number of a parameter.
- *Among alternatives*: an open question has the right answer among its alternatives. It is neither named nor false.
- *False*: a sentence blames what is right.
"""


def page(verdicts: Sequence[Verdict]) -> str:
    """The page as Markdown."""
    return f"{HEAD}\n{tables(verdicts)}\n\n## From public trackers\n{_sources()}\n"


def tables(verdicts: Sequence[Verdict], heading: str = "##") -> str:
    """The totals, and the tables under headings of this level."""
    faults = _ordered([v for v in verdicts if not v.correct])
    correct = _ordered([v for v in verdicts if v.correct])
    parts = {
        "Faulty code": _table(faults),
        "Correct code": _correct_table(correct),
        "Accusations of what is right": _accusations([*faults, *correct]),
        "Misses": _misses(faults),
    }
    return "\n\n".join([totals(verdicts), *(f"{heading} {title}\n{part}" for title, part in parts.items())])


def totals(verdicts: Sequence[Verdict]) -> str:
    """The totals, in one sentence."""
    faults, correct = [v for v in verdicts if not v.correct], [v for v in verdicts if v.correct]
    shown, below = [v for v in faults if v.shows], _count(faults, "below")
    bodies = [v.bodies for v in faults if v.bodies is not None]
    false = sum(len(v.accusations) for v in verdicts)
    example = f"the median example has {median(bodies):g} bod{'y' if median(bodies) == 1 else 'ies'}; " if bodies else ""
    return (
        f"Of {len(shown)} faults, {_share(shown, 'detected')} are detected, {_share(shown, 'located')} located, "
        f"{_share(shown, 'term')} have their term named, {_share(shown, 'named')} their cause; {example}"
        f"{len(correct)} correct codes; {false} false accusation{'' if false == 1 else 's'}; "
        f"{_count(faults, 'invisible')} declared invisible" + (f"; {below} below the arithmetic." if below else ".")
    )


def numbers(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """What every report states of the score."""
    faults = [v for v in verdicts if v.shows]
    correct = [v for v in verdicts if v.correct]
    return {
        "faults": len(faults),
        "named": _count(faults, "named"),
        "correct": len(correct),
        "accused": _count(correct, "accusations"),
    }


def _share(verdicts: Sequence[Verdict], what: str) -> str:
    n = _count(verdicts, what)
    return f"{n} ({100 * n / len(verdicts):.1f} %)" if verdicts else "0"


def _count(verdicts: Sequence[Verdict], what: str) -> int:
    """How many of these have a field that is true."""
    return sum(bool(getattr(verdict, what)) for verdict in verdicts)


def _ordered(verdicts: Sequence[Verdict]) -> list[Verdict]:
    order = list(BANK)
    return sorted(verdicts, key=lambda v: order.index(v.name))


def _groups(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    found: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.group, []).append(verdict)
    return {group: found[group] for group in NAMES if group in found}


def _table(faults: Sequence[Verdict]) -> str:
    apart = ["invisible", *(["below"] if any(v.below for v in faults) else [])]
    judged = {"detected": "detected", "located": "located", "term": "term", "named": "named", "among alternatives": "uncertain"}
    header = ["class", "faults", *apart, *judged, "false", "bodies", "seconds"]
    lines = [f"| {' | '.join(header)} |", "|---" + "|--:" * (len(header) - 1) + "|"]
    rows = [(NAMES[group], own) for group, own in _groups(faults).items()]
    for name, own in [*rows, ("**all**", list(faults))]:
        shown = [v for v in own if v.shows]
        bodies = [v.bodies for v in own if v.bodies is not None]
        counts = [*(_count(own, what) for what in apart), *(_count(shown, what) for what in judged.values())]
        false = sum(len(v.accusations) for v in own)
        cells = [name, len(own), *counts, false, f"{median(bodies):g}" if bodies else "–", _seconds(own)]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _seconds(verdicts: Sequence[Verdict]) -> str:
    return f"{median(v.seconds for v in verdicts):.1f}" if verdicts else "–"


def _correct_table(correct: Sequence[Verdict]) -> str:
    lines = ["| class | correct codes | discrepancies | false | seconds |", "|---|--:|--:|--:|--:|"]
    for group, own in _groups(correct).items():
        false = sum(len(v.accusations) for v in own)
        lines.append(f"| {NAMES[group]} | {len(own)} | {sum(v.detected for v in own)} | {false} | {_seconds(own)} |")
    return "\n".join(lines)


def _accusations(verdicts: Sequence[Verdict]) -> str:
    lines = [f"- {v.name}: {_plain(text)}" for v in verdicts for text in v.accusations]
    return "\n".join(lines) or "None."


def _misses(faults: Sequence[Verdict]) -> str:
    missed = [v for v in faults if not v.below and not (v.named and v.located)]
    if not missed:
        return "None."
    lines = ["| fault | on | what is wrong | detected | located | why it is missed |", "|---|---|---|---|---|---|"]
    for v in missed:
        entry = BANK[v.name]
        detected = "invisible" if v.invisible else "yes" if v.detected else "no"
        cells = [v.name, entry.tried_on, entry.sentence, detected, "yes" if v.located else "no", v.reason]
        lines.append(f"| {' | '.join(map(_plain, cells))} |")
    return "\n".join(lines)


def _sources() -> str:
    lines = ["| what is wrong | page |", "|---|---|"]
    for entry in BANK.values():
        if entry.source:
            short = entry.source.removeprefix("https://github.com/")
            lines.append(f"| {_plain(entry.sentence)} | [{short}]({entry.source}) |")
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Text in a cell of a table."""
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())
