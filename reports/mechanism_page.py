"""The page of one mechanism: its drawing, its tree, what is proven about it, its equations. The script adds the results."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment
from markupsafe import Markup

from cross_check.results.objects import MechanismSummary, Skeleton
from reports.drawing import drawing
from reports.proofs import CertificateWords
from reports.words import one_line


def mechanism_page(environment: Environment, mechanism: MechanismSummary, certificates: Sequence[CertificateWords]) -> str:
    """The page as HTML; of the certificates it shows those about this mechanism."""
    about = f"{mechanism.name}, {mechanism.bodies} bodies, at position zero"
    return environment.get_template("mechanism.html").render(
        m=mechanism,
        picture=drawing(mechanism.skeleton, about),
        tree=_tree(mechanism.skeleton),
        certificates=[one for one in certificates if one.mechanism in (mechanism.name, mechanism.spec)],
    )


def _tree(skeleton: Skeleton) -> Markup:
    """List items, one in another. They end when a body comes that is carried by an earlier one."""
    children: dict[int, list[int]] = {}
    for child, bone in enumerate(skeleton):
        children.setdefault(bone.parent, []).append(child)
    parts: list[Markup] = []
    waiting: list[int | str] = list(reversed(children.get(-1, [])))
    while waiting:
        k = waiting.pop()
        if isinstance(k, str):
            parts.append(Markup(k))
            continue
        bone, own = skeleton[k], children.get(k, [])
        item = Markup("<li><bdi>{}</bdi> <small>{} <bdi>{}</bdi></small>")
        parts.append(item.format(one_line(bone.body), bone.kind, one_line(bone.joint)))
        # A chain is a flat list, so that long arms are not indented without end.
        branches = len(own) > 1
        parts.append(Markup("<ul>") if branches else Markup("</li>"))
        waiting += [*(["</ul></li>"] if branches else []), *reversed(own)]
    return Markup("").join(parts)
