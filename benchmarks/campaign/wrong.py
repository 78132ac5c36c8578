"""The wrong codes: `draw(k, seed)` draws a class, what happens to which term or number, and when."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from typing import Any

import numpy as np

import dalembert
from campaign import changes, conditions, conventions, history
from campaign.changes import Change
from campaign.codes import Code
from campaign.conditions import Call, When
from campaign.library import ARGUMENTS, DYNAMICS, KINEMATICS, Library
from campaign.links import Array, Numbers, numbers_of

SETS = (
    ("spatial-3r", "puck"), ("branched-tree",), ("puma560",), ("floating-base-link",), ("universal-pendulum", "telescope"),
    ("gyroscope", "crane"), ("random:7:6:all",), ("ur5",), ("screw-jack", "scara"), ("stanford-arm",),
)  # fmt: skip
"""A code is checked on the first of these sets, in an order drawn from the seed, on which it is clearly not right."""
WITH_QUATERNIONS = (("random:7:6:all",), ("floating-base-link",), ("gyroscope", "crane"), ("spatial-3r", "puck"))
"""The sets for codes with other conventions."""
ROBOTS = ("ur5", "panda", "puma560", "z1", "kinova", "spatial-3r", "furuta-pendulum", "branched-tree")
"""The robots of codes for one robot."""
CLASSES = (("number", 5), ("term", 5), ("state", 4), ("batch", 2), ("data", 3), ("arithmetic", 3), ("history", 2), ("writing", 1),
           ("convention", 1))  # fmt: skip
"""Classes of wrong codes and how often each is drawn."""


@dataclass(frozen=True)
class Variant:
    """A wrong code. `robot` is the only robot of a code for one robot, and empty otherwise."""

    name: str
    group: str
    sentence: str
    size: float
    offers: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...]
    robot: str = ""
    reached: tuple[str, ...] = ()
    """The quantities that the fault can reach."""
    site: str = ""
    body: float = -1.0
    """Where in the list of links the only wrong one is; all are wrong if it is negative."""
    only: str = ""
    """The only quantity that is wrong, if it is one."""
    change: Change | None = None
    when: When | None = None
    where: Callable[[Numbers, int], bool] | None = None
    number: Callable[[Numbers], None] | None = None
    wrap: history.Wrap | None = None
    declared: Mapping[str, str] = field(default_factory=dict)
    """Conventions that the code declares; it forgets to convert `forget`."""
    forget: str = ""

    def library(self, mechanism: Any) -> Any:
        """The wrong library of a mechanism; a code for one robot ignores which."""
        library = Wrong(numbers_of(dalembert.find_mechanism(self.robot) if self.robot else mechanism), self)
        return conventions.Converted(library, self.declared, self.forget) if self.declared else library

    def code(self) -> Code:
        """What dalembert is given."""
        return Code(self.name, self.library, self.offers, self.declared)


class Wrong(Library):
    """The library with the fault of a variant."""

    def __init__(self, numbers: Numbers, variant: Variant):
        if variant.number:
            variant.number(numbers)
        super().__init__(numbers)
        self.variant, self.calls = variant, 0
        self.mask: Array | None = None
        self.on, n = False, self.n
        where, bodies = variant.where, self.links.body
        chosen = [i for i in range(n) if where is None or (bodies[i] >= 0 and where(numbers, bodies[i]))]
        self.chosen = set(chosen if variant.body < 0 or not chosen else [conditions.pick(chosen, variant.body)])
        if where is None or chosen:
            self.chosen.add(-1)

    def at(self, site: str, i: int, value: Array, column: str = "") -> Array:
        change = self.variant.change
        if not self.on or change is None or site != self.variant.site or i not in self.chosen:
            return value
        wrong = change.function(self, i, np.asarray(value), column)
        if self.mask is None:
            return wrong
        value = np.broadcast_to(value, (len(self.mask), *np.shape(value))) if column else value
        return np.where(self.mask.reshape(-1, *[1] * (np.ndim(value) - 1)), wrong, value)

    def poses(self, q: Array, where: str) -> list[tuple[Array, Array]]:
        self.frames: list[tuple[Array, Array]] = []
        self.frames = super().poses(q, where)
        return self.frames

    def asked(self, name: str) -> Callable[..., Array]:
        def ask(*args: Array) -> Array:
            self.on, self.mask = not self.variant.only or self.variant.only == name, None
            if self.variant.when and self.on:
                self.mask = np.asarray(self.variant.when.mask(self, call_of(self, name, args, self.calls)))
                self.on = bool(self.mask.any())
            self.calls += 1
            return self.at(f"the answer of {name}", -1, getattr(self, name)(*args))

        return self.variant.wrap(self, ask) if self.variant.wrap and self.variant.only in ("", name) else ask


def call_of(library: Library, name: str, args: Sequence[Array], before: int = 0) -> Call:
    """The arguments by name; what the quantity has not is zero."""
    given, zero = dict(zip(ARGUMENTS[name], args, strict=True)), np.zeros((len(args[0]), library.data.nv))
    return Call(name, given["q"], given.get("v", zero), given.get("a", zero), given.get("t", zero), before)


@cache
def sites(mechanisms: tuple[str, ...] = ("random:7:6:all", "branched-tree", "puck")) -> dict[str, list[str]]:
    """Every step of every algorithm, and the quantities that change if the step is halved at a generic state."""
    found: dict[str, list[str]] = {}

    class Halved(Library):
        def at(self, site: str, i: int, value: Array, column: str = "") -> Array:
            reached.add(site)
            return 0.5 * value if site == half else value

    rng, reached, half = np.random.default_rng(0), set[str](), ""
    for mechanism in map(dalembert.find_mechanism, mechanisms):
        library = Halved(numbers_of(mechanism))
        q = dalembert.integrate(mechanism, dalembert.neutral(mechanism)[None], rng.uniform(0.3, 1, (1, library.data.nv)))
        for name, letters in ARGUMENTS.items():
            ask, args = getattr(library, name), (q, *rng.uniform(0.3, 1, (len(letters) - 1, 1, library.data.nv)))
            half = ""
            reached.clear()
            right = ask(*args)
            for half in reached - {site for site, names in found.items() if name in names}:
                if np.abs(ask(*args) - right).max() > 1e-9:
                    found.setdefault(half, []).append(name)
            found[f"the answer of {name}"] = [name]
    return found


def draw(k: int, seed: int = 0, attempt: int = 0) -> Variant:
    """An attempt at the k-th wrong code. Every sixth or so is for one robot. An attempt may be inert: see `effect.variant`."""
    group = Random(f"class {seed} {k}").choices([name for name, _ in CLASSES], [weight for _, weight in CLASSES])[0]
    random = Random(f"wrong {seed} {k} {attempt}")
    robot = random.choice(ROBOTS) if random.random() < 0.17 else ""
    sets = ((robot,),) if robot else tuple(random.sample(SETS, len(SETS)))
    site, reached = random.choice(sorted(sites().items()))
    offers = _offers(random, reached)
    base = Variant(f"wrong{k}", group, "", 1.0, offers, sets, robot)
    if group == "number":
        sentence, size, _, number = conditions.wrong_number(random)
        return replace(base, sentence=sentence, size=size, number=number, offers=_offers(random, DYNAMICS))
    if group == "convention":
        declared = conventions.draw(random)
        forget, kinds = random.choice(sorted(declared)), tuple(random.sample(WITH_QUATERNIONS, len(WITH_QUATERNIONS)))
        said = ", ".join(f"{name} = {value}" for name, value in declared.items())
        base = replace(base, sentence=f"the code declares {said}, but has the usual {forget}", robot="", sets=kinds)
        return replace(base, declared=declared, forget=forget, offers=DYNAMICS + KINEMATICS)
    if group in ("history", "writing"):
        sentence, size, wrap = (history.history if group == "history" else history.writing)(random)
        only = random.choice(offers) if random.random() < 0.3 else ""
        return replace(base, sentence=sentence + (f", only in {only}" if only else ""), size=size, wrap=wrap, only=only)
    if group == "arithmetic" and random.random() < 0.3:
        site, change = changes.trigonometry(random)
        reached = list(DYNAMICS)
        offers = _offers(random, reached)
    elif group == "arithmetic":
        change = changes.arithmetic(random)
    elif group == "term" or random.random() < 0.5:
        change = changes.term(random)
    else:
        change = changes.scaled(random, 1e-12)
    when = {"state": conditions.of_state, "batch": conditions.of_batch}[group](random) if group in ("state", "batch") else None
    if when and when.needs:  # A code whose quantities lack the argument could not meet the condition.
        while not (met := [name for name in reached if set(when.needs) & set(ARGUMENTS[name])]):
            site, reached = random.choice(sorted(sites().items()))
        reached, offers = met, _offers(random, met)
    common = [name for name in reached if name in offers]
    only = random.choice(common) if common and random.random() < 0.2 and len(offers) > 1 else ""
    body = random.random() if random.random() < (0.3 if group == "data" else 0.5) else -1.0
    sentence, where = f"“{site}” {change.sentence}" + (f" {when.sentence}" if when else ""), None
    if group == "data":
        text, where = conditions.of_data(random)
        sentence += f" {text}"
    sentence += (f", in one link (at {body:.2f} of those)" if body >= 0 else "") + (f", only in {only}" if only else "")
    fault = replace(base, site=site, change=change, size=change.size, when=when, where=where, body=body, only=only)
    return replace(fault, sentence=sentence, offers=offers, reached=tuple(reached))


def _offers(random: Random, reached: Sequence[str]) -> tuple[str, ...]:
    """The quantities of a code: one, dynamics, all, or some; one at least that reaches the fault."""
    one = random.choice(list(reached))
    some = {one, *random.sample(DYNAMICS + KINEMATICS, random.randrange(1, 6))}
    drawn = random.choice(({one}, {one, *DYNAMICS}, {one, *DYNAMICS}, {*DYNAMICS, *KINEMATICS}, some))
    return tuple(name for name in DYNAMICS + KINEMATICS if name in drawn)
