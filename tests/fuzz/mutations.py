"""Changes of files that nobody would make on purpose: of bytes, tokens, numbers, nesting and structure."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element, fromstring, tostring

NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
TOKEN = re.compile(rb'"[^"]{0,80}"|[\w.+-]+|[^\s\w]')

WRITTEN = """
0 -0 1 -1 2 1.0 0.5 +1 .5 5. 1e 1e+ -- 1_0 ١٢ 0x10 1/2 NaN nan inf Infinity -Infinity true null "1" [] {}
1e-5 1e6 1e7 1e20 1e307 1e308 1e309 -1e309 1e999999999 1e-320 1e-399 1e-999999999 0e999999999
1e40 1.1e40 1e-40 9e-41 2147483648 9223372036854775808
"""

NUMBERS = WRITTEN.split()
NUMBERS += ["9" * length for length in (20, 290, 310, 1100, 5000)]
NUMBERS += ["0." + "3" * 290, "0." + "0" * 500 + "1", "1e" + "0" * 290 + "5"]

TEXTS = ["", " ", "a" * 3000, "\x1b[31m", "\x9b31m", "a\nb", "\u202eabc", "\u2066", "\u2028", "\ud800", "é", "\0"]
TEXTS += ["<b>", "&", "world", "[bold]", "$.x", "../x", "free:ur5", "::error::", "agrees", "proven"]
TEXTS += ["nothing compared", "2^-9", "2^-١", "2^-9\n", "1.0", "mass_matrix", "pendulum", "cart-pole", "reference"]

VALUES: list[Any] = [None, True, False, 0, 1, -1, 1.0, 0.5, 1e308, -1e-308, 10**30, 10**400, "", "x", [], {}, [[]], [0], {"": 0}]
VALUES += [*TEXTS]


def mutated(data: bytes, draw: random.Random, other: bytes = b"") -> bytes:
    """``data`` with one to three changes; elements may come from ``other``."""
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        data = draw.choice([*MUTATIONS, partial(grafted, other)])(data, draw)[:100_000]
    return data


def grafted(other: bytes, data: bytes, draw: random.Random) -> bytes:
    """An element of another document is put into an element of the name of its parent, or into any."""
    try:
        root, parent = fromstring(data), draw.choice([element for element in fromstring(other).iter() if len(element)])
        draw.choice([*root.iter(draw.choice((parent.tag, None)))]).append(draw.choice(list(parent)))
        return tostring(root)
    except Exception:  # No documents, or nothing fits.
        return of_tokens(data, draw)


def of_bytes(data: bytes, draw: random.Random) -> bytes:
    place, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    end = min(end, place + draw.choice((1, 1, 4, 60, 10**6)))
    part = draw.choice((b"", bytes([draw.randrange(256)]), data[place:end] * 2, draw.randbytes(4), data[end:place:-1]))
    return data[:place] + part + data[end:]


def of_tokens(data: bytes, draw: random.Random) -> bytes:
    start, end, token = _any(TOKEN, data, draw)
    text = json.dumps(draw.choice(TEXTS), ensure_ascii=draw.random() < 0.5).encode(errors="surrogatepass")
    new = draw.choice(
        (_any(TOKEN, data, draw)[2], _any(TOKEN, data, draw)[2], b"", token * 2, text, draw.choice(NUMBERS).encode())
    )
    return data[:start] + new + data[end:]


def of_numbers(data: bytes, draw: random.Random) -> bytes:
    start, end, _ = _any(NUMBER, data, draw)
    return data[:start] + draw.choice(NUMBERS).encode() + data[end:]


def _any(pattern: re.Pattern[bytes], data: bytes, draw: random.Random) -> tuple[int, int, bytes]:
    """Where the first match after some place starts and ends, and the match."""
    place = draw.randrange(len(data) + 1)
    found = pattern.search(data, place)
    return (*found.span(), found[0]) if found else (place, place, b"")


def of_nesting(data: bytes, draw: random.Random) -> bytes:
    """A part is enclosed many times."""
    place, times = draw.randrange(len(data) + 1), draw.choice((3, 49, 60, 99, 120, 2000, 30_000))
    opening, closing = draw.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"<a>", b"</a>"), (b"<a>", b""), (b"[", b"")))
    if opening == b"<a>":
        place = max(data.find(b">", place) + 1, 0)
        return data[:place] + opening * times + closing * times + data[place:]
    start, end, number = _any(NUMBER, data, draw)
    return data[:start] + opening * times + number + closing * times + data[end:]


def of_structure(data: bytes, draw: random.Random) -> bytes:
    """An object or an element is removed, doubled, moved or changed."""
    try:
        return _xml(data, draw) if data.lstrip().startswith(b"<") else _json(data, draw)
    except Exception:  # No document any more.
        return of_tokens(data, draw)


def _xml(data: bytes, draw: random.Random) -> bytes:
    root = fromstring(data)
    parent = draw.choice([element for element in root.iter() if len(element)] or [root])
    element = draw.choice(list(parent) or [parent])
    what = draw.choice(("set", "set", "set", "unset", "remove", "double", "many", "move", "new"))
    if what == "set":
        name = draw.choice([*element.keys(), "name", "unphysical"])
        value = " ".join(draw.choice(NUMBERS) for _ in range(draw.choice((1, 3))))
        element.set(
            name,
            draw.choice((draw.choice(TEXTS), value, draw.choice([draw.choice([*e.attrib.values(), ""]) for e in root.iter()]))),
        )
    elif what == "unset" and element.attrib:
        del element.attrib[draw.choice(list(element.attrib))]
    elif what == "double":
        parent.append(deepcopy(element))
    elif what == "many":
        parent.extend(deepcopy(element) for _ in range(draw.choice((10, 100))))
    elif what == "new":
        element.append(Element(draw.choice(("mimic", "origin", "inertial", "axis", "gravity", "link", "joint", "dynamics"))))
    elif what in ("remove", "move") and element is not parent:
        parent.remove(element)
        if what == "move":
            draw.choice(list(root.iter())).append(element)
    return tostring(root)


def _json(data: bytes, draw: random.Random) -> bytes:
    document = json.loads(data)
    places = [*_places(document)]
    whole, key = draw.choice(places)
    what = draw.choice(("set", "set", "set", "swap", "remove", "double", "add", "rename", "many"))
    if what == "set":
        whole[key] = draw.choice(VALUES)
    elif what == "swap":
        other, its = draw.choice(places)
        whole[key], other[its] = deepcopy(other[its]), deepcopy(whole[key])
    elif what == "remove":
        del whole[key]
    elif isinstance(whole, list):
        whole.extend(deepcopy(whole[key]) for _ in range(50 if what == "many" else 1))
    elif what == "rename":
        whole[draw.choice(TEXTS)] = whole.pop(key)
    elif what == "double":
        text = json.dumps(document)
        pair = f"{json.dumps(key)}: {json.dumps(whole[key])}"
        return text.replace(pair, f"{pair}, {pair}", 1).encode()
    else:
        whole[draw.choice(TEXTS)] = draw.choice(VALUES)
    return json.dumps(document, ensure_ascii=draw.random() < 0.5).encode(errors="surrogatepass")


def _places(document: Any) -> Any:
    """Every object or array with each of its keys."""
    keys = list(document) if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
    for key in keys:
        yield document, key
        yield from _places(document[key])


MUTATIONS: list[Callable[[bytes, random.Random], bytes]] = [of_bytes, of_tokens, of_numbers, of_numbers, of_nesting]
MUTATIONS += [of_structure] * 3
