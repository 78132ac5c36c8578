"""How code under test is asked: one quantity of one mechanism at a batch of states, answered by an array or by one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from types import ModuleType, SimpleNamespace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from implementations.arrays_of_frameworks import as_numpy
from implementations.engines.declared import ENGINES
from implementations.one_robot import OneRobot
from implementations.plugins.user_code import UserCodeError, described, foreign_frames
from implementations.plugins.user_mechanism import IsCode, find_any_mechanism
from implementations.processes.home import NAMES
from implementations.processes.own_files import own_files, place_of
from implementations.processes.watch import ReturnedArrays
from implementations.protocol import Array, DoesNotLoad, Failure, Implementation, Missing, Unsupported, require_unchanged
from mechanisms import Mechanism, MechanismError
from mechanisms.body import GRAVITY_COMPENSATION
from mechanisms.joint_forces import JOINT_FORCES
from mechanisms.plain_text import one_line
from mechanisms.quantities import Quantity
from mechanisms.quantities.steps import quantity_named, steps_among
from mechanisms.reading import Form, Reading

__all__ = ["About", "Answer", "Broken", "Failure", "FoundAgain", "FoundBy", "InProcess", "Loaded", "Methods", "Subject"]

REFUSALS = (DoesNotLoad, IsCode, UserCodeError, MechanismError, Missing)
"""Errors of a worker that the harness raises again, the particular one before the general one."""

JOINT_FORCES_OF = {engine.name: engine.joint_forces for engine in ENGINES}

Value = TypeVar("Value")

FoundBy = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments that find a subject again."""


@dataclass(frozen=True)
class Answer:
    """What an implementation answered: float64 (batch, …), the seconds that it took, and what it printed meanwhile."""

    value: Array
    seconds: float
    output: str = ""
    overwritten: str = ""
    """A quantity of which an earlier answer changed during this call, because the implementation returned an array that it
    uses again. Empty if none changed; only the last few answers are watched."""


class Loaded(Protocol):
    """One mechanism in an implementation under test."""

    @property
    def asked_for_source(self) -> bool:
        """Whether the code has asked for the mechanism's source so far: the file that it was read from."""

    def offers(self, quantity: str) -> bool:
        """Whether it has this quantity. Raises :class:`Failure`."""

    def place(self, quantity: str) -> str:
        """Where the user's project defines it, as "my_dynamics.py:12"; empty if that is not known."""

    def ask(self, quantity: str, *arguments: Array) -> Answer:
        """The quantity at a batch of states; arguments and answer as :class:`implementations.protocol.Dynamics` says.

        Raises :class:`Failure`, and :class:`implementations.protocol.Unsupported` if the implementation says so.
        """


@dataclass(frozen=True)
class About:
    """What an implementation under test says of itself."""

    name: str
    version: str = "unknown"
    declares: str = ""
    """The conventions that it declares, and from which its answers are converted, in words; empty if it has ours."""
    workarounds: tuple[str, ...] = ()
    """What an adapter computes itself instead of the engine, one phrase each; see :mod:`implementations.protocol`."""
    finite_differences: tuple[str, ...] = ()
    """The quantities that it declares to be finite differences."""
    by_state: bool = False
    """Whether its functions take one state each: then it cannot be wrong for batches."""
    one_robot: OneRobot | None = None
    """That it knows one robot alone, and how that is known: it declares its mechanism, or its functions take none."""
    precision: str = ""
    """The name of the precision in which it says that it computes; empty if it says nothing."""
    batch_sizes: tuple[int, ...] = ()
    """The sizes of batches in which it says that it has to be asked; none if any size will do."""
    deterministic: bool = True
    """False if it says that the same question may have another answer."""


class Said(Generic[Value]):
    """An attribute of a subject that has the value of the same attribute of its :attr:`about`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, subject: Subject, owner: type) -> Value:
        return getattr(subject.about, self._name)


class Subject:
    """An implementation under test. It has the attributes of its :attr:`about`."""

    engine = ""
    """The name of the registered adapter that it is; empty for all other code, whatever name that gives itself."""

    about: About | Subject
    """What it says of itself, or another subject that says it."""

    name = Said[str]()
    version = Said[str]()
    declares = Said[str]()
    workarounds = Said[tuple[str, ...]]()
    finite_differences = Said[tuple[str, ...]]()
    by_state = Said[bool]()
    one_robot = Said[OneRobot | None]()
    precision = Said[str]()
    batch_sizes = Said[tuple[int, ...]]()
    deterministic = Said[bool]()

    @property
    def files(self) -> Mapping[str, str]:
        """The files of the user's own modules that it consists of, with their digests, as far as they are known."""
        return {}

    @property
    def fresh(self) -> Callable[..., Subject] | None:
        """What makes the same implementation in a process that has done nothing yet; None if it does not run in one of its own.

        Its argument, by default 0, is added to the hash seed of the process.
        """
        return None

    @property
    def elsewhere(self) -> tuple[Subject, ...]:
        """The same implementation in processes with other hash seeds, which start when they are asked; none if it does not run in
        a process of its own."""
        return ()

    def load(self, mechanism: Mechanism) -> Loaded:
        """Raises :class:`Failure`, and :class:`implementations.protocol.Unsupported` if it cannot represent the mechanism."""
        raise NotImplementedError

    def close(self) -> None:
        """End what runs for it. It may be used again afterwards."""


class FoundAgain(Subject):
    """A subject that another process finds again, by a function and its arguments."""

    found_by: FoundBy | None = None

    def __reduce__(self) -> Any:
        if self.found_by is None:
            raise TypeError("an implementation that is an object cannot be sent to another process; name its module")
        return self.found_by


class InProcess(FoundAgain):
    """An implementation that is called in this process: for debuggers, and inside a worker process."""

    def __init__(self, implementation: Implementation, found_by: FoundBy | None = None, engine: str = "") -> None:
        """``engine`` is the name under which an adapter was found in the registry."""
        self._implementation, self.found_by, self.engine = implementation, found_by, engine
        self._asked: set[tuple[str, str]] = set()
        said = partial(getattr, implementation)
        self.about = About(
            str(said("name", type(implementation).__name__)),
            str(said("version", "unknown")),
            str(said("declares", "")),
            tuple(map(str, said("workarounds", ()))),
            tuple(map(str, said("finite_differences", ()))),
            said("by_state", False) is True,
            precision=str(said("precision", "")),
            batch_sizes=tuple(said("batch_sizes", ())),
            deterministic=said("deterministic", True) is not False,
        )
        self._engine = f"{engine} {self.about.version}" if engine else ""

    @cached_property
    def one_robot(self) -> OneRobot | None:  # type: ignore[override]
        """Raises :class:`UserCodeError` if it declares a mechanism that is not found."""
        robot = getattr(self._implementation, "one_robot", None)
        if not isinstance(robot, OneRobot) or robot.mechanism or not robot.spec:
            return robot if isinstance(robot, OneRobot) else None
        try:
            return replace(robot, mechanism=find_any_mechanism(robot.spec))
        except (UserCodeError, MechanismError) as error:
            raise UserCodeError(f"{self.name} declares the mechanism {robot.spec!r}, which cannot be used: {error}") from error

    @property
    def files(self) -> Mapping[str, str]:
        """Those that are loaded in this process."""
        return own_files()

    def load(self, mechanism: Mechanism) -> LoadedInProcess:
        require_mimic_joints(self._implementation, mechanism)
        require_joint_forces(self._implementation, mechanism)
        # The code gets a mechanism of its own, so that only its questions are counted.
        mechanism = replace(mechanism) if mechanism.read_from else mechanism
        try:
            return LoadedInProcess(self._implementation.load(mechanism), mechanism, self._asked, self._engine)
        except (Unsupported, Failure, KeyboardInterrupt):
            raise
        except NotImplementedError as error:
            raise _refusal(error) from error
        except BaseException as error:
            _require_offered(self._engine, error)
            raise Failure(f"load raised {described(error)}") from error

    def read(self, text: str, form: Form, free_base: bool) -> Reading:
        """What the implementation's own reader makes of a file. Raises :class:`Failure` and :class:`Unsupported`."""
        try:
            return self._implementation.read(text, form, free_base)  # type: ignore[attr-defined]
        except (Unsupported, Failure, Missing, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise Failure(f"its reader raised {described(error)}") from error


class Broken(Subject):
    """Code that does not load: it fails on every mechanism, for this reason."""

    def __init__(self, name: str, reason: str) -> None:
        self.about, self.reason = About(name), reason

    def load(self, mechanism: Mechanism) -> Loaded:
        raise Failure(self.reason)


def require_mimic_joints(implementation: Any, mechanism: Mechanism) -> None:
    """Raise :class:`Unsupported` if the mechanism has mimic joints and the implementation does not declare that it knows them.

    Code that does not know them would take the mechanism for one in which these joints move on their own. Nobody would see it.
    """
    declared = getattr(implementation, "mimic_joints", False)
    if declared is not True and mechanism.has_mimics:
        reason = declared if isinstance(declared, str) else "it does not declare that it knows mimic joints"
        joint = next(body.joint.name for body in mechanism.bodies if body.joint.mimic)
        raise Unsupported(
            f"{reason}, and joint {joint!r} is one; it moves on its own in independent:FILE, and in a robot without mimic:"
        )


def require_joint_forces(implementation: Any, mechanism: Mechanism) -> None:
    """Raise :class:`Unsupported` if a joint has a force, or a body gravity compensation, that the implementation is not told of.

    ``joint_forces`` of an implementation has a clause that says so, and the forces that it has: by default those of an engine's
    adapter. Users' code is told of every force in the arrays.
    """
    name = str(getattr(implementation, "name", ""))
    lacks, known = f"the adapter of {name} does not have", JOINT_FORCES_OF.get(name, (*JOINT_FORCES, GRAVITY_COMPENSATION))
    lacks, known = getattr(implementation, "joint_forces", (lacks, known))
    for joint in (body.joint for body in mechanism.bodies):
        for force in (one for one in joint.forces if one not in known):
            raise Unsupported(f"joint {joint.name!r} has {JOINT_FORCES[force].words}, which {lacks}")
    if mechanism.lifted and GRAVITY_COMPENSATION not in known:
        lifted = next(body.name for body in mechanism.bodies if body.is_lifted)
        raise Unsupported(f"body {lifted!r} has {GRAVITY_COMPENSATION}, which {lacks}")


class Methods:
    """What an implementation has loaded, with its quantities as methods: see :class:`implementations.protocol.Dynamics`."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded

    def __getattr__(self, quantity: str) -> Callable[..., Array]:
        if not self._loaded.offers(quantity):
            raise AttributeError(quantity)
        return lambda *arguments: self._loaded.ask(quantity, *arguments).value


class LoadedInProcess:
    """A mechanism that an implementation in this process has loaded: ``dynamics`` offers quantities as methods."""

    def __init__(self, dynamics: Any, mechanism: Mechanism, asked: set[tuple[str, str]] | None = None, engine: str = "") -> None:
        """``asked`` has the names and fingerprints of mechanisms for whose file the code has asked: it may keep what it read.

        ``engine`` is the name and the version of the engine that an adapter asks.
        """
        self.dynamics, self.mechanism, self._engine = dynamics, mechanism, engine
        self._asked = set() if asked is None else asked
        self._given: tuple[str, tuple[Array, ...]] = ("", ())
        self._returned = ReturnedArrays()

    @property
    def asked_for_source(self) -> bool:
        if self.mechanism.is_source_asked:
            self._asked.add((self.mechanism.name, self.mechanism.fingerprint))
        return bool(self._asked) and (self.mechanism.name, self.mechanism.fingerprint) in self._asked

    def offers(self, quantity: str) -> bool:
        try:
            return callable(getattr(self.dynamics, quantity, None))
        except BaseException as error:
            _reraise_interrupt(error)
            raise Failure(f"reading {quantity} raised {described(error)}") from error

    def steps(self) -> Sequence[str]:
        """The names of the time steps that it offers. Raises :class:`Failure`."""
        try:
            return steps_among(dir(self.dynamics))
        except BaseException as error:
            _reraise_interrupt(error)
            raise Failure(f"listing its functions raised {described(error)}") from error

    def place(self, quantity: str) -> str:
        try:
            return place_of(getattr(self.dynamics, quantity, None), Path.cwd().resolve(), quantity)
        except BaseException as error:
            _reraise_interrupt(error)
            return ""

    def ask(self, quantity: str, *arguments: Array) -> Answer:
        """The code gets arrays of the mechanism's precision."""
        with np.errstate(over="ignore", under="ignore"):
            arguments = tuple(x.astype(self.mechanism.precision.dtype, copy=False) for x in arguments)
        given = self._copies(quantity, arguments)
        start = perf_counter()
        answer = _returned(self.dynamics, quantity, given, self._engine)
        value = _real(answer, quantity)
        # Frameworks return before they have computed, and wait when the numbers are read.
        seconds = perf_counter() - start
        overwritten = self._returned.changed()
        self._returned.keep(quantity, answer, given)
        _require_valid(quantity_named(quantity), self.mechanism, value, arguments, given)
        return Answer(value, seconds, overwritten=overwritten)

    def _copies(self, quantity: str, arguments: tuple[Array, ...]) -> tuple[Array, ...]:
        """Copies of the arguments, in the arrays of the call before if that asked for the same: so loops call in practice, and
        caches that compare arrays by identity show themselves."""
        asked, given = self._given
        if asked != quantity or [x.shape for x in given] != [x.shape for x in arguments]:
            given = tuple(np.empty_like(x, order="C") for x in arguments)
        for copy, argument in zip(given, arguments, strict=True):
            copy[...] = argument
        self._given = (quantity, given)
        return given


def _refusal(error: NotImplementedError) -> Unsupported:
    """Python's own way to say that code does not have what it is asked for."""
    return Unsupported(one_line(str(error), 200) or "it raised NotImplementedError")


OTHER_ARGUMENTS = re.compile(
    r"argument types in\s+(?:None\.)?([\w.]+)\(|(\w+)\(\): incompatible (?:function|constructor) arguments"
    r"|arguments for overloaded function '(\w+)'|in method '(\w+)', argument"
)
"""What Boost.Python, pybind11, nanobind and SWIG say of arguments that a function does not take, with its name."""


def _require_offered(engine: str, error: BaseException) -> None:
    """Raise :class:`Unsupported` if an adapter asked its ``engine`` for a function that this release of it does not have."""
    if not engine or foreign_frames(error):
        return
    lack = ""
    if isinstance(error, AttributeError):
        kind = error.obj if isinstance(error.obj, type) else type(error.obj)
        module = error.obj.__name__ if isinstance(error.obj, ModuleType) else kind.__module__
        of = "" if isinstance(error.obj, (ModuleType, SimpleNamespace)) else f"{kind.__name__}."
        lack = f"which has no {of}{error.name}" if module.partition(".")[0] not in ("builtins", "numpy", *NAMES) else ""
    elif isinstance(error, TypeError) and (found := OTHER_ARGUMENTS.search(str(error))):
        lack = f"whose {found[found.lastindex or 0].removesuffix('.__init__')} takes other arguments"
    if lack:
        raise Unsupported(f"not offered by {engine}, {lack}") from error


def _returned(dynamics: Any, quantity: str, given: tuple[Array, ...], engine: str = "") -> Any:
    try:
        return getattr(dynamics, quantity)(*given)
    except (Unsupported, Failure, KeyboardInterrupt):
        raise
    except NotImplementedError as error:
        raise _refusal(error) from error
    except UserCodeError as error:
        raise Failure(str(error)) from error
    except BaseException as error:
        _require_offered(engine, error)
        raise Failure(f"{quantity} raised {described(error)}", of_a_state=True) from error


def _require_valid(
    quantity: Quantity, mechanism: Mechanism, answer: Array, arguments: tuple[Array, ...], given: tuple[Array, ...]
) -> None:
    name = quantity.name
    expected = (len(arguments[0]), *quantity.dimensions(mechanism))
    if answer.shape != expected:
        raise Failure(f"{name} returned shape {answer.shape}, not {expected}")
    if not np.isfinite(answer).all():
        state = int(np.argwhere(~np.isfinite(answer))[0][0])
        raise Failure(f"{name} returned {answer[state][~np.isfinite(answer[state])].flat[0]} in state {state}")
    require_unchanged(name, arguments, given)


def _real(answer: Any, name: str) -> Array:
    """The answer as float64, whatever framework or device it is of; refuses what NumPy would convert in silence: imaginary parts,
    dates, text that spells numbers."""
    refused = f"{name} returned {type(answer).__name__}, not an array of real numbers"
    try:
        given = as_numpy(answer)
        if answer is not None and given.dtype.kind in "buifO":
            with np.errstate(over="ignore"):
                return given.astype(np.float64, order="C")
    except BaseException as error:
        _reraise_interrupt(error)
        raise Failure(f"{refused} ({described(error)})") from error
    raise Failure(f"{refused} ({given.dtype})")


def _reraise_interrupt(error: BaseException) -> None:
    """Ctrl-C is the user's, not the code's."""
    if isinstance(error, KeyboardInterrupt):
        raise error
