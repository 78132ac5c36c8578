"""Mechanisms by name: textbook mechanisms, random ones, real robots, and files of URDF, MJCF and SDF."""

from __future__ import annotations

import difflib
from pathlib import Path

from mechanisms.errors import MechanismError
from mechanisms.files.by_form import ENDINGS, read_file
from mechanisms.files.constraint_file import beside, with_constraints
from mechanisms.library.drawn import PREFIX, TRAITS, drawn_mechanism
from mechanisms.library.extended import framed, on_free_base
from mechanisms.library.generate import kinds_and_mimics, random_mechanism
from mechanisms.library.robots import ALIASES, ROBOTS, robot
from mechanisms.library.textbook import TEXTBOOK, planar_pendulum
from mechanisms.library.textbook_tables import LOOPS
from mechanisms.mechanism import Mechanism

LARGEST = 1000
"""The most bodies in a random mechanism or links in a pendulum: a larger number is probably a typing mistake."""


PREFIXES = ("free", "unphysical", "independent", "mimic", "framed", "closed")
"""Prefixes of a mechanism: on a free base, with inertias that no body can have, with mimic joints that move on their own, with
mimic joints that follow their leaders, with more frames, and with the constraints in the file beside it."""


def split_prefixes(spec: str) -> tuple[set[str], str]:
    """The prefixes of a mechanism's spec, and the rest."""
    prefixes, word = set(), spec
    while word.startswith(tuple(f"{prefix}:" for prefix in PREFIXES)):
        prefix, _, word = word.partition(":")
        prefixes.add(prefix)
    return prefixes, word


def find_mechanism(spec: str) -> Mechanism:
    """The mechanism that ``spec`` names:

    * a textbook name, ``cart-pole``; ``planar-pendulum:5`` has five links; ``four-bar`` has a loop;
    * ``random:SEED`` or ``random:SEED:BODIES``, ``random:7:30``; ``random:7:30:free,universal`` has joints of these kinds,
      ``random:7:30:all`` of every kind, ``random:7:30:all,mimic`` mimic joints too;
    * ``drawn:SEED:TRAIT`` has a trait that code may have a limit for, ``drawn:7:deep``; :data:`mechanisms.library.drawn.TRAITS`;
    * a real robot, ``ur5``;
    * a path to a file of URDF, MJCF or SDF, ``my.urdf``: any word with an ending of theirs, or that names a file;
    * any of these on a free base, ``free:cart-pole``, but for MJCF and SDF, which say themselves what moves freely;
    * a file as it is: ``unphysical:my.urdf`` accepts inertias that no body can have, ``independent:my.urdf`` lets
      mimic joints move on their own;
    * any of these with a skew frame on every body and on the root, ``framed:cart-pole``;
    * a file with loops: ``closed:my.urdf`` has the constraints of my.constraints.toml beside it;
    * a robot whose mimic joints follow their leaders, ``mimic:panda``; without the prefix they move on their own.

    Prefixes may be combined.

    Raises :class:`MechanismError` for an unknown word; the message names the nearest known one.
    """
    prefixes, word = split_prefixes(spec)
    if "framed" in prefixes:
        others = "".join(f"{prefix}:" for prefix in PREFIXES if prefix in prefixes - {"framed"})
        return framed(find_mechanism(others + word))
    free, mimics = "free" in prefixes, "mimic" in prefixes
    if mimics and "independent" in prefixes:
        raise MechanismError(f"{spec!r} asks for mimic joints that follow, and for joints that move on their own; ask for one")
    is_file = word.lower().endswith(ENDINGS) or (word not in list_mechanisms() and _is_file(word))
    if "closed" in prefixes and not is_file:
        raise MechanismError(f"{spec!r} asks for the constraints beside a file, but {word!r} is not a file; name one")
    grounded: Mechanism | None = None
    match word.split(":"):
        case ["random", seed]:
            return random_mechanism(_whole(seed, spec), free_base=free)
        case ["random", seed, bodies]:
            return random_mechanism(_whole(seed, spec), _whole(bodies, spec, LARGEST), free_base=free)
        case ["random", seed, bodies, kinds]:
            drawn, mimics = kinds_and_mimics(kinds)
            return random_mechanism(_whole(seed, spec), _whole(bodies, spec, LARGEST), drawn, free, mimics=mimics)
        case [first, seed, trait] if first == PREFIX:
            grounded = drawn_mechanism(_whole(seed, spec), trait)
        case ["planar-pendulum", links]:
            grounded = planar_pendulum(_whole(links, spec, LARGEST))
        case [name] if name in TEXTBOOK or name in LOOPS:
            grounded = (TEXTBOOK | LOOPS)[name]()
        case [name] if name in ROBOTS or name in ALIASES:
            return robot(name, free_base=True if free else None, mimic=mimics)
    if grounded:
        return on_free_base(grounded) if free else grounded
    if is_file:
        tree = read_file(word, free, physical="unphysical" not in prefixes, ignore_mimic="independent" in prefixes)
        return with_constraints(tree, beside(word)) if "closed" in prefixes else tree
    patterns = ("random:SEED:BODIES[:KINDS]", f"{PREFIX}:SEED:{'|'.join(TRAITS)}")
    words = {word.partition(":")[0]: word for word in (*patterns, *ALIASES, *list_mechanisms())}
    near = difflib.get_close_matches(word.partition(":")[0], words, n=1)
    hint = f"did you mean {words[near[0]]!r}? " if near else ""
    raise MechanismError(f"no mechanism is called {spec!r}; {hint}`dalembert mechanisms` lists them all")


def list_mechanisms() -> tuple[str, ...]:
    """Every name that :func:`find_mechanism` knows: textbook mechanisms, those with loops, then robots."""
    return (*TEXTBOOK, *LOOPS, *ROBOTS)


def _whole(digits: str, spec: str, most: int = 10**18) -> int:
    if not (digits.isascii() and digits.isdigit()):
        raise MechanismError(f"{spec!r} has {digits!r} behind a colon; write whole numbers there, as in random:7:30")
    if len(digits) > 20 or int(digits) > most:
        raise MechanismError(f"{spec!r} asks for {digits}; ask for {most} at most")
    return int(digits)


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False
