"""What a results document says, in a few sentences and figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cross_check.results import COMPARED
from reports.words import PROBLEMS, VERDICTS, Word, count, group, listing, number, one_line, position_names, title, units

Document = dict[str, Any]
Item = dict[str, Any]
"""A cell or an invariant."""


@dataclass(frozen=True)
class Tally:
    """One implementation's cells and invariants, counted."""

    name: str
    version: str
    cells: tuple[Item, ...]
    invariants: tuple[Item, ...]
    spec: str = ""

    def having(self, *verdicts: str) -> int:
        return sum(cell["verdict"] in verdicts for cell in self.cells)

    @property
    def compared(self) -> int:
        return self.having(*COMPARED)

    @property
    def violated(self) -> int:
        return sum(invariant["verdict"] == "discrepancy" for invariant in self.invariants)

    @property
    def failed(self) -> int:
        return sum(item["verdict"] == "failed" for item in (*self.cells, *self.invariants))

    @property
    def worst(self) -> Item | None:
        """The cell with the largest error, known faults aside."""
        unexplained = (cell for cell in self.cells if cell["error"] is not None and cell["verdict"] != "known")
        return max(unexplained, key=lambda cell: cell["error"], default=None)

    @property
    def verdict(self) -> str:
        """The gravest of its verdicts, invariants aside where cells disagree already."""
        if self.having("discrepancy"):
            return "discrepancy"
        if self.violated:
            return "broken"
        if self.failed:
            return "failed"
        return "agrees" if self.compared else "not run"

    @property
    def word(self) -> Word:
        return Word("breaks invariants", "✗", "discrepancy") if self.verdict == "broken" else VERDICTS[self.verdict]


def tallies(document: Document) -> list[Tally]:
    """One per implementation, in the run's order."""
    found: list[Tally] = []
    for entry in document["implementations"]:
        cells, invariants = (
            tuple(x for x in document[part] if x["implementation"] == entry["name"]) for part in ("cells", "invariants")
        )
        found.append(Tally(entry["name"], entry["version"], cells, invariants, entry["spec"]))
    return found


def problems(document: Document) -> list[Item]:
    """Every discrepancy and failure, grouped by implementation, cells before invariants."""
    return [item for tally in tallies(document) for item in (*tally.cells, *tally.invariants) if item["verdict"] in PROBLEMS]


def headline(document: Document) -> str:
    """The verdict of the whole run in one sentence."""
    return (faults(document) or [_agreement(document)])[0]


def faults(document: Document) -> list[str]:
    """What is wrong, the gravest first: a sentence each on discrepancies, broken invariants and failures."""
    found = tallies(document)
    sentences = []
    if wrong := [tally for tally in found if tally.having("discrepancy")]:
        verb = "disagrees" if len(wrong) == 1 else "disagree"
        cells = f"{sum(t.having('discrepancy') for t in wrong)} of {count(sum(t.compared for t in wrong), 'comparison')}"
        sentences.append(f"{_names(wrong)} {verb} with the truth in {cells}")
    if broken := [tally for tally in found if tally.violated]:
        verb = "breaks" if len(broken) == 1 else "break"
        sentences.append(f"{_names(broken)} {verb} {count(sum(t.violated for t in broken), 'invariant')}")
    if failed := [tally for tally in found if tally.failed]:
        sentences.append(f"{_names(failed)} failed {count(sum(t.failed for t in failed), 'time')}")
    return sentences


def _agreement(document: Document) -> str:
    agreeing = [tally for tally in tallies(document) if tally.compared]
    if not agreeing:
        return "Nothing was compared"
    mechanisms = count(len({c["mechanism"] for t in agreeing for c in t.cells if c["verdict"] in COMPARED}), "mechanism")
    who = f"All {len(agreeing)} implementations agree" if len(agreeing) > 1 else f"{one_line(agreeing[0].name, 60)} agrees"
    known = sum(tally.having("known") for tally in agreeing)
    return f"{who} with the truth on {mechanisms}" + (f", but for {count(known, 'known fault')}" if known else "")


def truths(document: Document) -> str:
    """What served as truth, and how far its two derivations are apart."""
    if certified := [m["certified"] for m in document["mechanisms"] if m.get("certified")]:
        return _certificate(certified, bridge(document))
    by = {name: sum(m["truth"] == name for m in document["mechanisms"]) for name in ("symbolic", "jets")}
    parts = []
    if by["symbolic"]:
        parts.append(f"symbolic on {count(by['symbolic'], 'mechanism')}")
    if by["jets"]:
        parts.append(f"by jets on {count(by['jets'], 'mechanism')}")
    if not parts:
        return ""
    gap = bridge(document)
    both = f" It and the spatial-algebra reference differ by {_most(gap)} ε-units." if gap is not None else ""
    return f"Held against the Lagrangian oracle, {listing(parts)}, in extended precision.{both}"


def _certificate(certified: list[dict[str, int]], gap: float | None) -> str:
    """A certified truth in words."""
    bits, ties = max(m["bits"] for m in certified), sum(m["ties"] for m in certified)
    even = f" ({count(ties, 'tie')} to even, as far as 2⁻¹⁰⁰⁰ ulps tell)" if ties else ""
    off = f" The spatial-algebra reference in float64 is off by {_most(gap)} ε-units." if gap is not None else ""
    return f"Held against certified values: the Lagrangian oracle in balls of up to {bits} bits, correctly rounded{even}.{off}"


def _most(gap: float) -> str:
    small = units(gap)
    return f"less than {small[1:]}" if small.startswith("<") else f"at most {small}"


ULPS = (
    "An ulp is the spacing of float64 at the correctly rounded value. Half / 99 in 100 / all numbers are within so many, zeros "
    "aside: where large terms cancel, even correct code is off by many, and only ε-units tell what is wrong."
)
"""What distances in units in the last place say."""


def ulps(cells: Iterable[Item]) -> str:
    """The largest distances of these cells from the correctly rounded values; nothing where none are known.

    Each of the three is that of the worst cell: half of the numbers of every cell are within the first.
    """
    known = [cell["ulps"] for cell in cells if cell.get("ulps")]
    largest = [max(x[name] for x in known) for name in ("median", "most", "largest")] if known else []
    return " / ".join(f"{x:.0f}" if x < 999.5 else units(x) for x in largest)


@dataclass(frozen=True)
class Distances:
    """A quantity's distances from the correctly rounded values, one per implementation, "–" where there is none."""

    quantity: str
    within: tuple[str, ...]


def distances(document: Document) -> list[Distances]:
    """Those of every quantity over all mechanisms, in the order of the run; none where the truth is not certified."""
    found = tallies(document)
    names = dict.fromkeys(cell["quantity"] for cell in document["cells"] if cell.get("ulps"))
    return [Distances(name, tuple(ulps(c for c in t.cells if c["quantity"] == name) or "–" for t in found)) for name in names]


def bridge(document: Document) -> float | None:
    """Oracle against reference, the largest distance in ε-units: both in extended precision, or as a certified truth has it."""
    return max((gap for mechanism in document["mechanisms"] for gap in mechanism["bridge"].values()), default=None)


def absent(document: Document) -> list[tuple[str, str, list[str]]]:
    """What was not offered or unsupported: equal reasons together, with the mechanisms that they concern.

    What an implementation does not offer is one reason, however much that is. An invariant goes by its name, since the
    reason tells only which of the quantities that it needs is lacking.
    """
    together: dict[tuple[str, str], list[str]] = {}
    lacking: dict[str, dict[str, list[str]]] = {}
    for item in (*document["cells"], *document["invariants"]):
        if item["verdict"] == "not offered" and "quantity" in item:
            lacking.setdefault(item["implementation"], {}).setdefault(item["quantity"], []).append(item["mechanism"])
        elif item["verdict"] in ("not offered", "unsupported"):
            message = item["message"] if "quantity" in item else f"{item['name']}: {item['message']}"
            together.setdefault((item["verdict"], message), []).append(item["mechanism"])
    for implementation, quantities in lacking.items():
        concerned = [name for names in quantities.values() for name in names]
        together[("not offered", f"{implementation} does not offer {_together(document, list(quantities))}")] = concerned
    return [(verdict, message, list(dict.fromkeys(names))) for (verdict, message), names in together.items()]


def _together(document: Document, quantities: list[str]) -> str:
    """Quantities in words; a group of which all are among them goes by its name."""
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(cell["quantity"] for cell in document["cells"]):
        groups.setdefault(group(name), []).append(name)
    whole = [about for about, names in groups.items() if len(names) > 1 and set(names) <= set(quantities)]
    return listing([*whole, *(title(name) for name in quantities if group(name) not in whole)])


def reason(document: Document, item: Item) -> str:
    """One line: why this cell or invariant is not simply in agreement."""
    if item["verdict"] != "discrepancy" or "quantity" not in item:
        violated = f"violated by {units(item['error'])} ε-units" if item["error"] is not None else ""
        return one_line(item["message"] or violated or item["verdict"])
    where = f" in {item['worst']['coordinate']}" if item["worst"] and item["worst"]["coordinate"] else ""
    kinds = pattern(document, item)
    return one_line("; ".join(part for part in (item["message"], f"off by {units(item['error'])} ε-units{where}", kinds) if part))


def pattern(document: Document, cell: Item) -> str:
    """Which states are wrong, by kind: what the right ones lack is what the error needs."""
    bar, kinds = document["settings"]["bar"], mechanism_of(document, cell)["kinds"]
    if len(kinds) != len(cell["errors"]) or not kinds:
        return ""
    wrong = {kind for kind, error in zip(kinds, cell["errors"], strict=True) if error > bar}
    right = [kind for kind in dict.fromkeys(kinds) if kind not in wrong]
    states = f"wrong in {sum(error > bar for error in cell['errors'])} of {count(len(kinds), 'state')}"
    if not (right and wrong):
        return states
    # At rest v and a are zero, so their terms cannot show.
    terms = "velocity and acceleration terms" if "dynamics" in cell["quantity"] else "velocity terms"
    hint = f", so only where something moves: look at {terms}" if set(right) == {"zero", "at rest"} else ""
    return f"{states}, right in those of kind {listing(right)}{hint}"


def mechanism_of(document: Document, item: Item) -> dict[str, Any]:
    """The mechanism that an item is about."""
    return next(mechanism for mechanism in document["mechanisms"] if mechanism["name"] == item["mechanism"])


def inputs(mechanism: dict[str, Any], given: dict[str, list[Any]]) -> list[tuple[str, list[tuple[str, str]]]]:
    """A state's inputs by argument, every number in full precision beside its coordinate, or its body and component."""
    forces = [f"body {k} {part}" for k in range(mechanism["bodies"]) for part in ("nx", "ny", "nz", "fx", "fy", "fz")]
    names = {"q": position_names(mechanism), "f": forces}
    return [
        (
            argument,
            [(name, number(x)) for name, x in zip(names.get(argument, mechanism["coordinates"]), _flat(values), strict=False)],
        )
        for argument, values in given.items()
    ]


def _flat(values: list[Any]) -> list[float]:
    return [x for value in values for x in (value if isinstance(value, list) else [value])]


def _names(found: list[Tally]) -> str:
    return listing([one_line(tally.name, 60) for tally in found]) if len(found) <= 3 else f"{len(found)} implementations"
