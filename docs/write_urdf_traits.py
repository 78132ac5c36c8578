"""Writes docs/urdf-traits.md: what every engine's own reader makes of the torture set. Run ``python docs/write_urdf_traits.py``.

Every engine that is installed is asked, in a worker process, because readers end their process on some files. Names of engines as
arguments ask these alone; the page then has only them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cross_check.readers.tortured import TONES, Outcome, Tone, outcome
from implementations.engines.as_read import SUFFIX
from implementations.engines.declared import ENGINES
from implementations.plugins.user_code import UserCodeError
from implementations.processes.limits import Limits
from implementations.processes.remote import Remote
from implementations.protocol import Missing
from mechanisms.plain_text import markdown
from mechanisms.urdf_traits import GROUPS, TRAITS
from mechanisms.urdf_traits.trait import Trait

PAGE = Path(__file__).with_name("urdf-traits.md")

SECONDS = 20.0
"""What one file may take."""

SIGNS: dict[Tone, str] = {
    "right": "✓",
    "digits": "✓ digits",
    "refuses": "refuses",
    "refuses what is right": "✗ refuses",
    "warns": "✗ warns",
    "misreads": "✗✗",
    "accepts": "✗ reads it",
    "breaks": "✗ breaks",
    "not asked": "–",
}

HEAD = """\
# What readers make of URDF

`python docs/write_urdf_traits.py` asks the reader of every installed engine and writes this page. The torture set has
{traits} small URDF files with one trait each, and what is right to make of it: in numbers, written by hand, or "refuse". It is
the package [mechanisms/urdf_traits](../mechanisms/urdf_traits), which is installed with dalembert; tests compare our own reader
with it. [urdf.md](urdf.md) says how we read URDF and why.

`dalembert traits "axis of zero"` prints a file. `dalembert traits -o FOLDER` writes all of them, and traits.json, which says what
is right to make of each, for readers that are judged elsewhere.

A reading is compared in what all readers must agree on: which joints move, of which kind, behind which joint; the origin, the
axis, the damping and the mimicked joint of each; mass, centre of mass and inertia of what each joint carries, all along the
root's axes where every position is zero.

"either" in the column "right" means that a file breaks a rule of the format. A reader may refuse it; if it reads it, there is one
right reading. "ours" says whether we read or refuse it; what we ignore aloud is marked.

A trait that is marked ✗ is a matter of one file. It says nothing of the engine's dynamics.
"""


def ask(names: Sequence[str]) -> dict[str, dict[str, Outcome]]:
    """By engine with its version, and by trait: how its reader does. Engines that are not installed are left out."""
    found: dict[str, dict[str, Outcome]] = {}
    for engine in ENGINES:
        if "urdf" not in engine.reads or (names and engine.name not in names):
            continue
        reader = Remote(engine.name + SUFFIX, Limits(timeout=SECONDS))
        try:
            title = f"{engine.name} {reader.version}"
        except (Missing, UserCodeError) as error:
            print(f"{engine.name}: {error}", file=sys.stderr)
            continue
        found[title] = {name: outcome(trait, reader) for name, trait in TRAITS.items()}
        reader.close()
        print(f"{title}: {dict(_counted(found[title]))}", file=sys.stderr)
    return found


def _counted(outcomes: dict[str, Outcome]) -> Counter[Tone]:
    return Counter(one.tone for one in outcomes.values())


def render(found: dict[str, dict[str, Outcome]]) -> str:
    """The page."""
    counts = {title: _counted(outcomes) for title, outcomes in found.items()}
    lines = [HEAD.format(traits=len(TRAITS)), "## In numbers", ""]
    lines += [_row("sign", "the reader", *found), _row("---", "---", *("--:" for _ in found))]
    lines += [_row(SIGNS[tone], meaning, *(str(counts[title][tone]) for title in found)) for tone, meaning in TONES.items()]
    for group, traits in GROUPS.items():
        head = ("trait", "right", "ours", *found)
        lines += ["", f"## {group}", "", _row(*head), _row(*("---" for _ in head))]
        for trait in traits:
            cells = (_cell(outcomes[trait.name]) for outcomes in found.values())
            lines.append(_row(markdown(trait.name), trait.right, _ours(trait), *cells))
    lines += ["", "## Reasons", "", _row("trait", "why this is right"), _row("---", "---")]
    lines += [_row(markdown(trait.name), markdown(trait.why)) for trait in TRAITS.values()]
    return "\n".join(lines) + "\n"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _ours(trait: Trait) -> str:
    return "refuses" if trait.named else "✓ aloud" if trait.aloud else "✓"


def _cell(one: Outcome) -> str:
    says = one.tone in ("digits", "refuses what is right", "warns", "misreads", "accepts", "breaks")
    return f"{SIGNS[one.tone]} {markdown(one.words, 90)}".strip() if says else SIGNS[one.tone]


if __name__ == "__main__":
    PAGE.write_text(render(ask(sys.argv[1:])), "utf-8")
