"""What runs in a worker process: it loads code, loads mechanisms into it, and answers questions, one at a time.

Requests and replies are :mod:`implementations.processes.messages`. A reply has one of these keys:

    "done"          the request was carried out
    "failed"        the code broke the protocol
    "unsupported"   the code says that it cannot do this
    "refused"       the request cannot be carried out, with the name of the error in "error"
"""

from __future__ import annotations

import os
import resource
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from implementations.plugins.registry import ENGINE_NAMES, find_implementation
from implementations.plugins.user_code import UserCodeError
from implementations.plugins.user_mechanism import find_any_mechanism
from implementations.processes.edited import Asked, Edit, edited_sources, executed_lines, import_as, right_edits
from implementations.processes.home import PROGRAMS, SAME, STRAY, loaded_from
from implementations.processes.messages import encoded, received
from implementations.processes.rebuilt import Rebuilt
from implementations.processes.responses import responses
from implementations.processes.subject import REFUSALS, About, Failure, InProcess, LoadedInProcess
from implementations.processes.switched import Unit
from implementations.processes.waiting import may_compile
from implementations.processes.watch import C, Watch
from implementations.processes.watched import Watching, alike
from implementations.protocol import Array, Missing, Unsupported
from mechanisms.files.document import from_document, to_document
from mechanisms.plain_text import one_line
from mechanisms.quantities import ALL_QUANTITIES

LONGEST = 2000
"""Characters of a sentence. What code raises may have any length."""

Reply = tuple[dict[str, Any], list[Array]]


class Worker:
    """Answers the requests that come through ``channel``, about ``subject`` or the implementation that is asked for first."""

    def __init__(self, channel: socket.socket, subject: InProcess | None = None) -> None:
        self._channel = channel
        self._subject = subject
        self._loaded: dict[int, LoadedInProcess] = {}
        self._process = os.getpid()
        self._watch = Watch()
        self._not_from = ""
        self._built: Rebuilt | None = None
        """How the code is built from its sources, if this process works in a copy of them."""

    def serve(self) -> None:
        """Until the harness says "end", or closes the channel."""
        while True:
            try:
                request, arrays = received(partial(_receive, self._channel))
            except EOFError:
                return
            if request["do"] == "end":
                return
            for number in request.get("forget", ()):
                self._loaded.pop(number, None)
            header, answer = self._carried_out(request, arrays)
            if os.getpid() != self._process:
                os._exit(0)  # Code that forks returns twice; only the original answers.
            _flush()
            for part in encoded({**header, "request": request["request"]}, answer):
                self._channel.sendall(part)

    def _carried_out(self, request: dict[str, Any], arrays: list[Array]) -> Reply:
        action: Callable[..., Reply] = getattr(self, f"_{request['do']}")
        try:
            reply = action(request, *arrays)
            if self._not_from and (stray := loaded_from(self._not_from)):
                raise UserCodeError(f"{stray} {STRAY}")
        except REFUSALS as error:
            kind = next(kind for kind in REFUSALS if isinstance(error, kind))
            reply = {"refused": _told(error)[:LONGEST], "error": kind.__name__}, []
        except Unsupported as reason:
            reply = {"unsupported": str(reason)[:LONGEST]}, []
        except KeyboardInterrupt:
            # The harness's Ctrl-C does not reach this process; the code raised it.
            reply = {"failed": f"{request.get('quantity', request['do'])} raised KeyboardInterrupt", "of a state": True}, []
        except Failure as failure:
            reply = {"failed": str(failure)[:LONGEST], "of a state": failure.of_a_state, "ended": failure.ended}, []
        if changed := self._watch.changes():
            did = f"{request.get('quantity', request['do'])} {' and '.join(changed)}, and did not restore it"
            said = reply[0].get("failed")
            return {"failed": f"{said}; {did}" if said else did, "of a state": True}, []
        return reply

    def _implementation(self, request: dict[str, Any]) -> Reply:
        self._not_from = str(request.get("not from") or "")
        edits = [Edit(*edit) for edit in request["edits"]]
        if request["build"]:
            self._built = Rebuilt(request["spec"], request["build"], edits)
        else:
            import_as(edited_sources(edits))
        if self._subject is None:
            spec = request["spec"]
            self._subject = InProcess(find_implementation(spec), engine=spec if spec in ENGINE_NAMES else "")
        if (tree := request.get("from")) and not request["spec"].startswith(PROGRAMS) and not loaded_from(tree):
            raise UserCodeError(f"{request['spec']!r} {SAME}")
        # What a library sets while it is imported belongs to the process from now on, but arithmetic must not change.
        self._watch.accept_imports()
        about = {one.name: getattr(self._subject, one.name) for one in fields(About)}
        robot = self._subject.one_robot
        return {"done": True, **about, "one_robot": robot.to_document() if robot else None}, []

    def _files(self, request: dict[str, Any]) -> Reply:
        assert self._subject is not None
        return {"done": True, "files": dict(self._subject.files)}, []

    def _mechanism(self, request: dict[str, Any]) -> Reply:
        return {"done": True, "mechanism": to_document(find_any_mechanism(request["spec"], request["or code"]))}, []

    def _read(self, request: dict[str, Any]) -> Reply:
        """What the implementation's own reader makes of a file."""
        assert self._subject is not None
        return {"done": True, "reading": self._subject.read(request["text"], request["form"], request["free"]).to_document()}, []

    def _load(self, request: dict[str, Any]) -> Reply:
        assert self._subject is not None
        mechanism = from_document(request["mechanism"])
        loaded = self._loaded[request["as"]] = self._subject.load(mechanism)
        offers = [name for name in (*ALL_QUANTITIES, *loaded.steps()) if loaded.offers(name)]
        places = {name: loaded.place(name) for name in offers}
        said = {"offers": offers, "places": places, "source": loaded.asked_for_source, "compiles": may_compile()}
        return {"done": True, **said}, []

    def _ask(self, request: dict[str, Any], *arguments: Array) -> Reply:
        loaded = self._loaded[request["of"]]
        answer = loaded.ask(request["quantity"], *arguments)
        said = {"done": True, "seconds": answer.seconds, "overwritten": answer.overwritten, "source": loaded.asked_for_source}
        return said, [answer.value]

    def _lines(self, request: dict[str, Any], *arguments: Array) -> Reply:
        """Which lines of the user's own files a question executes."""
        mechanism, quantity = self._loaded[request["of"]].mechanism, request["quantity"]
        if self._built:
            units = [Unit(*unit) for unit in request["units"]]
            lines = self._built.executed_lines(units, request["preludes"], mechanism, quantity, arguments)
        else:
            lines = executed_lines(request["spec"], [Edit(*edit) for edit in request["before"]], mechanism, quantity, arguments)
        return {"done": True, "lines": lines}, []

    def _right_edits(self, request: dict[str, Any], *arrays: Array) -> Reply:
        """Which edits of the user's own files make the answers to a question right."""
        *arguments, expected, bound = arrays
        before, edits = ([Edit(*edit) for edit in request[name]] for name in ("before", "edits"))
        asked = Asked(self._loaded[request["of"]].mechanism, request["quantity"], arguments, expected, bound)
        start = _seconds_of_cpu()
        if self._built:
            right = self._built.right_edits(edits, request["preludes"], asked)
        else:
            right = right_edits(request["spec"], before, edits, asked, request["apart"])
        return {"done": True, "right": right, "seconds": _seconds_of_cpu() - start}, []

    def _alike(self, request: dict[str, Any], *arguments: Array) -> Reply:
        """What has values like those of expressions, while a question is answered."""
        mechanism, watching = self._loaded[request["of"]].mechanism, Watching.from_message(request["watching"])
        return {"done": True, "alike": alike(watching, request["spec"], mechanism, request["quantity"], arguments)}, []

    def _responses(self, request: dict[str, Any], *arguments: Array) -> Reply:
        """How the answers to a question follow the values of expressions."""
        mechanism, watching = self._loaded[request["of"]].mechanism, Watching.from_message(request["watching"])
        found = responses(watching, request["spec"], request["functions"], mechanism, request["quantity"], arguments)
        header, arrays = found.to_message()
        return {"done": True, **header}, arrays


def _seconds_of_cpu() -> float:
    """Of this process, and of those that it has waited for, such as compilers."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in usages)


def _told(error: Exception) -> str:
    """The error in words. An engine that is there and cannot be imported, such as for want of a library, is not just missing."""
    cause = error.__cause__
    if isinstance(error, Missing) and isinstance(cause, ImportError) and not isinstance(cause, ModuleNotFoundError):
        return f"it is installed and cannot be imported ({one_line(str(cause))}); install what it needs beside it"
    return str(error)


def _receive(channel: socket.socket, buffer: memoryview) -> None:
    while buffer:
        n = channel.recv_into(buffer)
        if not n:
            raise EOFError
        buffer = buffer[n:]


def _flush() -> None:
    """What the code printed must arrive before the answer does."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    with suppress(Exception):
        C.fflush(None)


def run(channel: socket.socket, memory: float, subject: InProcess | None = None) -> None:
    """Serve with at most ``memory`` GiB of data beside what the process has now: a fork inherits the data of a test run."""
    if sys.platform == "linux":
        inherited = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (inherited + int(memory * 2**30),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    Worker(channel, subject).serve()
