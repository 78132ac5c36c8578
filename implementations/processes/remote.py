"""An implementation that is loaded and called in a worker process, and replaced by a fresh one when its process ends."""

from __future__ import annotations

import math
import os
import socket
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property, partial
from itertools import count, islice
from typing import Any

from implementations.one_robot import OneRobot
from implementations.plugins.registry import ENGINE_NAMES
from implementations.plugins.user_code import UserCodeError
from implementations.processes.edited import EDIT_SECONDS, Edit
from implementations.processes.home import PROGRAMS, Home
from implementations.processes.limits import Limits
from implementations.processes.own_files import MOST_FILES, is_place
from implementations.processes.process import WorkerEnded, WorkerProcess
from implementations.processes.rebuilt import BUILDING, copy_of
from implementations.processes.responses import MOST_RUNS, Responses
from implementations.processes.subject import REFUSALS, About, Answer, Failure, FoundAgain, FoundBy, InProcess
from implementations.processes.switched import Unit
from implementations.processes.waiting import FIRST
from implementations.processes.watched import LONGEST_WATCHED, Alike, Watching
from implementations.protocol import Array, DoesNotLoad, Implementation, Missing, Unsupported
from mechanisms import Mechanism
from mechanisms.files.document import from_document, to_document
from mechanisms.numbers.precision import NAMES
from mechanisms.quantities import ALL_QUANTITIES
from mechanisms.quantities.steps import is_step, quantity_named, steps_among
from mechanisms.reading import Form, Reading

MOST_ENDS = 3
"""How often code may end its process, or let a call run out of time, while it works on one mechanism. Then it is not asked any
more about this mechanism."""

MOST_TIMEOUTS = 3
"""How often calls may run out of time in all. Then the code is not asked any more."""

LOADING = 120.0
"""Seconds that importing the code may take, at least: some libraries need a minute."""

MOST_WORKAROUNDS = 20
"""The largest number of an adapter's workarounds that are kept."""

MOST_SIZES = 20
"""The largest number of declared sizes of batches that are shown."""

LONGEST_PATH = 4096
"""Characters of the path of a file that are kept."""

HURRY = 0.1
"""The share of the time limit that a single state gets after a batch ran out of time."""

OTHER_PROCESSES = 2
"""So many further processes, each with a hash seed of its own, are asked what the first one was asked."""


class Remote(FoundAgain):
    """The implementation that ``spec`` names, in a worker process.

    An ``implementation`` that is given is itself asked, in a fork of this process. ``name`` and ``version`` start the process,
    and raise :class:`UserCodeError` and :class:`Missing`.
    """

    def __init__(
        self,
        spec: str,
        limits: Limits | None = None,
        implementation: Implementation | None = None,
        found_by: FoundBy | None = None,
        home: Home | None = None,
        edits: Sequence[Edit] = (),
    ) -> None:
        """The user's Python code is loaded as if these ``edits`` of its source were made, one after the other."""
        self.spec, self.found_by, self.edits = spec, found_by, tuple(edits)
        # The worker finds a built-in name in the registry, so no user's code can have this name.
        self.engine = spec if implementation is None and spec in ENGINE_NAMES else ""
        self._home = home or Home()
        self.sources_folder = self._home.folder if self._home.build and spec.startswith(PROGRAMS) else None
        """The folder of the sources from which the code can be built; None for code that is not built."""
        self.limits = limits or Limits()
        self._implementation = implementation
        self._worker: WorkerProcess | None = None
        self.timeouts = 0
        """How many calls have run out of time."""
        self.numbers = count(1)
        """Every mechanism has another number in a worker."""
        self.unused: list[int] = []
        """The numbers of mechanisms that the worker may drop at its next request."""

    @cached_property
    def about(self) -> About:  # type: ignore[override]
        """Raises :class:`UserCodeError` and :class:`Missing`."""
        return _about(_carried_out(self._load, DoesNotLoad, self.spec, "loading it "))

    @cached_property
    def files(self) -> Mapping[str, str]:
        """They are asked for when they are needed: to find them takes longer than to start the process."""
        try:
            reply, _, _ = self.worker().request({"do": "files"}, (), self.limits.timeout)
        except (Failure, WorkerEnded):  # It fails its own cells.
            return {}
        files = reply.get("files")
        known = islice(files.items(), MOST_FILES) if isinstance(files, dict) else ()
        return {str(path)[:LONGEST_PATH]: str(digest)[:100] for path, digest in known}

    def __reduce__(self) -> Any:
        """In another process it says what it has said here, without loading the code."""
        return *super().__reduce__(), {name: said for name, said in vars(self).items() if name == "about"}

    def _load(self) -> dict[str, Any]:
        """What a new process says after it has loaded the code. If it ends, it is replaced once. Raises :class:`WorkerEnded`."""
        try:
            return self._load_once()
        except WorkerEnded as end:
            if end.timed_out:
                raise
            return self._load_once()

    def _load_once(self) -> dict[str, Any]:
        self._worker = None  # If the new one does not load the code, nobody may ask the old one.
        worker = self._started()
        request = {"do": "implementation", "spec": self.spec, "edits": self.edits, **self._home.request}
        reply, _, _ = worker.request(request, (), max(LOADING, self.limits.timeout) + BUILDING * self._home.is_copy)
        if "refused" in reply or "failed" in reply:
            worker.close()
        else:
            self._worker = worker
        return reply

    def load(self, mechanism: Mechanism) -> LoadedRemotely:
        return LoadedRemotely(self, mechanism)

    def read(self, text: str, form: Form, free_base: bool) -> tuple[Reading, str]:
        """What its own reader makes of a file, and what it printed meanwhile.

        Raises :class:`Failure` if the reader breaks, and :class:`Refusal` if it refuses the file.
        """
        try:
            request = {"do": "read", "text": text, "form": form, "free": free_base}
            reply, _, output = self.worker().request(request, (), self.limits.timeout)
        except WorkerEnded as end:
            self._worker = None
            raise Failure(f"its reader {end.how}", end.output, ended=True) from end
        if "unsupported" in reply:
            raise Refusal(str(reply["unsupported"]), output)
        if "refused" in reply or "failed" in reply:
            raise Failure(str(reply.get("failed", reply.get("refused"))), output)
        try:
            return Reading.from_document(reply["reading"]), output
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Failure("its reader sent no reading to the harness", output) from error

    def fresh(self, other: int = 0) -> Remote:
        """The same implementation, in a process that has done nothing yet. Its hash seed is larger by ``other``.

        An object runs in a fork, which has the hash seed of this process.
        """
        home = replace(self._home, hash_seed=self._home.hash_seed + other)
        return Remote(self.spec, self.limits, self._implementation, self.found_by, home, self.edits)

    def with_edits(self, edits: Sequence[Edit]) -> Remote:
        """The same code with these edits of its source, in a process of its own; compiled code, in a copy of its folder."""
        folder = self.sources_folder
        if folder is None:
            return Remote(self.spec, self.limits, self._implementation, None, self._home, edits)
        copy = copy_of(folder)
        spec = self.spec.replace(f"{folder}{os.sep}", f"{copy.name}{os.sep}")
        built = Remote(spec, self.limits, None, None, replace(self._home, folder=copy.name, is_copy=True), edits)
        built.sources_folder = folder
        # The copy goes with the code.
        weakref.finalize(built, copy.cleanup)
        return built

    @cached_property
    def elsewhere(self) -> tuple[Remote, ...]:
        """The same implementation in processes with other hash seeds, which start when they are asked: ``fresh(1)`` and so on."""
        return tuple(self.fresh(1 + k) for k in range(OTHER_PROCESSES))

    def close(self) -> None:
        for other in self.__dict__.pop("elsewhere", ()):
            other.close()
        if self._worker:
            self._worker.close()
            self._worker = None

    def _started(self) -> WorkerProcess:
        serve = partial(_serve, self.limits.memory, self._implementation) if self._implementation is not None else None
        try:
            return WorkerProcess(self.limits, serve, self._home)
        except FileNotFoundError as error:
            raise UserCodeError(f"the folder {self._home.folder!r} does not exist on this machine; share it") from error

    def worker(self) -> WorkerProcess:
        """The worker, with the implementation loaded; a fresh one if the last one ended. Raises :class:`Failure`."""
        try:
            _ = self.about
            if self._worker is None or not self._worker.is_alive:
                _accepted(self._load(), DoesNotLoad, self.spec, "loading it again ")
        except (UserCodeError, Missing) as error:
            raise Failure(str(error)) from error
        except WorkerEnded as end:
            raise Failure(f"loading it again {end.how}", end.output, ended=True) from end
        assert self._worker is not None
        return self._worker


class Refusal(Unsupported):
    """A reader refuses a file; ``output`` is what it printed meanwhile."""

    def __init__(self, sentence: str, output: str) -> None:
        super().__init__(sentence)
        self.output = output


def _serve(memory: float, implementation: Implementation, channel: socket.socket) -> None:
    from implementations.processes.worker import run

    run(channel, memory, InProcess(implementation))


class LoadedRemotely:
    """A mechanism in a worker process; see :class:`implementations.processes.subject.Loaded`.

    If the worker ends, the mechanism is loaded again into the next one.
    """

    def __init__(self, subject: Remote, mechanism: Mechanism) -> None:
        self._subject, self._mechanism = subject, mechanism
        self._worker: WorkerProcess | None = None
        self._ends = 0
        self._slow: set[str] = set()
        self._may_compile = False
        self._answered: set[tuple[str, tuple[int, ...]]] = set()
        """The quantities and the shapes that the present worker has answered."""
        self._printed = ""
        self._number = next(subject.numbers)
        self._offers: frozenset[str] = frozenset()
        self._places: dict[str, str] = {}
        self.asked_for_source = False
        self._require_loaded()

    def offers(self, quantity: str) -> bool:
        return quantity in self._offers

    def steps(self) -> Sequence[str]:
        """The names of the time steps that it offers."""
        return steps_among(self._offers)

    def place(self, quantity: str) -> str:
        return self._places.get(quantity, "")

    def ask(self, quantity: str, *arguments: Array) -> Answer:
        self._require_loaded()
        single = len(arguments[0]) == 1 and quantity in self._slow
        key = (quantity, tuple(n for x in arguments for n in x.shape))
        is_first = self._may_compile and key not in self._answered
        timeout = self._subject.limits.timeout * (HURRY if single else 1) * (FIRST if is_first else 1)
        assert self._worker is not None
        request = {"do": "ask", "quantity": quantity, "of": self._number}
        states = "one state" if len(arguments[0]) == 1 else f"{len(arguments[0])} states"
        doing = "compiling, or slow" if is_first else "slow"
        what = f"{doing}: {quantity} of {self._mechanism.name} in {self._subject.name}, {states}"
        reply, arrays, output = self._request(self._worker, request, arguments, timeout, what, is_usual=not single)
        self._answered.add(key)
        expected = (len(arguments[0]), *quantity_named(quantity).dimensions(self._mechanism))
        if [array.shape for array in arrays] != [expected]:
            raise Failure(f"{quantity} sent arrays of other shapes than {expected} to the harness", output)
        said, overwritten = reply.get("seconds"), reply.get("overwritten")
        seconds = said if isinstance(said, float) and 0 <= said < math.inf else 0.0
        return Answer(arrays[0], seconds, output, overwritten if overwritten in [*ALL_QUANTITIES] else "")

    def executed_lines(
        self, quantity: str, arguments: Sequence[Array], units: Sequence[Unit] = (), preludes: Mapping[str, int] | None = None
    ) -> dict[str, set[int]]:
        """By path: the lines of the user's own files that the answer to a question takes, from the import of the code on.

        Of compiled code, the ``units`` are watched, and a prelude is put into every file at the byte that ``preludes`` have.
        Raises :class:`Failure`.
        """
        more = {"before": self._subject.edits, "units": units, "preludes": preludes}
        reply, _ = self._about_source("lines", quantity, arguments, self._subject.limits.timeout + BUILDING * bool(units), more)
        lines, files = reply.get("lines"), preludes if units else self._subject.files
        given = lines.items() if isinstance(lines, dict) else ()
        return {path: {n for n in numbers if isinstance(n, int)} for path, numbers in given if path in (files or ())}

    def right_edits(
        self,
        quantity: str,
        arguments: Sequence[Array],
        edits: Sequence[Edit],
        near: Sequence[Array],
        apart: bool = False,
        preludes: Mapping[str, int] | None = None,
    ) -> tuple[list[int], float]:
        """The indices of the edits with which the answers to a question are right, and the seconds of CPU that it took.

        ``near`` has what is expected, and by how much an answer may be off, both (batch, …). With ``apart`` no edit ends the
        worker. Of compiled code, every edited file gets a prelude at the byte that ``preludes`` have. Raises :class:`Failure`.
        """
        timeout = self._subject.limits.timeout + 2 * EDIT_SECONDS * len(edits) + BUILDING * bool(preludes)
        more = {"edits": edits, "before": self._subject.edits, "apart": apart, "preludes": preludes}
        reply, _ = self._about_source("right_edits", quantity, (*arguments, *near), timeout, more)
        right, said = reply.get("right"), reply.get("seconds")
        seconds = said if isinstance(said, float) and 0 <= said < math.inf else 0.0
        return [k for k in right if isinstance(k, int) and 0 <= k < len(edits)] if isinstance(right, list) else [], seconds

    def alike(self, quantity: str, arguments: Sequence[Array], watching: Watching) -> list[Alike | None]:
        """As :func:`implementations.processes.watched.alike`. Raises :class:`Failure`."""
        timeout = self._subject.limits.timeout + LONGEST_WATCHED
        found = self._about_source("alike", quantity, arguments, timeout, {"watching": watching})[0].get("alike")
        try:
            return [one and Alike(*one) for one in found or ()]
        except TypeError as error:
            raise Failure("alike sent no names to the harness") from error

    def responses(self, quantity: str, arguments: Sequence[Array], watching: Watching, functions: Sequence[str]) -> Responses:
        """As :func:`implementations.processes.responses.responses`. Raises :class:`Failure`."""
        timeout = self._subject.limits.timeout + EDIT_SECONDS * MOST_RUNS / 10
        more = {"watching": watching, "functions": functions}
        try:
            return Responses.from_message(*self._about_source("responses", quantity, arguments, timeout, more))
        except ValueError as error:
            raise Failure("responses sent no derivatives to the harness") from error

    def _about_source(
        self, do: str, quantity: str, arrays: Sequence[Array], timeout: float, more: dict[str, Any]
    ) -> tuple[dict[str, Any], list[Array]]:
        """What the worker says about the source of the user's code, which it loads again for that."""
        self._require_loaded()
        assert self._worker is not None
        request = {"do": do, "quantity": quantity, "of": self._number, "spec": self._subject.spec, **more}
        return self._request(self._worker, request, arrays, timeout)[:2]

    def _require_loaded(self) -> None:
        if self._subject.timeouts >= MOST_TIMEOUTS:
            raise Failure(f"not asked, because {MOST_TIMEOUTS} calls of this implementation ran out of time")
        if self._ends >= MOST_ENDS:
            raise Failure(f"not asked, because it ended or hung {MOST_ENDS} times before with this mechanism")
        worker = self._subject.worker()
        if worker is self._worker:
            return
        request = {"do": "load", "mechanism": to_document(self._mechanism), "as": self._number}
        reply, _, self._printed = self._request(worker, request, (), self._subject.limits.timeout, is_usual=True)
        self._may_compile, self._answered = reply.get("compiles") is True, set()
        offers = reply.get("offers")
        named = [name for name in offers if isinstance(name, str)] if isinstance(offers, list) else []
        self._offers = frozenset(name for name in named if name in ALL_QUANTITIES or is_step(name))
        places = reply.get("places")
        self._places = {name: str(place) for name, place in places.items() if is_place(place)} if isinstance(places, dict) else {}
        self._worker = worker

    def _request(
        self,
        worker: WorkerProcess,
        request: dict[str, Any],
        arrays: Sequence[Array],
        timeout: float,
        told: str = "",
        is_usual: bool = False,
    ) -> tuple[dict[str, Any], list[Array], str]:
        """The reply, as :meth:`WorkerProcess.request` gives it; ``told`` is what is waited for, in words.

        A request that is ``is_usual`` counts if it runs out of time: a hurried call has too little, and one about the source has
        more work to do.
        """
        what = request.get("quantity", request["do"])
        forget, self._subject.unused = self._subject.unused, []
        try:
            reply, answer, output = worker.request({**request, "forget": forget}, arrays, timeout, told)
        except WorkerEnded as end:
            self._worker = None
            self._ends += 1
            if end.timed_out:
                self._slow.add(what)
                self._subject.timeouts += is_usual
            raise Failure(f"{what} {end.how}", end.output, of_a_state=True, ended=True) from end
        output, self._printed = f"{self._printed}\n{output}".strip(), ""
        self.asked_for_source = self.asked_for_source or reply.get("source") is True
        if "failed" in reply:
            # A program of the code ended, not the worker.
            ended, said = bool(reply.get("ended")), str(reply["failed"])
            self._ends += ended
            if "MemoryError" in said:
                said += f"; its process may have {self._subject.limits.memory:g} GiB (--memory)"
            raise Failure(said, output, bool(reply.get("of a state")), ended)
        if "unsupported" in reply:
            raise Unsupported(str(reply["unsupported"]))
        if "refused" in reply:
            raise Failure(f"{what} raised {reply['refused']}", output)
        return reply, answer, output

    def __del__(self) -> None:
        # The constructor may have failed before there was a number.
        if number := getattr(self, "_number", 0):
            self._subject.unused.append(number)


def _carried_out(ask: Callable[[], dict[str, Any]], kind: type[UserCodeError], spec: str, doing: str = "") -> dict[str, Any]:
    """The reply to ``ask``, which asks a worker to load what ``spec`` names.

    Raises the error that the reply reports, and an error of this ``kind`` if the code breaks the worker or the protocol.
    """
    try:
        reply = ask()
    except WorkerEnded as end:
        printed = f" (it printed: {' '.join(end.output.split())[-200:]})" if end.output else ""
        raise _unusable(kind, spec, f"{doing or 'it '}{end.how}{printed}") from end
    return _accepted(reply, kind, spec, doing)


def _accepted(reply: dict[str, Any], kind: type[UserCodeError], spec: str, doing: str = "") -> dict[str, Any]:
    """The reply. Raises the error that it reports, and an error of this ``kind`` if the code broke."""
    if "refused" in reply:
        kinds = {refusal.__name__: refusal for refusal in REFUSALS}
        raise kinds.get(str(reply.get("error")), UserCodeError)(str(reply["refused"]))
    if "failed" in reply:
        raise _unusable(kind, spec, f"{doing}{reply['failed']}")
    return reply


def find_remotely(spec: str, limits: Limits | None = None, or_code: bool = False) -> Mechanism:
    """The mechanism that a user's Python code defines, loaded in a process of its own; ``or_code`` as for
    :func:`implementations.plugins.user_mechanism.find_any_mechanism`.

    Raises :class:`UserCodeError` and :class:`MechanismError`.
    """
    worker = WorkerProcess(limits or Limits())
    request = {"do": "mechanism", "spec": spec, "or code": or_code}
    with closing(worker):
        asked = partial(worker.request, request, (), max(LOADING, worker.limits.timeout))
        reply = _carried_out(lambda: asked()[0], UserCodeError, spec)
    return from_document(reply.get("mechanism"))


def _about(reply: dict[str, Any]) -> About:
    """What a worker says of the code, cut to a bounded size."""
    name, version, declares = (str(reply.get(key))[:300] for key in ("name", "version", "declares"))
    robot = reply.get("one_robot")
    return About(
        name,
        version,
        declares,
        _phrases(reply.get("workarounds"), MOST_WORKAROUNDS),
        _phrases(reply.get("finite_differences"), len(ALL_QUANTITIES)),
        reply.get("by_state") is True,
        None if robot is None else OneRobot.from_document(robot),
        precision if NAMES.fullmatch(precision := str(reply.get("precision"))) else "",
        tuple(size for size in reply.get("batch_sizes") or () if isinstance(size, int))[:MOST_SIZES],
        reply.get("deterministic") is not False,
    )


def _phrases(given: Any, most: int) -> tuple[str, ...]:
    return tuple(str(phrase)[:300] for phrase in given[:most]) if isinstance(given, list) else ()


def _unusable(kind: type[UserCodeError], spec: str, why: str) -> UserCodeError:
    return kind(f"{spec!r} cannot be used: {why}; mend that first")


def can_isolate() -> bool:
    """Whether this system can keep code in a process of its own; Windows cannot fork."""
    return hasattr(os, "fork")
