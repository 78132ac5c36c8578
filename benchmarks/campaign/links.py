"""The tree of a mechanism as links with constant screws: a joint of several screws becomes a chain of links without mass."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
BY_POSE = {"spherical": "ball", "planar": "plane", "free": "free"}


@dataclass
class Links:
    """n links, parents first. The pose of link i in its parent is placement · motion(q) · after; S is in the link's frame."""

    parent: list[int] = field(default_factory=list)
    body: list[int] = field(default_factory=list)
    """The index of the body that the link is; −1 if it is a link between the screws of a joint."""
    kind: list[str] = field(default_factory=list)
    """"screw", "circle", "ball", "plane" or "free"."""
    q: list[slice] = field(default_factory=list)
    v: list[slice] = field(default_factory=list)
    turn: list[Array] = field(default_factory=list)
    """(k, 3): the angular parts of the screws, as the pose uses them."""
    slide: list[Array] = field(default_factory=list)
    """(k, 3): the linear parts."""
    Sw: list[Array] = field(default_factory=list)
    """(k, 3): the angular parts of the screws, as velocities use them."""
    Sv: list[Array] = field(default_factory=list)
    rotation: list[Array] = field(default_factory=list)
    translation: list[Array] = field(default_factory=list)
    after_R: list[Array] = field(default_factory=list)
    after_p: list[Array] = field(default_factory=list)
    mass: list[Any] = field(default_factory=list)
    com: list[Array] = field(default_factory=list)
    inertia: list[Array] = field(default_factory=list)
    armature: list[Array] = field(default_factory=list)
    damping: list[Array] = field(default_factory=list)

    def add(self, **values: Any) -> int:
        """Append a link; what is not given is zero, or does not move."""
        still = {"after_R": np.eye(3), "after_p": np.zeros(3)}
        none = {**still, "mass": np.float64(0), "com": np.zeros(3), "inertia": np.zeros((3, 3))}
        values = none | values
        values.setdefault("Sw", values["turn"])
        values.setdefault("Sv", values["slide"])
        for name, column in vars(self).items():
            column.append(values[name])
        return len(self.parent) - 1

    def copy(self) -> "Links":
        """The same links, in lists of their own."""
        return Links(**{name: list(column) for name, column in vars(self).items()})


@dataclass
class Numbers:
    """The data that a code starts from: `mechanism.arrays`, copied, so that a wrong code can change a number."""

    names: list[str]
    parents: list[int]
    kinds: list[str]
    q: list[slice]
    v: list[slice]
    arrays: dict[str, Array]
    nq: int
    nv: int


def numbers_of(mechanism: Any) -> Numbers:
    """A copy of the mechanism's arrays."""
    m = mechanism.arrays
    if m.multipliers is not None:
        raise ValueError("this code has no mimic joints")
    arrays = {name: np.array(value) for name, value in m.numbers.items()}
    q, v = ([slice(s.start, s.stop) for s in all_] for all_ in (mechanism.q_slices, mechanism.v_slices))
    names = [body.name for body in mechanism.bodies]
    return Numbers(names, list(m.parents), list(m.kinds), q, v, arrays, max(s.stop for s in q), max(s.stop for s in v))


def links_of(data: Numbers) -> Links:
    """One link for each screw; spherical, planar and free joints are one link each."""
    links, last, m = Links(), [], data.arrays
    for i, kind in enumerate(data.kinds):
        parent = last[data.parents[i]] if data.parents[i] >= 0 else -1
        rotation, translation = m["rotations"][i], m["translations"][i]
        screws = m["screws"][data.v[i]]
        rows = [slice(0, len(screws))] if kind in BY_POSE else [slice(k, k + 1) for k in range(len(screws))]
        q0, v0 = data.q[i], data.v[i]
        for row in rows:
            final = row is rows[-1]
            whole = kind in BY_POSE or kind == "continuous"
            k = row.stop - row.start
            own = {"mass": m["masses"][i], "com": m["coms"][i], "inertia": m["inertias"][i]} if final else {}
            parent = links.add(
                parent=parent,
                body=i if final else -1,
                kind=BY_POSE.get(kind, "circle" if kind == "continuous" else "screw"),
                q=q0 if whole else slice(q0.start + row.start, q0.start + row.stop),
                v=slice(v0.start + row.start, v0.start + row.stop),
                turn=screws[row, :3],
                slide=screws[row, 3:],
                rotation=rotation,
                translation=translation,
                armature=np.full(k, m["armature"][i]),
                damping=np.full(k, m["damping"][i]),
                **own,
            )
            rotation, translation = np.eye(3), np.zeros(3)
        last.append(parent)
    return links
