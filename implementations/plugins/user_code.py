"""A user's own code as an implementation, named by a module or a file."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from implementations.algorithms import Algorithm
from implementations.arrays_of_frameworks import as_numpy
from implementations.conventions.change import as_declared
from implementations.conventions.converted import Converted, order_of
from implementations.conventions.declared import Conventions, UnknownConvention
from implementations.one_robot import COMMON, OneRobot, one_robot_of, takes, takes_a_mechanism, takes_no_mechanism
from implementations.plugins.batch_sizes import InSizes, sizes_declared
from implementations.protocol import Array, DoesNotLoad, UserCodeError, require_unchanged
from implementations.state_by_state import for_each_state
from mechanisms import Mechanism
from mechanisms.numbers.precision import PRECISIONS, UnknownPrecision, precision_named
from mechanisms.quantities import ALL_QUANTITIES
from mechanisms.quantities.steps import is_step, quantity_named, steps_among
from mechanisms.states import difference, integrate

_HOUSE = Path(__file__).resolve().parents[2]
_FOLDERS = ("cross_check", "dalembert", "implementations", "machine", "mechanisms", "oracle", "reports")

OURS = [_HOUSE] if __name__.startswith("dalembert.") else [_HOUSE / name for name in _FOLDERS]
"""Where our own code is, in the installed package and in the checkout: a traceback of users' code passes through it."""

OUR_CONVENTIONS = Conventions()

LAST_FRAMES, LONGEST_LINE = 3, 120
"""How many lines of a traceback are shown, and how many characters of each."""

SLIP = 0.83
"""How alike a word and a misspelt word are at least: one letter too many, too few or wrong in six, or two swapped in seven."""


@dataclass(frozen=True)
class UserImplementation:
    """The user's ``source``, an object with ``load(mechanism)``, under a name and a version, with what it declares."""

    name: str
    version: str
    source: Any
    conventions: Conventions = OUR_CONVENTIONS
    joint_order: Callable[[Mechanism], Sequence[str]] | None = None
    """Gives the names of the mechanism's joints in the order of the code's q and v."""
    workarounds: tuple[str, ...] = ()
    finite_differences: tuple[str, ...] = ()
    """The quantities that are finite differences, all of them derivatives: they may be off by as much as differences are."""
    mimic_joints: bool = False
    """Whether the code knows mimic joints (:attr:`mechanisms.arrays.Arrays.leaders`)."""
    one_robot: OneRobot | None = None
    """That the code knows one robot alone, if it declares that or its functions say so."""
    precision: str = ""
    """The name of the precision in which it computes; empty if it declares none."""
    batch_sizes: tuple[int, ...] = ()
    """The sizes of the batches in which it is asked, ascending; none if any size will do."""
    deterministic: bool = True
    """Whether the same question has the same answer to the last bit. Sums in any order have not."""

    @property
    def declares(self) -> str:
        """The conventions that differ from ours, in words."""
        return self.conventions.words

    @property
    def by_state(self) -> bool:
        """Whether it is functions of one state."""
        return isinstance(self.source, OneStateFunctions)

    def load(self, mechanism: Mechanism) -> Any:
        if self.conventions == OUR_CONVENTIONS and self.joint_order is None:
            return self._loaded(mechanism)
        loaded = self._loaded(as_declared(mechanism, self.conventions))
        ours = [body.joint.name for body in mechanism.bodies]
        order = order_of("joints", ours, self.joint_order(mechanism) if self.joint_order else ours)
        return Converted(loaded, mechanism, self.conventions, order)

    def _loaded(self, mechanism: Mechanism) -> Any:
        loaded = self.source.load(mechanism)
        return InSizes(loaded, self.batch_sizes) if self.batch_sizes else loaded


@dataclass(frozen=True)
class OneStateFunctions:
    """Functions of a mechanism and *one* state, as 1-D arrays, such as ``inverse_dynamics(mechanism, q, v, a)``.

    Those named in ``without_mechanism`` are code for one robot, and functions of the state alone.
    """

    spec: str
    functions: dict[str, Callable[..., ArrayLike]]
    without_mechanism: frozenset[str] = frozenset()

    def load(self, mechanism: Mechanism) -> SimpleNamespace:
        """The offered functions on batches, and no others."""
        batches = SimpleNamespace()
        for name, function in self.functions.items():
            on_batches = partial(self._batch, name, mechanism)
            on_batches.__wrapped__ = function  # type: ignore[attr-defined]  # As functools.wraps does, for those who inspect it.
            setattr(batches, name, on_batches)
        return batches

    def _batch(self, name: str, mechanism: Mechanism, *states: Array) -> Array:
        shape = quantity_named(name).dimensions_for(mechanism, states[0])
        if is_step(name):
            states = (*states[:-1], states[-1][:, 0])
        return for_each_state(partial(self._answer, name, mechanism), shape, *states)

    def _answer(self, name: str, mechanism: Mechanism, *state: Array) -> Array:
        given = [part.copy() for part in state]
        model = () if name in self.without_mechanism else (mechanism,)
        with _other_meanings(name):
            answer = _converted(name, _one_array(name, self.functions[name](*model, *given)))
        if answer.dtype == object and answer.shape == () and answer.item() is None:
            raise UserCodeError(f"{name} returned None; let it return its answer")
        require_unchanged(name, state, given)
        if answer.dtype == object:
            with suppress(TypeError, ValueError):
                answer = answer.astype(np.float64)
        if answer.dtype.kind not in "buif":
            raise UserCodeError(f"{name} returned {answer.dtype}; return real numbers")
        expected = quantity_named(name).dimensions_for(mechanism, state[0])
        if answer.shape != expected:
            raise UserCodeError(f"{name} returned shape {answer.shape}; return {expected} for one state")
        return answer.astype(np.float64)


def _one_array(name: str, answer: Any) -> Any:
    """A step may return (q⁺, v⁺)."""
    if not is_step(name) or not isinstance(answer, tuple):
        return answer
    return np.concatenate([np.atleast_1d(_converted(name, part)) for part in answer])


def _converted(name: str, answer: Any) -> Array:
    """The answer as an array of NumPy. Raises :class:`UserCodeError`."""
    try:
        return as_numpy(answer)
    except Exception as error:
        what = f"{name} returned {type(answer).__name__}, not an array of real numbers"
        raise UserCodeError(f"{what} ({described(error)})") from error


@contextmanager
def _other_meanings(name: str) -> Iterator[None]:
    """``integrate`` and ``difference`` are names of many functions. One with other arguments raises :class:`TypeError`."""
    try:
        yield
    except TypeError as error:
        if name in ("integrate", "difference"):
            # The same error, because its traceback has the place.
            error.args = (f"{error}; if {name} is no function of a mechanism and two arrays, give it another name",)
        raise


OTHER_NAMES = {
    **dict.fromkeys(("rnea", "id", "inverse_dyn", "compute_torques"), "inverse_dynamics"),
    **dict.fromkeys(("crba", "M", "H", "inertia_matrix", "joint_space_inertia"), "mass_matrix"),
    **dict.fromkeys(("aba", "fd", "forward_dyn"), "forward_dynamics"),
    **dict.fromkeys(("nle", "h", "bias", "bias_forces"), "nonlinear_effects"),
    **dict.fromkeys(("g", "G", "gravity_vector", "gravity_torques", "generalized_gravity"), "gravity"),
    **dict.fromkeys(("fk", "forward_kinematics"), "placements"),
}
"""What quantities are called elsewhere; other spellings of our own names are recognised anyway."""


def load_user(spec: str) -> UserImplementation:
    """The implementation that ``spec`` names: ``module``, ``module:name``, ``file.py`` or ``file.py:name``.

    What is named, a module or an object in it, either has ``load(mechanism)`` and is an implementation as it stands (a class
    is first called without arguments), or offers any of :data:`ALL_QUANTITIES` as functions of the mechanism and one state; a
    module that has both is taken by its functions.
    Its ``name`` and ``version`` are taken over; they default to the last part of ``spec`` and to "unknown". So are
    ``conventions``, a dictionary of those that differ from ours (:data:`implementations.conventions.declared.VALUES`), and
    ``joint_order``, a function of a mechanism that gives the names of its joints in the order of the code's q and v,
    ``mimic_joints``, which is True if the code knows mimic joints, ``finite_differences``, a list of the quantities that the code
    computes by finite differences, ``precision``, the name of that in which it computes (:mod:`mechanisms.numbers.precision`),
    ``batch_sizes``, the only sizes of batches to ask it in (:mod:`implementations.plugins.batch_sizes`), ``deterministic``, which
    is False if the same question may have another answer, and ``mechanism``, the one robot that the code knows
    (:mod:`implementations.one_robot`). Functions of one state alone, without a mechanism, are code for one robot, too.

    Raises :class:`UserCodeError`, with the user's own exception as its cause where there is one.
    """
    # A file is distinguished from a module by its ending, so that the colon after a drive's letter starts no name.
    file = re.fullmatch(r"(?P<file>.+?\.py)(?::(?P<name>[^:\\/]+))?", spec)
    if file:
        thing: Any = import_file(spec, Path(file["file"]).expanduser())
        name, last = file["name"], Path(file["file"]).stem
    else:
        module, _, name = spec.partition(":")
        thing, last = import_named_module(spec, module), module.rpartition(".")[2]
    for part in name.split(".") if name else ():
        thing, last = attribute(thing, part, spec), part
    return as_implementation(thing, spec, last)


def load_algorithms(spec: str) -> dict[str, Algorithm]:
    """Algorithms to be proven, by quantity: the functions that ``spec`` names as in :func:`load_user`. They take a model.

    Raises :class:`UserCodeError`, also if there is nothing but ``load(mechanism)``, and for conventions that are declared.
    """
    user = load_user(spec)
    if not isinstance(user.source, OneStateFunctions):
        remedy = "give functions of a model and of arrays over any field (docs/certificates.md)"
        raise UserCodeError(f"{spec!r} cannot be proven: it has load(mechanism), which is for numbers; {remedy}")
    if user.source.without_mechanism:
        name = min(user.source.without_mechanism)
        raise UserCodeError(f"{spec!r} cannot be proven: {name} takes no model; give it one (docs/certificates.md)")
    if user.declares or user.joint_order:
        raise UserCodeError(f"{spec!r} cannot be proven: a proof converts no conventions and no orders; declare none")
    return {name: partial(_called, spec, name, function) for name, function in user.source.functions.items()}


def _called(spec: str, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """The answer of an algorithm under proof. What is no arithmetic on its numbers is for the proof to say."""
    try:
        return function(*arguments)
    except (TypeError, ZeroDivisionError, SystemExit, KeyboardInterrupt):
        raise
    # Also what is no Exception, such as a failure of pytest: nobody above expects it.
    except BaseException as error:
        raise UserCodeError(f"{spec!r} cannot be proven: {name} raised {described(error)}; mend that first") from error


def attribute(thing: Any, name: str, spec: str) -> Any:
    """The attribute of what ``spec`` names. Raises :class:`UserCodeError`."""
    with _reporting(spec, f"reading {name}"):
        if hasattr(thing, name):
            return getattr(thing, name)
    raise UserCodeError(f"{spec!r} cannot be used: there is no {name!r} in it; name something that it defines")


def as_implementation(thing: Any, spec: str, name: str) -> UserImplementation:
    """``thing``, which ``spec`` names in errors, as an implementation called ``name`` unless it says otherwise."""
    if isinstance(thing, type):
        with _reporting(spec, "calling the class without arguments"):
            thing = thing()
    with _reporting(spec, "reading its attributes"):
        name, version = _text(thing, "name", name), _text(thing, "version", "unknown")
        offered = ((quantity, getattr(thing, quantity, None)) for quantity in ALL_QUANTITIES)
        # A module may have imported our functions of these names, which take batches.
        functions = {
            quantity: function
            for quantity, function in offered
            if callable(function) and not any(function is ours for ours in (integrate, difference))
        }
        # Many functions are called step. One that is not about a mechanism and a state, or a state, is another.
        if not callable(getattr(thing, "load", None)):
            called = ((step, getattr(thing, step, None)) for step in steps_among(dir(thing)))
            functions |= {step: one for step, one in called if callable(one) and any(takes(one, n) for n in (4, 5))}
        # A module may well have a ``load`` of its own beside its functions.
        knows_mimics = getattr(thing, "mimic_joints", False) is True
        has_load = callable(getattr(thing, "load", None)) and not (functions and isinstance(thing, ModuleType))
        alone = frozenset(name for name, function in functions.items() if not has_load and takes_no_mechanism(function, name))
        if not has_load and any(takes_a_mechanism(functions[name], name) for name in functions.keys() - alone.union(COMMON)):
            # Beside functions of a mechanism, a function that has the name of a quantity is a helper, such as placements(angles).
            functions = {name: one for name, one in functions.items() if name in COMMON or name not in alone}
            alone = frozenset()
        robot = one_robot_of(thing, spec, alone)
        alone = alone if robot else frozenset()
        texts = _texts(thing, "workarounds"), _differences(thing, spec)
        sizes = sizes_declared(getattr(thing, "batch_sizes", None), spec)
        if sizes and not has_load:
            remedy = "give functions of batches, by load(mechanism), or remove batch_sizes"
            raise UserCodeError(f"{spec!r} cannot be used: it declares batch_sizes, and its functions take one state; {remedy}")
        of_numbers = _precision(thing, spec), sizes, getattr(thing, "deterministic", True) is not False
        declared = _conventions(thing, spec), _joint_order(thing), *texts, knows_mimics, robot, *of_numbers
        if has_load:
            return UserImplementation(name, version, thing, *declared)
        remedy = "" if functions else _remedy(thing)
        slips = list(_slips(thing, functions)) if functions else []
    if not functions:
        raise UserCodeError(f"{spec!r} offers none of the quantities; {remedy}")
    for misspelt, meant in slips:
        remedy = f"did you mean {meant}? If it is another function, give it another name"
        raise UserCodeError(f"{spec!r} defines {misspelt}, which is not a quantity; {remedy}")
    return UserImplementation(name, version, OneStateFunctions(spec, functions, alone), *declared)


def _conventions(thing: Any, spec: str) -> Conventions:
    """What ``thing`` declares as its ``conventions``, a dictionary. Raises :class:`UserCodeError`."""
    given = getattr(thing, "conventions", None)
    if not isinstance(given, dict):
        return OUR_CONVENTIONS
    try:
        return Conventions.declared(given)
    except UnknownConvention as error:
        raise UserCodeError(f"{spec!r} cannot be used: {error}") from None


def _precision(thing: Any, spec: str) -> str:
    """What ``thing`` declares as its ``precision``: a name, or a type of NumPy's numbers. Raises :class:`UserCodeError`."""
    given = getattr(thing, "precision", "")
    if isinstance(given, np.dtype) or (isinstance(given, type) and issubclass(given, np.generic)):
        given = np.dtype(given).name
    if isinstance(given, int) and f"float{given}" in PRECISIONS:
        raise UserCodeError(f'{spec!r} cannot be used: its precision is the number {given}; write "float{given}"')
    if not isinstance(given, str):
        return ""  # A tolerance of the code's own, perhaps.
    try:
        return given and precision_named(given).name
    except UnknownPrecision as error:
        raise UserCodeError(f"{spec!r} cannot be used: {error}") from None


def _joint_order(thing: Any) -> Callable[[Mechanism], Sequence[str]] | None:
    order = getattr(thing, "joint_order", None)
    return order if callable(order) else None


def _texts(thing: Any, name: str) -> tuple[str, ...]:
    given = getattr(thing, name, ())
    return tuple(given) if isinstance(given, (list, tuple)) and all(isinstance(one, str) for one in given) else ()


def _differences(thing: Any, spec: str) -> tuple[str, ...]:
    """What ``thing`` declares as its ``finite_differences``, a list of quantities. Raises :class:`UserCodeError`."""
    given = _texts(thing, "finite_differences")
    for name in given:
        if name not in ALL_QUANTITIES or ALL_QUANTITIES[name].base is None:
            what = "is no derivative of another quantity" if name in ALL_QUANTITIES else "is no quantity"
            remedy = "name only derivatives there, such as 'forward_dynamics_dq'"
            raise UserCodeError(f"{spec!r} cannot be used: finite_differences names {name!r}, which {what}; {remedy}")
    return given


def _slips(thing: Any, offered: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The functions of ``thing`` that surely are a quantity under a misspelt name, and the quantity's name.

    Such a function is not imported, can be called with the quantity's arguments, with or without a mechanism, and the quantity
    itself is not offered.
    """
    for name, function in _own_functions(thing):
        for meant in ALL_QUANTITIES if name not in ALL_QUANTITIES else ():
            n = len(ALL_QUANTITIES[meant].arguments)
            if meant not in offered and is_slip(name, meant) and (takes(function, n) or takes(function, 1 + n)):
                yield name, meant


@lru_cache(1 << 14)
def is_slip(name: str, meant: str) -> bool:
    """Whether ``name`` is ``meant`` misspelt: it has as many words, each right or nearly so.

    Names that add to a word or to the name are names of helpers: ``mass_matrix_inverse``, ``gravity_vector``, ``gravity2``.
    """
    words, right = name.split("_"), meant.split("_")
    return name != meant and len(words) == len(right) and all(map(_nearly, words, right))


def _nearly(word: str, right: str) -> bool:
    """Short words, such as dq and dv, differ by a letter and mean something else."""
    return word == right or (len(right) > 3 and right not in word and difflib.SequenceMatcher(None, word, right).ratio() > SLIP)


def _own_functions(thing: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public functions of ``thing``, without those that a module imports."""
    for name in dir(thing):
        function = None if name.startswith("_") else getattr(thing, name, None)
        imported = isinstance(thing, ModuleType) and getattr(function, "__module__", None) != thing.__name__
        if callable(function) and not imported:
            yield name, function


def _remedy(thing: Any) -> str:
    """What to do where ``thing`` offers nothing: any name that resembles a quantity's, in camel case too, is worth a question."""
    plain = {name.replace("_", ""): name for name in ALL_QUANTITIES}
    for name, _ in _own_functions(thing):
        if meant := OTHER_NAMES.get(name):
            return f"{name} is {meant} here: write {meant} = {name} below it; `dalembert quantities` has its arguments"
        if close := difflib.get_close_matches(name.replace("_", "").lower(), plain, n=1, cutoff=0.85):
            return f"it defines {name}; did you mean {plain[close[0]]}?"
    return f"define load(mechanism), or any of {', '.join(ALL_QUANTITIES)}"


def _text(thing: Any, attribute: str, default: str) -> str:
    value = getattr(thing, attribute, default)
    return value if isinstance(value, str) else default


@contextmanager
def importing_from(folder: Path, afterwards: bool = True) -> Iterator[None]:
    """Imports look in ``folder`` first, as when Python runs a script there; ``afterwards`` they look there last.

    So the user's modules can import each other, also later from within functions, and hide no other package.
    """
    first = str(folder)
    sys.path.insert(0, first)
    # Python takes cached bytecode for current if the source has the same size and second: the next run would test old code.
    writes_bytecode, sys.dont_write_bytecode = not sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = not writes_bytecode
        if first in sys.path:
            sys.path.remove(first)
        if afterwards and first not in sys.path:
            sys.path.append(first)


def import_named_module(spec: str, module: str) -> ModuleType:
    with importing_from(Path.cwd()), _reporting(spec, "importing it"):
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            # What is missing may also be something that the module itself imports.
            if not f"{module}.".startswith(f"{error.name}."):
                raise
            remedy = "install it, change to the folder that it is in, or name its .py file"
            raise UserCodeError(f"{spec!r} cannot be used: module {error.name!r} is not found; {remedy}") from error


def import_file(spec: str, path: Path) -> ModuleType:
    if not path.is_file():
        raise UserCodeError(f"{spec!r} cannot be used: there is no file {str(path)!r}; correct the path")
    path = path.resolve()
    private = f"_dalembert_user_{path.stem}_{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}"
    plan = importlib.util.spec_from_file_location(private, path)
    assert plan is not None and plan.loader is not None
    module = importlib.util.module_from_spec(plan)
    # dataclasses and pickle look a module up by its name.
    sys.modules[private] = module
    try:
        with importing_from(path.parent), _reporting(spec, "importing it"):
            plan.loader.exec_module(module)
    except UserCodeError:
        del sys.modules[private]
        raise
    return module


@contextmanager
def _reporting(spec: str, doing: str) -> Iterator[None]:
    """Turns what the user's code raises, its attempt to exit included, into one sentence."""
    try:
        yield
    except (UserCodeError, KeyboardInterrupt):
        raise
    except BaseException as error:
        # A module that defines its mechanism is imported by dalembert's Python, too.
        absent = isinstance(error, ModuleNotFoundError)
        remedy = "install it, or import it inside functions if the Python of --python has it" if absent else "mend that first"
        raise DoesNotLoad(f"{spec!r} cannot be used: {doing} raised {described(error)}; {remedy}") from error


def described(error: BaseException) -> str:
    """What foreign code raised, on one line, with the place where it did."""
    try:
        text = str(error)
    except BaseException as another:
        text = f"its text cannot be read ({type(another).__name__})"
    said = f"{type(error).__name__}: {text}".removesuffix(": ")
    return " ".join(f"{said}{_place(error)}".split())


def foreign_frames(error: BaseException) -> list[tuple[Path, traceback.FrameSummary]]:
    """The places, with their files, on the way to ``error`` that are in no file of ours."""
    frames = [(Path(frame.filename), frame) for frame in traceback.extract_tb(error.__traceback__)]
    return [(path, frame) for path, frame in frames if path.is_absolute() and not any(map(path.is_relative_to, OURS))]


def _place(error: BaseException) -> str:
    """ " (file.py:12: x = f(y); called at file.py:30: g(z))": the last lines of the user's own code on the way to ``error``."""
    if not (foreign := foreign_frames(error)):
        return ""
    # What the user's code calls of other packages lies elsewhere, or in a virtual environment within.
    home = foreign[0][0].parent
    own = [
        f"{path.name}:{frame.lineno}" + (f": {frame.line[:LONGEST_LINE]}" if frame.line else "")
        for path, frame in foreign
        if path.is_relative_to(home) and "site-packages" not in path.relative_to(home).parts
    ]
    return f" ({'; called at '.join(own[: -LAST_FRAMES - 1 : -1])})"
