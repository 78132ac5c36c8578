"""The checker's own score, which every report states: `python -m score` writes it beside docs/score.md."""

from __future__ import annotations

import json
from importlib.resources import files


def score_sentence() -> str:
    """How many planted faults a diagnosis names, and how much correct code it accuses."""
    score = json.loads(files(__package__).joinpath("score.json").read_text("utf-8"))
    return (
        f"Of {score['faults']} faulty codes with known causes, dalembert names {score['named']}; "
        f"of {score['correct']} correct codes in disguise, it accuses {score['accused'] or 'none'} (docs/score.md)"
    )
