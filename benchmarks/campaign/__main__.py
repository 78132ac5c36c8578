"""``python -m campaign``: draw codes, check them, keep the verdicts, and print the table.

Exit code 1 if a right code is not green.
"""

import argparse
import hashlib
import json
import resource
import sys
import time
from collections import Counter, defaultdict
from math import floor, log10
from pathlib import Path
from typing import Any

from campaign.effect import CLEAR
from campaign.run import BLOCK, checked, drawn
from campaign.wrong import draw

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("dalembert", "cross_check", "implementations", "machine", "mechanisms", "oracle", "benchmarks/campaign")


def main() -> None:
    """Run the campaign; what --output has already, of the same product and campaign, is not done again."""
    parser = argparse.ArgumentParser(prog="campaign", description=__doc__)
    parser.add_argument("--wrong", type=int, default=1000, help="how many wrong codes")
    parser.add_argument("--right", type=int, default=300, help="how many right codes")
    parser.add_argument("--first", type=int, default=0, help="the number of the first code")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--classes", nargs="+", default=[], help="only wrong codes of these classes")
    parser.add_argument("--mechanisms", nargs="+", default=[], help="these mechanisms instead of those chosen for each code")
    parser.add_argument("--default-set", action="store_true", help="the tool's default mechanisms instead")
    parser.add_argument("--output", type=Path, default=Path("build/campaign.jsonl"))
    parser.add_argument("--table", type=Path, help="also write the table here")
    given = parser.parse_args()
    given.output.parent.mkdir(parents=True, exist_ok=True)
    began, product = time.time(), _digest()
    done = _read(given.output, given.seed, product)
    try:
        for kind, count in (("wrong", given.wrong), ("right", given.right)):
            todo = [k for k in range(given.first, given.first + count) if (kind, k) not in done]
            if kind == "wrong" and given.classes:
                todo = [k for k in todo if draw(k, given.seed).group in given.classes]
            for start in range(0, len(todo), BLOCK):
                records = drawn(kind, todo[start : start + BLOCK], given.seed)
                for record in checked(records, given.mechanisms, given.default_set):
                    done[kind, record["k"]] = record = record | {"product": product}
                    with given.output.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(record, ensure_ascii=False) + "\n")
                    colours = Counter(one["colour"] for (one_kind, _), one in done.items() if one_kind == kind)
                    print(f"\r{kind}: {dict(colours)}, {time.time() - began:.0f} s", end="   ", flush=True)
            print()
    except KeyboardInterrupt:
        print("\ninterrupted; the same command goes on")
    text = table(list(done.values()))
    if given.table:
        given.table.write_text(text, encoding="utf-8")
    print(text)
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
    print(f"{time.time() - began:.0f} s, {cpu:.0f} s of CPU")
    sys.exit(any(one["kind"] == "right" and one["colour"] != "green" for one in done.values()))


def _digest() -> str:
    files = sorted(file for folder in PRODUCT for file in (ROOT / folder).rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _read(path: Path, seed: int, product: str) -> dict[tuple[str, int], dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    records = [json.loads(line) for line in lines if line.endswith("}")]
    return {(one["kind"], one["k"]): one for one in records if (one["seed"], one["product"]) == (seed, product)}


def _decade(size: float) -> str:
    return "1" if size >= 1 else f"1e{floor(log10(size)):+03d}" if size > 0 else "–"


def table(records: list[dict[str, Any]]) -> str:
    """By class and decade of size: how many of each colour; then each green wrong code and each right one that is not green."""
    counts: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for one in records:
        colour = one["colour"]
        if one["kind"] == "wrong" and one["effect"] <= CLEAR:
            colour = "inert" if one["effect"] == 0 else f"{colour}, rounding"
        counts[one["kind"], one["group"], _decade(one["size"])][colour] += 1
    columns = ("red", "green", "other", "red, rounding", "green, rounding", "other, rounding", "inert")
    lines = [f"| | class | size | {' | '.join(columns)} |", "|---" * (3 + len(columns)) + "|"]
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for (kind, group, size), counter in sorted(counts.items(), key=lambda item: (item[0][0], item[0][1], -_rank(item[0][2]))):
        lines.append(f"| {kind} | {group} | {size} | {' | '.join(str(counter[name] or '') for name in columns)} |")
        total[kind] += counter
    lines += [f"| **{kind}** | all | | {' | '.join(str(counter[name]) for name in columns)} |" for kind, counter in total.items()]
    for title, chosen in (
        ("Wrong codes that are green", [one for one in records if one["kind"] == "wrong" and one["colour"] == "green"]),
        ("Wrong codes that are neither", [one for one in records if one["kind"] == "wrong" and one["colour"] == "other"]),
        ("Right codes that are not green", [one for one in records if one["kind"] == "right" and one["colour"] != "green"]),
    ):
        lines += ["", f"## {title}: {len(chosen)}", ""]
        for one in sorted(chosen, key=lambda one: -one["effect"]):
            note = f"effect {one['effect']:.2g}" if one["kind"] == "wrong" else "; ".join(one["seen"][:2])
            of = f"{', '.join(one['mechanisms'])}{', its only robot' if one['robot'] else ''}; {one['offers']} quantities"
            lines.append(f"- {one['name']} ({one['group']}, {of}): {one['sentence']}. {note}")
    return "\n".join(lines) + "\n"


def _rank(size: str) -> float:
    return 0.0 if size == "–" else float(size)


if __name__ == "__main__":
    main()
