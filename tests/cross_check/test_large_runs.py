"""Runs of many states: blocks of states, cells merged from blocks, histograms, and the file of all errors."""

from __future__ import annotations

import errno
import gc
import itertools
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results import INFINITE, Cell, Results, ResultsError, RunSettings, results_from, schema
from cross_check.exchange.results.codec import require_valid
from cross_check.exchange.results.error_file import ErrorFile, key_of
from cross_check.exchange.results.parts import counted, histogram, merge_cells, merged
from cross_check.judge import estimate as estimates
from cross_check.judge.comparison import sampling
from cross_check.judge.comparison.case import Case, Model
from cross_check.judge.comparison.kinds import kinds_of
from cross_check.judge.comparison.measure import measure
from cross_check.judge.comparison.sampling import Block, Blocks, sample
from cross_check.judge.estimate import SMALLEST, blocks_of, bytes_per_state, require_memory
from cross_check.judge.settings import Settings, SettingsError
from implementations.processes.subject import LoadedInProcess
from implementations.spatial_algebra.reference import Reference
from mechanisms import find_mechanism, random_mechanism
from mechanisms.quantities import QUANTITIES

ARM = find_mechanism("scara")
COLUMNS = ("q", "v", "a", "f")


class Faulty:
    """The reference, with an answer changed by ``fault(q, answer)``."""

    def __init__(self, fault: Any) -> None:
        self.dynamics, self.fault = Reference().load(ARM), fault

    def gravity(self, q: Any) -> Any:
        return self.fault(q, self.dynamics.gravity(q))


def cell_of(case: Case, dynamics: Any) -> Cell:
    return measure(case, LoadedInProcess(dynamics, ARM), "code", QUANTITIES["gravity"], 16.0).cell


def merged_blocks(dynamics: Any, blocks: Any) -> Cell:
    model = Model(ARM)
    return merge_cells([cell_of(model.case(0, block), dynamics) for block in blocks])


# Blocks of states


def test_a_state_does_not_depend_on_the_blocks_before_it_nor_on_their_size() -> None:
    whole = sample(ARM, 3, 40, block=2)
    part = Block(2 * sampling.BLOCK + 16, 16).draw(ARM, 3)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[16:32])
    assert part.kinds == whole.kinds[16:32] == kinds_of(2 * sampling.BLOCK + 16, 16)


@pytest.mark.parametrize(("states", "size"), [(1, 256), (256, 256), (257, 256), (1000, 128), (4096, 2048)])
def test_blocks_cover_every_state_once(states: int, size: int) -> None:
    blocks = Blocks(states, size)
    assert len(blocks) == len(list(blocks))
    assert [k for block in blocks for k in range(block.first, block.first + block.size)] == list(range(states))
    assert blocks[-1] == list(blocks)[-1]
    with pytest.raises(IndexError):
        blocks[len(blocks)]


def test_blocks_fit_into_memory_and_into_what_is_drawn_together() -> None:
    settings = Settings(states=10**9)
    trees = [ARM, find_mechanism("cart-pole"), random_mechanism(0, 12), random_mechanism(0, 60)]
    sizes = [blocks_of(tree, settings).size for tree in trees]
    for tree, size in zip(trees, sizes, strict=True):
        assert sampling.BLOCK % size == 0
        assert size == SMALLEST or size * bytes_per_state(tree, settings) <= estimates.BUDGET
    assert sizes[1] > sizes[2] > sizes[3] == SMALLEST
    assert len(blocks_of(ARM, settings)) * blocks_of(ARM, settings).size >= 10**9


def test_what_a_case_keeps_is_released_with_it() -> None:
    """Without the garbage collector, which may come late. Nothing stays with the model, also if that was asked before."""
    model = Model(random_mechanism(1, 9, ("revolute", "free")))
    assert model.truth.name == "jets"
    states = Block(0, 8).draw(model.mechanism, 0)
    model.truth.high_low("gravity", states.q)

    def take(seed: int, block: Block) -> int:
        case = model.case(seed, block)
        q = case.states.q
        for array in (case.truth.high_low("gravity", q)[0], case.scale.size("gravity", q), case.mass_matrix.inverse(q)):
            assert len(array) == block.size
        return tracemalloc.get_traced_memory()[0]

    take(1, Block(0, 256))  # What the machine keeps for its next run, as scratch memory, is as large as the largest block.
    gc.disable()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        while_alive = take(0, Block(0, 256))
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        gc.enable()
    assert after - before < 0.02 * (while_alive - before)


# Merging


@pytest.mark.parametrize(
    "fault",
    [
        lambda q, g: g,
        lambda q, g: g * (1 + 1e-14 * np.abs(q)),
        lambda q, g: np.where(q[:, :1] > 30, np.nan, g),
    ],
    ids=["agrees", "discrepancy", "failed"],
)
def test_blocks_merge_to_what_one_block_gives(fault: Any) -> None:
    """The state of the largest error, too."""
    dynamics = Faulty(fault)
    whole = cell_of(Model(ARM).case(0, Block(0, 112)), dynamics)
    parts = merged_blocks(dynamics, Blocks(112, 16))
    assert parts.verdict == whole.verdict
    if whole.verdict == "failed":
        assert "state" in parts.message
        assert parts.error is None
    else:
        assert parts == whole


def test_the_worst_state_has_its_number_in_the_run() -> None:
    whole = sample(ARM, 0, 48)
    dynamics = Faulty(lambda q, g: np.where((q == whole.q[37]).all(axis=1)[:, None], g + 1, g))
    cell = merged_blocks(dynamics, Blocks(48, 16))
    assert cell.worst
    assert (cell.verdict, cell.worst.state, cell.worst.kind) == ("discrepancy", 37, whole.kinds[37])
    assert cell.worst.inputs["q"] == tuple(whole.q[37])
    message = cell_of(Model(ARM).case(0, Block(32, 16)), Faulty(lambda q, g: np.where(q == whole.q[37], np.nan, g))).message
    assert "in state 5, counted from state 32" in message


def test_no_block_hides_another_and_the_grouping_does_not_matter() -> None:
    def cell(verdict: Any, *errors: float) -> Cell:
        known = Cell("m/i/gravity", "m", "i", "gravity", verdict, error=max(errors, default=None), errors=errors)
        return counted(known, ("tiny", "fast"), 16.0)

    cells = [cell("agrees", 0.0, 2.0), cell("discrepancy", 1.0, INFINITE), cell("known", 30.0, 1.0), cell("agrees", 3.0, 0.5)]
    failed = replace(cells[2], verdict="failed", error=None, histogram=None)
    for a, b, c, d in itertools.permutations(cells):
        at_once, grouped = merge_cells([a, b, c, d]), merge_cells([merge_cells([a, b]), merge_cells([c, d])])
        assert at_once == grouped
        assert at_once.histogram
        assert (at_once.verdict, at_once.error) == ("discrepancy", INFINITE)
        assert (at_once.histogram.states, at_once.histogram.over) == (8, 2)
        assert merge_cells([a, b, failed, d]).verdict == "failed"
    assert merge_cells([cells[0], replace(cells[3], verdict="unsupported", error=None)]).verdict == "unsupported"


# Histograms


def test_a_histogram_counts_every_error_in_its_bin() -> None:
    errors = [0.0, 1e-7, 0.999, 1.0, 1.25, 1.26, 15.9, 16.1, 1e12, INFINITE]
    one = histogram(["a"] * 5 + ["b"] * 5, errors, 16.0)
    assert one.bins == {"a": ((-40, 2), (-1, 1), (0, 2)), "b": ((1, 1), (12, 2), (120, 1), (990, 1))}
    assert (one.states, one.over) == (10, 3)
    assert one.median == 1.26
    assert one.most >= INFINITE
    assert merged([one, one]) == replace(
        one, states=20, over=6, bins={kind: tuple((k, 2 * n) for k, n in pairs) for kind, pairs in one.bins.items()}
    )


def test_quantiles_are_upper_ends_of_bins() -> None:
    draw = np.random.default_rng(0).lognormal(0, 2, 5000)
    one = histogram(["random"] * 5000, draw.tolist(), 16.0)
    for share, value in ((0.5, one.median), (0.99, one.most)):
        assert 1 <= value / np.quantile(draw, share, method="inverted_cdf") <= 1.27
    assert one.over == (draw > 16).sum()


def test_histograms_survive_the_file_format(tmp_path: Path) -> None:
    cell = counted(cell_of(Model(ARM).case(0, Block(0, 28)), Reference().load(ARM)), kinds_of(0, 28), 16.0)
    assert cell.histogram
    assert not cell.errors
    results = Results(RunSettings("0", 0, 28, 16.0), cells=(cell,))
    document = results.document()
    require_valid(document, schema(), tmp_path, "")
    assert results_from(document).cells == (cell,)
    document["cells"][0]["histogram"]["bins"]["tiny"] = [[2000, 1]]
    with pytest.raises(ResultsError, match="histogram"):
        require_valid(document, schema(), tmp_path, "")


# The file of all errors


def error_cell(*errors: float, quantity: str = "gravity", mechanism: str = "arm") -> Cell:
    return Cell(f"{mechanism}/code/{quantity}", mechanism, "code", quantity, "agrees", errors=errors)


def test_all_errors_are_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "errors.npz"
    with ErrorFile(path, 5) as file:
        file.add(error_cell(3.0, 4.0), 3)
        file.add(error_cell(1.0, INFINITE), 0)
        file.add(error_cell(2.0, quantity="mass_matrix"), 4)
        file.add(error_cell(quantity="drifts_local"), 0)
        assert not path.exists()
    with np.load(path) as arrays:
        assert set(arrays) == {"arm/code/gravity", "arm/code/mass_matrix"}
        np.testing.assert_array_equal(arrays["arm/code/gravity"], np.array([1, np.inf, np.nan, 3, 4], "f4"))
        np.testing.assert_array_equal(arrays["arm/code/mass_matrix"], np.array([*[np.nan] * 4, 2], "f4"))
    assert [file.name for file in path.parent.iterdir()] == ["errors.npz"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyboardInterrupt("Ctrl-C"), "Ctrl-C"),
        (OSError(errno.ENOSPC, "No space left on device"), r"errors\.npz cannot be written \(No space"),
    ],
)
def test_an_interrupted_run_and_a_full_disk_leave_no_file_and_the_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, said: str
) -> None:
    def fails(*arguments: Any) -> None:
        raise error

    monkeypatch.setattr(np.lib.format, "write_array_header_1_0", fails)
    path = tmp_path / "errors.npz"
    path.write_text("earlier")
    with pytest.raises((KeyboardInterrupt, ResultsError), match=said), ErrorFile(path, 5) as file:
        file.add(error_cell(3.0), 3)
    assert [file.name for file in tmp_path.iterdir()] == ["errors.npz"]
    assert path.read_text() == "earlier"


@pytest.mark.parametrize("name", ["../../etc", "/etc/x", "a\\..\\b", "..", "\ud800\n", "a/../b"])
def test_keys_leave_no_folder(name: str) -> None:
    key = key_of(error_cell(mechanism=name))
    assert key.isprintable()
    assert not key.startswith("/") and key.count("/") == 2
    assert ".." not in key and "\\" not in key


# Estimates


def test_what_does_not_fit_is_refused_with_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sysconf", lambda name: {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 100}[name])
    with pytest.raises(SettingsError, match=r"256 states of 'scara' take 0\.\d GiB, and this machine has 0\.0; give fewer"):
        require_memory([ARM], Settings(states=256))
    require_memory([ARM], Settings(states=1, quantities=("gravity",)))
