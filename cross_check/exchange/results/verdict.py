"""The verdict on a run. Exit code, terminal, HTML, JUnit, Markdown and the pytest message all state this one object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cross_check.exchange.results.objects import (
    AS_WRITTEN,
    BAR,
    COMPARED,
    DECLARED,
    NO_READER,
    REGRESSIONS,
    SCATTERS,
    BaselineComparison,
    ChangeKind,
    Item,
    Results,
)
from cross_check.exchange.results.shown import coverage_sentences, limits, not_shown, undrawn
from cross_check.exchange.results.tally import Tally, tallies
from cross_check.exchange.results.versions import Versions, step_sentence
from mechanisms.plain_text import count, listing, one_line

RunKind = Literal["agrees", "discrepancy", "failed", "regression", "nothing compared", "not shown", "interrupted"]

Tone = Literal["agrees", "discrepancy", "failed", "absent"]

KINDS: dict[RunKind, tuple[int, Tone]] = {
    "agrees": (0, "agrees"),
    "discrepancy": (1, "discrepancy"),
    "regression": (1, "discrepancy"),
    "failed": (3, "failed"),
    "nothing compared": (5, "absent"),
    "not shown": (6, "absent"),
    "interrupted": (130, "absent"),
}
"""The exit code of a run, and how pages mark it."""

PHRASES: dict[ChangeKind, tuple[str, str]] = {
    "broken": ("agreed in the baseline and does not any more", "agreed in the baseline and do not any more"),
    "worse": ("is worse than in the baseline", "are worse than in the baseline"),
    "lost": ("was compared in the baseline and is not any more", "were compared in the baseline and are not any more"),
    "replaced": ("is not the one of the baseline", "are not those of the baseline"),
    "unrecorded": ("has no cell in the baseline", "have no cell in the baseline"),
    "new": ("is new", "are new"),
    "fixed": ("is fixed", "are fixed"),
    "better": ("is better", "are better"),
    "moved": ("moved within the bar", "moved within the bar"),
}
"""What the headline says about changes of each kind, for one and for several. What is no regression stands in parentheses."""


@dataclass(frozen=True)
class RunVerdict:
    """``sentences`` begin with the headline. They say everything that is wrong, the gravest first, and then which code is for one
    robot alone. ``missed`` says what a run without faults would not have noticed. None has a full stop.
    """

    kind: RunKind
    sentences: tuple[str, ...]
    missed: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return KINDS[self.kind][0]

    @property
    def tone(self) -> Tone:
        """How pages mark it."""
        return KINDS[self.kind][1]

    @property
    def headline(self) -> str:
        return self.sentences[0]

    @property
    def text(self) -> str:
        return ". ".join([*self.sentences, ""]).rstrip()


def verdict_of(results: Results, brief: bool = False) -> RunVerdict:
    """The verdict on these results, with the baseline comparison if they carry one. A brief one counts missed faults, and does
    not list them."""
    counted = tallies(results)
    kind = _kind(results, counted)
    faults = _faults(counted)
    headline, *others = faults or [_agreement(counted, results)]
    says_right = kind in ("agrees", "regression", "not shown")
    if says_right:
        headline += f", as far as {motion} shows" if (motion := limits(results)) else ""
        headline += f", within a bar of {results.settings.bar:g} ε-units, not {BAR:g}" if results.settings.is_lenient else ""
    if results.baseline and (kind != "nothing compared" or results.baseline.regressions):
        headline += _against_baseline(results.baseline, bool(faults))
    if missing := _missing_answers(counted):
        headline += f"; {missing}"
    if (idle := _idle(counted)) and len(idle) < len(counted):
        headline += f"; {_names(idle)} compared nothing"
    if says_right and (lacking := not_shown(results)):
        headline += f"; {lacking}"
    if results.versions:
        if kind != "nothing compared":
            headline, others = _from_release_to_release(results.versions), [headline, *others]
        if absent := _missing_releases(results):
            headline, others = absent, [headline, *others]
    if results.interrupted:
        headline = f"Interrupted before the end; until then: {headline}"
    others += _of_one_robot(results)
    could_miss = kind not in ("discrepancy", "failed")
    missed = (*_unread(counted), *coverage_sentences(results, brief), *undrawn(results)) if could_miss else ()
    return RunVerdict(kind, (headline, *others), missed)


def _of_one_robot(results: Results) -> list[str]:
    """Sentences on code for one robot, which was asked about no other mechanism."""
    return [
        f"{one_line(entry.name, 60)} is code for {listing([*map(one_line, entry.one_robot)])} alone, because "
        f"{listing([*dict.fromkeys(map(one_line, entry.one_robot.values()))])}; it was asked about no other mechanism"
        for entry in results.implementations
        if entry.one_robot
    ]


def _kind(results: Results, counted: list[Tally]) -> RunKind:
    verdicts = {item.verdict for item in results.items}
    if results.interrupted:
        return "interrupted"
    if "discrepancy" in verdicts:
        return "discrepancy"
    if "failed" in verdicts:
        return "failed"
    if results.baseline and results.baseline.regressions:
        return "regression"
    if results.versions and results.versions.has_regressions:
        return "regression"
    if len(_idle(counted)) == len(counted):
        return "nothing compared"
    if _missing_releases(results) or (results.versions and not results.versions.bisection and _idle(counted)):
        return "failed"
    return "not shown" if results.settings.strict and not_shown(results) else "agrees"


def _unread(counted: list[Tally]) -> list[str]:
    """A sentence on those whose reader should have been tried, and was not."""
    without = [tally for tally in counted if any(invariant.message == NO_READER for invariant in tally.invariants)]
    return [f"{_names(without)} did not ask for a file, so nothing is known of how files are read there"] if without else []


def _faults(counted: list[Tally]) -> list[str]:
    """What is wrong, the gravest first: one sentence each on discrepancies, broken invariants and failures."""
    sentences = []
    if wrong := [tally for tally in counted if tally.having("discrepancy")]:
        cells = f"{sum(t.having('discrepancy') for t in wrong)} of {count(sum(t.compared for t in wrong), 'comparison')}"
        sentences.append(f"{_clause(wrong, 'disagree')} with the truth in {cells}")
    if broken := [tally for tally in counted if tally.violated]:
        sentences.append(f"{_clause(broken, 'break')} {count(sum(t.violated for t in broken), 'invariant')}")
    if failed := [tally for tally in counted if tally.failed]:
        sentences.append(f"{_names(failed)} failed {count(sum(t.failed for t in failed), 'time')}")
    return [*sentences, f"{_names(lost)} {_lost_digits(lost)}"] if sentences and (lost := _losing(counted)) else sentences


def _agreement(counted: list[Tally], results: Results) -> str:
    agreeing = [tally for tally in counted if tally.compared and not tally.is_blind]
    if not agreeing:
        blind = [tally for tally in counted if tally.is_blind]
        return _blindness(blind, results) if blind else _consistency(counted)
    mechanisms = {cell.mechanism for tally in agreeing for cell in tally.cells if cell.verdict in COMPARED}
    who = f"All {len(agreeing)} implementations agree" if len(agreeing) > 1 else f"{one_line(agreeing[0].name, 60)} agrees"
    on = count(len(mechanisms), "mechanism")
    agreement = f"{who} with the truth on {on}{_but_for_known([item for tally in agreeing for item in tally.items])}"
    lost = _losing(counted)
    return agreement + (f"; {_names(lost)} {_lost_digits(lost)}" if lost else "")


def _blindness(blind: list[Tally], results: Results) -> str:
    """Why comparisons that all agree say nothing."""
    on = count(len({cell.mechanism for tally in blind for cell in tally.cells if cell.verdict in COMPARED}), "mechanism")
    within = f" within {results.settings.bar:g} ε-units" if results.settings.is_lenient else ""
    return f"Nothing was compared: on {on}, code with any typical fault gives the same answers as {_names(blind)}{within}"


def _missing_answers(counted: list[Tally]) -> str:
    """A clause of the headline: what recorded data has no answers for."""
    missing = sum(cell.missing for tally in counted for cell in tally.cells)
    verb = "is" if missing == 1 else "are"
    return f"{count(missing, 'recorded answer')} {verb} missing, of which nothing is known" if missing else ""


def _idle(counted: list[Tally]) -> list[Tally]:
    """Those that refused, or do not offer, all that they were asked for, and those of which nothing would have been seen."""
    return [tally for tally in counted if tally.verdict == "not run"]


def _missing_releases(results: Results) -> str:
    """A sentence on every release that was named and could not run. A bisection says so itself."""
    if not results.versions or results.versions.bisection:
        return ""
    # A mechanism that a release refuses is named with a slash.
    missing = [one for one in results.skipped if "==" in one.what and "/" not in one.what]
    return ". ".join(f"{one_line(one.what, 100)} could not run: {one_line(one.why, 300)}".rstrip(".") for one in missing)


def _losing(counted: list[Tally]) -> list[Tally]:
    return [tally for tally in counted if tally.having("lost digits")]


def _lost_digits(lost: list[Tally]) -> str:
    """What those that lost digits did, without their names."""
    messages = [cell.message for tally in lost for cell in tally.cells if cell.verdict == "lost digits"]
    declared = sum(message.startswith(DECLARED) for message in messages)
    because = "it is declared as a finite difference" if declared == 1 else "they are declared as finite differences"
    right, lose = ("is right", "loses") if len(lost) == 1 else ("are right", "lose")
    if all(message.startswith(AS_WRITTEN) for message in messages):
        what = "scatter" if all(SCATTERS in message for message in messages) else "digits"
        show = f"the {what} of the file {'shows' if what == 'scatter' else 'show'}"
        return f"{right} as far as {show} in {count(len(messages), 'comparison')}"
    rounded = len(messages) - declared
    said = [f"{lose} digits to rounding in {count(rounded, 'comparison')}"] if rounded else []
    said += [f"{right} in {count(declared, 'comparison')} only because {because}"] if declared else []
    return " and ".join(said)


def _consistency(counted: list[Tally]) -> str:
    """What is known if no quantity was compared with the truth."""
    kept = [(tally, invariant) for tally in counted for invariant in tally.invariants if invariant.verdict in COMPARED]
    if not kept:
        return "Nothing was compared"
    keeping = list({tally.name: tally for tally, _ in kept}.values())
    known = sum(invariant.verdict == "known" for _, invariant in kept)
    on = count(len({invariant.mechanism for _, invariant in kept}), "mechanism")
    what = f"{_clause(keeping, 'keep')} {count(len(kept) - known, 'invariant')} on {on}"
    return what + _but_for_known([invariant for _, invariant in kept]) + "; nothing was compared with the truth"


def _but_for_known(items: Sequence[Item]) -> str:
    """A clause after what is said of agreement: how many faults are known, and in how many comparisons they show."""
    known = [item for item in items if item.verdict == "known"]
    faults = len({(item.implementation, item.message) for item in known})
    return f", but for {count(faults, 'known fault')} in {count(len(known), 'comparison')}" if known else ""


def _against_baseline(baseline: BaselineComparison, has_faults: bool) -> str:
    """The end of the headline."""
    kinds = Counter(change.kind for change in baseline.changes)
    noun: dict[ChangeKind, str] = {"replaced": "mechanism", "unrecorded": "mechanism"}
    said = {kind: f"{count(n, noun.get(kind, 'cell'))} {phrase[n > 1]}" for kind, phrase in PHRASES.items() if (n := kinds[kind])}
    regressions = [sentence for kind, sentence in said.items() if kind in ("broken", *REGRESSIONS)]
    others = [sentence for sentence in said.values() if sentence not in regressions]
    aside = f" ({listing(others)})" if others else ""
    if regressions:
        return f"{';' if has_faults else ', but'} {listing(regressions)}{aside}"
    return f"{'; no other cell' if has_faults else ', and no cell'} is worse than in the baseline{aside}"


def _from_release_to_release(versions: Versions) -> str:
    """What changed, which is what the run was made for."""
    if versions.bisection:
        sentence = one_line(versions.bisection.sentence, 2000)
        return sentence[:1].upper() + sentence[1:]
    return ". ".join(map(step_sentence, versions.steps)) or "Only one release was compared"


def _clause(counted: list[Tally], verb: str) -> str:
    """Who does what, such as "mine breaks"."""
    return f"{_names(counted)} {verb}{'s' if len(counted) == 1 else ''}"


def _names(counted: list[Tally]) -> str:
    return listing([one_line(tally.name, 60) for tally in counted]) if len(counted) <= 3 else f"{len(counted)} implementations"
