"""Writes the table of flags in docs/vectors.md, from a corpus, and copies a part of it to docs/vectors/.

    dalembert vectors --corpus -o build/vectors
    python docs/write_vectors.py build/vectors              # writes
    python docs/write_vectors.py build/vectors --check      # compares with what is there

It validates every file, tries the reference on every vector, and plants the fault of every flag. Run it in the checkout, with the
robots installed. It takes about four minutes.

Flags of vectors keep their word if the fault of a flag shows at vectors with the flag, and at no others. It shows at a vector if
code with the fault does not pass it: a number is off by more than bar · ε · size, as the file has them. Answers that are not
finite, and exceptions, do not pass.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from written import table, with_parts

from cross_check.exchange.results.codec import require_valid
from cross_check.exchange.vectors.document import column, passes, schema
from cross_check.exchange.vectors.files import SUMS, Task
from cross_check.explain.coverage import errors_of
from cross_check.explain.faults.fault import NO_FAULT, Fault
from cross_check.explain.faults.flags import FLAGS, VectorFlag
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.explain.faults.typical import FAULTS
from cross_check.memory import Array
from mechanisms import TEXTBOOK, Mechanism, find_mechanism, robot_names
from mechanisms.library.textbook import PLAIN_TEXTBOOK

PAGE = Path(__file__).with_name("vectors.md")
FOLDER = Path(__file__).with_name("vectors")

COMMITTED = ("inverse_dynamics", "forward_dynamics")
"""The quantities whose vectors of textbook mechanisms are in the repository."""

OF_A_KIND = "-joint"
"""How the names of flags end that are about a kind of joint."""


def render(folder: Path) -> str:
    """The part of the page that is about the corpus in ``folder``. Exits if a file or a flag is not as it should be."""
    rows: dict[str, Shown] = {}
    uncaught = list(FAULTS)
    count: Counter[str] = Counter()
    for spec in (*PLAIN_TEXTBOOK, *robot_names()):
        mechanism = find_mechanism(spec)
        paths = sorted((folder / Task(spec, mechanism, "").name).parent.glob("*.json"))
        documents = [json.loads(path.read_text("utf-8")) for path in paths]
        for path, document in zip(paths, documents, strict=True):
            require_valid(document, schema(), path, "write it again")
            if fails(document, mechanism).any():
                sys.exit(f"the reference does not pass {path}")
        if spec in TEXTBOOK:
            uncaught = [f for f in uncaught if not any(fails(document, mechanism, f).any() for document in documents)]
        count += Counter(
            mechanisms=1,
            files=len(paths),
            vectors=sum(len(document["vectors"]) for document in documents),
            bytes=sum(path.stat().st_size for path in paths),
        )
        for name, row in adequacy((document, mechanism) for document in documents).items():
            rows[name] = rows[name] + row if name in rows else row
        print(spec, file=sys.stderr)
    if bad := [name for name, row in rows.items() if not row.is_adequate]:
        sys.exit(f"these flags do not keep their word: {', '.join(bad)}")
    size = f"{count['bytes'] / 1e6:.1f} MB"
    of_others = [fault for fault in uncaught if fault.group == "each quantity"]
    named = "; ".join(fault.name for fault in uncaught if fault not in of_others)
    return "\n".join(
        [
            f"The corpus has {count['vectors']} vectors in {count['files']} files on {count['mechanisms']} mechanisms, {size}.",
            f"The vectors of textbook mechanisms catch {len(FAULTS) - len(uncaught)} of the {len(FAULTS)} faults in",
            "[cross_check/explain/faults](../cross_check/explain/faults).",
            f"Of the others, {len(of_others)} concern quantities that the corpus leaves out.",
            f"The rest: {named}.",
            "",
            *table_of_flags(rows.values()),
        ]
    )


Document = Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """Counts of vectors: with the flag, those of them at which its fault shows, and those without the flag at which it shows."""

    flag: VectorFlag
    flagged: int = 0
    caught: int = 0
    others: int = 0

    def __add__(self, other: Shown) -> Shown:
        """The counts of both."""
        return Shown(self.flag, self.flagged + other.flagged, self.caught + other.caught, self.others + other.others)

    @property
    def is_adequate(self) -> bool:
        return self.caught > 0 and self.others == 0


def adequacy(files: Iterable[tuple[Document, Mechanism]], flags: Iterable[VectorFlag] = FLAGS) -> dict[str, Shown]:
    """By the name of a flag: what its fault does to the vectors of ``files``, which are documents with their mechanisms."""
    table = {flag.name: Shown(flag) for flag in flags}
    for document, mechanism in files:
        for name, row in table.items():
            has = np.array([name in vector["flags"] for vector in document["vectors"]])
            shows = fails(document, mechanism, row.flag.fault)
            table[name] = row + Shown(row.flag, int(has.sum()), int((shows & has).sum()), int((shows & ~has).sum()))
    return table


def fails(document: Document, mechanism: Mechanism, fault: Fault = NO_FAULT) -> Array:
    """The vectors (vectors,) that the reference with ``fault`` does not pass."""
    quantity, vectors = document["quantity"], document["vectors"]
    arguments = [column(vectors, name) for name in quantity["arguments"]]
    mutant = MutantDynamics(fault, mechanism)
    return errors_of(mutant, quantity["name"], arguments, lambda got: np.logical_not(passes(document, got))) > 0


def table_of_flags(shown: Iterable[Shown]) -> list[str]:
    """The table, and a sentence. Kinds of joints share a row, because their faults differ in the kind alone."""
    rows = [(f"`KIND{OF_A_KIND}`", "the velocity of such a joint has the wrong sign", "below")]
    kinds = []
    for one in shown:
        counts = f"{one.caught} of {one.flagged}"
        if one.flag.name.endswith(OF_A_KIND):
            kinds.append(f"{one.flag.name.removesuffix(OF_A_KIND)} {counts}")
        else:
            rows.append((f"`{one.flag.name}`", one.flag.fault.name, counts))
    return [*table(("flag", "its fault", "caught"), rows, "llr"), "", f"Of `KIND{OF_A_KIND}`: {', '.join(kinds)}."]


def committed(folder: Path) -> dict[str, Path]:
    """The files of the corpus that are in the repository, by name."""
    names = [Task(spec, TEXTBOOK[spec](), quantity).name for spec in PLAIN_TEXTBOOK for quantity in COMMITTED]
    return {SUMS: folder / SUMS, **{name: folder / name for name in names}}


def main(words: Sequence[str]) -> None:
    folder = Path(words[0])
    page = with_parts(PAGE, flags=render(folder))
    if "--check" in words:
        if different := [str(FOLDER / name) for name, path in committed(folder).items() if not same(path, FOLDER / name)]:
            sys.exit(f"{different[0]} is not the corpus's; run `python docs/write_vectors.py {folder}`")
        if page != PAGE.read_text("utf-8"):
            sys.exit(f"the table of {PAGE.name} is out of date; run `python docs/write_vectors.py {folder}`")
        return
    for path in FOLDER.glob("*/*.json"):
        path.unlink()
    for name, path in committed(folder).items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, FOLDER / name)
    PAGE.write_text(page, "utf-8")


def same(one: Path, other: Path) -> bool:
    return other.exists() and one.read_bytes() == other.read_bytes()


if __name__ == "__main__":
    main(sys.argv[1:])
