"""Where a code is wrong: conditions on the data of a body, and numbers that are wrong."""

from collections.abc import Callable
from random import Random

import numpy as np

from campaign.changes import log_uniform
from campaign.links import Numbers
from campaign.textbook import rodrigues


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
