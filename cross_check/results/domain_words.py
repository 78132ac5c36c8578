"""Which part of the domain a run has not drawn, in one sentence."""

from __future__ import annotations

from cross_check.results.objects import HISTORY, Results
from cross_check.results.plain_text import listing
from mechanisms.drawn import IN_WORDS, PREFIX


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
