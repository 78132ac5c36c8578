"""Tries a program step by step, so that a broken harness is told from broken dynamics: the first step that fails says which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from implementations.languages.command import Command, Refused
from implementations.languages.tried import tried_mechanism, tried_states
from implementations.protocol import Array, Failure, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.joint_kinds import MOVING, Kind
from mechanisms.plain_text import one_line
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_QUANTITIES, Quantity

BATCH, LARGE = 3, 1000
"""States in a small batch, and in one that no pipe holds whole."""

KEPT = 6
"""Lines and blocks of numbers that a step keeps."""

LONGEST = 600
"""Characters of a line that are shown."""

NEAR = 1e-6
"""Up to this relative difference, answers look right. `dalembert check` judges them properly."""


@dataclass
class Step:
    """One step: what the program should do, and what is wrong, if anything."""

    name: str
    said: str = ""
    """What the step shows, in a few words."""
    problem: str = ""
    """One sentence; empty if all is well."""
    conversation: list[str] = field(default_factory=list)
    """The last lines that were sent and received."""
    is_about_dynamics: bool = False
    is_tried: bool = True
    """Whether the code has what the step is about."""


class Wrong(Exception):
    """What a program does wrong; one sentence."""


def smoke(spec: str, timeout: float) -> Iterator[Step]:
    """The steps, one after the other; after one that fails there are none, because they need it.

    No exchange may take longer than ``timeout`` (s). The program is ended at the end.
    """
    heard = _Heard()
    tried: list[Command] = []
    for name, action in _steps(spec, timeout, heard, tried):
        step = Step(name)
        heard.entries.clear()
        try:
            step.said = action() or ""
        except (Wrong, Refused, Failure, Unsupported) as error:
            step.problem = error.clause if isinstance(error, Refused) else str(error)
        step.conversation = heard.lines()
        step.is_about_dynamics = name.startswith(DYNAMICS)
        yield step
        if step.problem and not step.is_about_dynamics:
            break
    for command in tried:
        command.close()


DYNAMICS = "dynamics: "


def _steps(
    spec: str, timeout: float, hear: Callable[[str, bytes], None], tried: list[Command]
) -> Iterator[tuple[str, Callable[[], str | None]]]:
    def start() -> str:
        tried.append(Command(spec, timeout, hear))
        return _introduced(tried[0])

    yield "starts and says hello", start
    declaration = tried[0].conversation.declaration
    kinds: tuple[Kind, ...] = tuple(kind for kind in MOVING if kind in declaration.joints)
    first, second = (tried_mechanism(seed, kinds, declaration.knows_constraints) for seed in (1, 2))
    loaded: list[Any] = []

    def load() -> None:
        loaded.append(tried[0].load(first))

    loop = " with a loop" if first.constraints else ""
    yield f"loads a mechanism of {len(first.bodies)} bodies{loop}", load
    answers: dict[str, Array] = {}

    def evaluate(quantity: Quantity) -> str | None:
        states = tried_states(first, quantity, BATCH)
        try:
            batch = _answer(loaded[0], quantity, first, states)
            alone = [_answer(loaded[0], quantity, first, {n: x[k : k + 1] for n, x in states.items()})[0] for k in range(BATCH)]
            again = _answer(loaded[0], quantity, first, states)
        except Unsupported as reason:
            return f"it says that it cannot: {one_line(str(reason), 100)}"
        if not np.array_equal(batch, again):
            raise Wrong("the same question got another answer the second time; an answer may depend on its arguments alone")
        for k, one in enumerate(alone):
            if not np.array_equal(batch[k], one):
                remedy = "check how it steps through the rows of its arguments and of its answer"
                raise Wrong(f"state {k} of {BATCH} gets another answer than the same state alone; {remedy}")
        answers[quantity.name] = batch
        return None

    offered = [ALL_QUANTITIES[name] for name in declaration.quantities]
    for quantity in offered:
        yield f"answers {quantity.name}, {BATCH} states at once and alone", partial(evaluate, quantity)
    if not answers:
        return
    some = ALL_QUANTITIES[next(iter(answers))]

    def ask(states: int = BATCH) -> Array:
        return _answer(loaded[0], some, first, tried_states(first, some, states))

    def require_same(after: str, remedy: str) -> None:
        if not np.array_equal(ask(), answers[some.name]):
            raise Wrong(f"after {after}, the first one answers differently; {remedy}")

    def keep() -> None:
        loaded.append(tried[0].load(second))
        _answer(loaded[1], some, second, tried_states(second, some, 1))
        require_same("a second mechanism was loaded", "keep both until they are forgotten")

    def forget() -> None:
        loaded.pop()
        require_same("the second mechanism was forgotten", "forget only the one that is named")

    def many() -> None:
        ask(LARGE)

    yield "keeps two mechanisms apart", keep
    yield "forgets one of them", forget
    yield f"answers {LARGE} states at once", many
    for name, answer in answers.items():
        yield f"{DYNAMICS}{name}", partial(compare, ALL_QUANTITIES[name], first, answer)

    def end() -> str:
        code = tried[0].conversation.end()
        if code is None:
            raise Wrong("it did not end within 2 s after it was asked to, and was killed; return from the loop at end of input")
        if code:
            raise Wrong(f"it ended with exit status {code}; end with 0, so that a crash at the end can be seen")
        return "exit status 0"

    yield "ends when it is asked to", end


def _introduced(command: Command) -> str:
    declaration = command.conversation.declaration
    about = f"{', '.join(declaration.quantities)}; {len(declaration.joints)} kinds of joints; numbers {declaration.numbers}"
    return f"{command.name} {command.version}: {', '.join(filter(None, [about, declaration.conventions.words]))}"


def _answer(loaded: Any, quantity: Quantity, mechanism: Mechanism, state: dict[str, Array]) -> Array:
    answer: Array = getattr(loaded, quantity.name)(*state.values())
    expected = (len(state["q"]), *quantity.dimensions(mechanism))
    if answer.shape != expected:
        raise Wrong(f"{quantity.name} came as an array of shape {answer.shape}; send {expected}")
    if not np.isfinite(answer).all():
        where = int(np.argwhere(~np.isfinite(answer))[0][0])
        raise Wrong(f"{quantity.name} has a number that is not finite in state {where}; send finite numbers")
    return answer


def compare(quantity: Quantity, mechanism: Mechanism, answer: Array) -> str:
    """How near the answer is to the reference's."""
    if not quantity.has_value and quantity.name not in CONSTRAINT_QUANTITIES:
        return "not compared here"
    expected = getattr(REFERENCE.load(mechanism), quantity.name)(*tried_states(mechanism, quantity, BATCH).values())
    error = float(np.abs(answer - expected).max() / (np.abs(expected).max() or 1.0))
    if error > NEAR:
        raise Wrong(f"off by {error:.2g} of the largest value; the harness works, so `dalembert check` can find out why")
    return "agrees with the reference"


class _Heard:
    """The last messages of a conversation. What follows a line is shown as one block of numbers."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, bytes, int]] = []

    def __call__(self, direction: str, data: bytes) -> None:
        is_line = data.endswith(b"\n") and (data.startswith(b"{") or not self.entries or direction != self.entries[-1][0])
        if is_line or not self.entries or self.entries[-1][1][:1] == b"{":
            self.entries.append((direction, data[:LONGEST], len(data)))
        else:
            _, first, size = self.entries.pop()
            self.entries.append((direction, first, size + len(data)))
        del self.entries[:-KEPT]

    def lines(self) -> list[str]:
        return [f"{direction:8} {_shown(data, size)}" for direction, data, size in self.entries]


def _shown(data: bytes, size: int) -> str:
    """A line as text; of the numbers after a line, the first ones."""
    if data.startswith(b"{") or data.endswith(b"\n") or len(data) < 8:
        return one_line(data.decode("utf-8", "replace"), LONGEST)
    numbers = np.frombuffer(data[: min(len(data) // 8, 6) * 8], "<f8")
    return f"  {size} bytes, the numbers {', '.join(f'{x:.6g}' for x in numbers)}{', …' if size > 48 else ''}"
