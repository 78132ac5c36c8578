"""When and where a code is wrong: conditions on states, on batches and on the data of a body, and numbers that are wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from score.library.vectors import rodrigues

from campaign.changes import log_uniform
from campaign.links import Array, Numbers


@dataclass
class Call:
    """A call from outside: the quantity, its arguments (zero if it has none of that name), and how many calls came before."""

    name: str
    q: Array
    v: Array
    a: Array
    tau: Array
    before: int


@dataclass(frozen=True)
class When:
    """`mask(library, call)` is true at states where the code is wrong; `plant(library, call)` makes some states so."""

    sentence: str
    mask: Callable[[Any, Call], Array]
    plant: Callable[[Any, Call, np.random.Generator], None] = lambda library, call, rng: None
    needs: str = ""
    """The arguments that the condition reads: a quantity without them cannot meet it."""


def slots(library: Any) -> list[int]:
    """The indices of q that are angles or distances of their own."""
    L = library.links
    return [L.q[i].start for i in range(library.n) if L.kind[i] == "screw"] or [0]


def pick(items: Any, u: float) -> Any:
    """The item at the fraction u of a list of any length."""
    return items[int(u * len(items))]


def of_state(random: Random) -> When:
    """A region of states, or a set of special ones."""
    what, u, w, sign = random.choice("qqqvvat"), random.random(), random.random(), random.choice((-1, 1))
    t, width, turns = log_uniform(random, 1e-8, 1e2), log_uniform(random, 1e-12, 0.3), random.randrange(1, 30)
    special = random.choice((0.0, np.pi / 2, np.pi, -np.pi / 2, -np.pi, 1.0, 2 * np.pi, np.pi / 4))
    field = {"q": "q", "v": "v", "a": "a", "t": "tau"}[what]
    name = {"q": "a joint's position", "v": "a joint's velocity", "a": "a joint's acceleration", "t": "a joint's force"}[what]

    def index(library: Any, x: float) -> int:
        return pick(slots(library), x) if what == "q" else int(x * library.data.nv)

    def value(library: Any, call: Call) -> Array:
        return getattr(call, field)[:, index(library, u)]

    def put(x: float) -> Callable[[Any, Call, np.random.Generator], None]:
        return lambda o, c, rng: getattr(c, field)[:5].__setitem__((slice(None), index(o, u)), x)

    def when(sentence: str, mask: Callable[[Any, Call], Array], at: float, needs: str = what) -> When:
        return When(sentence, mask, put(at), needs)

    def same_sign(o: Any, c: Call) -> Array:
        return value(o, c) * getattr(c, field)[:, index(o, w)] * sign > 0

    return random.choice((
        when(f"where |{name}| > {t:.3g}", lambda o, c: np.abs(value(o, c)) > t, 1.5 * t),
        when(f"where 0 < |{name}| < {t:.3g}", lambda o, c: (np.abs(value(o, c)) < t) & (value(o, c) != 0), 0.5 * t),
        when(f"where {name} is within {width:.2g} of {special:.4g}", lambda o, c: np.abs(value(o, c) - special) < width,
             special + width / 2),
        when(f"where {name} is exactly {special:.17g}", lambda o, c: value(o, c) == special, special),
        when(f"where {name} is {'positive' if sign > 0 else 'negative'}", lambda o, c: value(o, c) * sign > 0, sign * 0.7),
        when(f"where {name} is between {t:.3g} and {t * (1 + width):.3g}",
             lambda o, c: (value(o, c) > t) & (value(o, c) < t * (1 + width)), t * (1 + width / 2)),
        when(f"where {name} and another one have {'the same sign' if sign > 0 else 'opposite signs'}", same_sign, 0.6),
        When(f"where an angle is beyond {turns} turns", lambda o, c: np.abs(c.q[:, pick(slots(o), u)]) > 2 * np.pi * turns,
             lambda o, c, rng: c.q[:5].__setitem__((slice(None), pick(slots(o), u)), 2 * np.pi * turns + 1), "q"),
        When(f"where the norm of the {name.split()[-1]} > {t:.3g}",
             lambda o, c: np.linalg.norm(getattr(c, field), axis=1) > t, put(1.5 * t), what),
        When("where the power τ · v or a · v is negative", lambda o, c: ((c.a + c.tau) * c.v).sum(1) < 0, needs="v"),
        When("where all velocities are zero", lambda o, c: ~c.v.any(1), lambda o, c, rng: c.v[:5].fill(0), ""),
        When("where no velocity is zero, and all positions are", lambda o, c: c.v.all(1) & ~c.q[:, slots(o)].any(1),
             lambda o, c, rng: [c.q[:5].__setitem__((slice(None), k), 0.0) for k in slots(o)] and None, "qv"),
        When(f"where q of a joint plus {t:.2g} times its neighbour's exceeds 1",
             lambda o, c: c.q[:, pick(slots(o), u)] + t * c.q[:, pick(slots(o), w)] > 1, put(2.0), "q"),
    ))  # fmt: skip


def of_batch(random: Random) -> When:
    """A place in the batch, or its length."""
    n, r, big = random.choice((2, 3, 4, 5, 7, 8, 16)), random.random(), random.choice((1, 2, 7, 8, 15, 16, 31, 32, 50, 63, 64))

    def rows(test: Callable[[Array, int], Any]) -> Callable[[Any, Call], Array]:
        return lambda o, c: np.broadcast_to(test(np.arange(len(c.q)), len(c.q)), (len(c.q),))

    return random.choice((
        When("at the first state of a batch", rows(lambda k, b: k == 0)),
        When("at the last state of a batch", rows(lambda k, b: k == b - 1)),
        When("at every state of a batch but the first", rows(lambda k, b: k > 0)),
        When(f"at every {n}-th state of a batch", rows(lambda k, b: k % n == int(r * n))),
        When(f"at states beyond the first {big} of a batch", rows(lambda k, b: k >= big)),
        When(f"in batches of more than {big} states", rows(lambda k, b: b > big)),
        When(f"in the tail of a batch that is no multiple of {n}", rows(lambda k, b: k >= b - b % n)),
        When("in batches of an odd number of states", rows(lambda k, b: b % 2 == 1)),
        When("in batches of one state", rows(lambda k, b: b == 1)),
    ))  # fmt: skip


def of_data(random: Random) -> tuple[str, Callable[[Numbers, int], bool]]:
    """A sentence and a test of body i."""
    n, mass, small = random.randrange(1, 7), log_uniform(random, 0.05, 20), log_uniform(random, 1e-6, 0.2)
    kinds = ("revolute", "prismatic", "helical", "universal", "cylindrical", "spherical", "planar", "free", "translation")
    kind = random.choice(kinds)
    k, letters = random.randrange(3), random.randrange(3, 14)

    def depth(d: Numbers, i: int) -> int:
        return 0 if i < 0 else 1 + depth(d, d.parents[i])

    def off_axis(d: Numbers, i: int) -> float:
        return float(np.sort(np.abs(d.arrays["axes"][i]))[1])

    return random.choice((
        (f"of mechanisms of more than {n} bodies", lambda d, i: len(d.names) > n),
        (f"of bodies deeper than {n}", lambda d, i: depth(d, i) > n),
        ("of bodies with several children", lambda d, i: d.parents.count(i) > 1),
        ("of bodies without children", lambda d, i: i not in d.parents),
        (f"of bodies with an index above {n}", lambda d, i: i > n),
        (f"of bodies with names of more than {letters} letters", lambda d, i: len(d.names[i]) > letters),
        ("of bodies with an underscore, a digit or a space in the name", lambda d, i: not d.names[i].isalpha()),
        ("of bodies whose names sort before their parents'",
         lambda d, i: d.parents[i] >= 0 and d.names[i] < d.names[d.parents[i]]),
        (f"of bodies heavier than {mass:.3g} kg", lambda d, i: d.arrays["masses"][i] > mass),
        (f"of bodies lighter than {mass:.3g} kg", lambda d, i: d.arrays["masses"][i] < mass),
        (f"of joints with an axis within {small:.2g} of x, y or z, but not along it", lambda d, i: 0 < off_axis(d, i) < small),
        ("of joints with a skew axis", lambda d, i: off_axis(d, i) > 0.1),
        (f"of joints with a negative component {k} of the axis", lambda d, i: d.arrays["axes"][i, k] < 0),
        ("of bodies with their centre of mass at the origin", lambda d, i: not d.arrays["coms"][i].any()),
        ("of bodies with products of inertia", lambda d, i: bool(d.arrays["inertias"][i][~np.eye(3, dtype=bool)].any())),
        (f"of bodies with moments of inertia below {small:.2g}", lambda d, i: np.trace(d.arrays["inertias"][i]) < small),
        (f"of {kind} joints", lambda d, i: d.kinds[i] == kind),
        (f"of joints behind {kind} joints", lambda d, i: d.parents[i] >= 0 and d.kinds[d.parents[i]] == kind),
        ("of joints with armature", lambda d, i: d.arrays["armature"][i] > 0),
        ("of joints whose frame is turned", lambda d, i: not np.allclose(d.arrays["rotations"][i], np.eye(3))),
        ("of joints with an odd number of joints in front of them", lambda d, i: depth(d, i) % 2 == 0),
    ))  # fmt: skip


def wrong_number(random: Random) -> tuple[str, float, str, Callable[[Numbers], None]]:
    """A sentence, a relative size, the field, and what changes the data."""
    twice = ("coms", "inertias", "translations")
    field = random.choice(("masses", *twice, *twice, "screws", "rotations", "armature", "damping", "gravity"))
    body, entry, s = random.random(), random.random(), log_uniform(random, 1e-14, 1) * random.choice((-1, 1))

    def change(data: Numbers) -> None:
        array = data.arrays[field]
        whole = array if field == "gravity" else array[int(body * len(array))]
        if field == "rotations":
            axis = np.eye(3)[int(entry * 3)]
            whole[...] = whole @ rodrigues(axis, np.cos(np.array(s)), np.sin(np.array(s)))
        elif field in ("masses", "armature", "damping"):
            array[int(body * len(array))] += s * (whole or 0.1)
        else:
            size = np.abs(whole).max() or 1.0
            flat = int(entry * whole.size)
            places = {flat, flat % 3 * 3 + flat // 3} if field == "inertias" else {flat}
            for k in places:
                whole.reshape(-1)[k] += s * size

    what = {"masses": "a mass", "coms": "a centre of mass", "inertias": "an entry of an inertia",
            "screws": "a screw (axis or pitch)", "rotations": "a joint's rotation",
            "translations": "a joint's translation", "armature": "an armature",
            "damping": "a damping", "gravity": "gravity"}[field]  # fmt: skip
    return f"{what} (at {body:.2f} of the list, entry {entry:.2f}) is off by {s:+.2g} of its size", abs(s), field, change
