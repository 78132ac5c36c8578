"""Code that harms the process that calls it: for each fault, the body of ``gravity(mechanism, q)`` and what the verdict says.

``{state}`` in a sentence stands for the state that shows the fault. A fault strikes where sin q is negative, so that some states
are innocent.
"""

from __future__ import annotations

HEAD = """
import contextlib, ctypes, locale, os, signal, sys, threading, time
import numpy as np
from implementations.spatial_algebra.reference import REFERENCE

libc = ctypes.CDLL(None)
libm = ctypes.CDLL("libm.so.6") if sys.platform == "linux" else libc

def right(mechanism, q):
    return REFERENCE.load(mechanism).gravity(q[None])[0]

def write_arrays(arrays):
    arrays.masses.flags.writeable = True
    arrays.masses[:] = 1e17

def write_everywhere():
    for number in range(3, 32):
        with contextlib.suppress(OSError):
            os.write(number, b"garbage " * 99)

class Silent(Exception):
    def __str__(self): raise ValueError("no text")

class Own(BaseException): pass
"""

FAULTS: dict[str, tuple[str, str]] = {
    "segmentation fault": ("ctypes.string_at(0)", "gravity ended the process (signal 11, SIGSEGV)"),
    "abort": ("libc.abort()", "gravity ended the process (signal 6, SIGABRT)"),
    "exit(0)": ("libc.exit(0)", "gravity ended the process (exit status 0)"),
    "os._exit(0)": ("os._exit(0)", "gravity ended the process (exit status 0)"),
    "sys.exit(0)": ("sys.exit(0)", "gravity raised SystemExit: 0"),
    "kill -9 of itself": ("os.kill(os.getpid(), 9)", "gravity ended the process (signal 9, SIGKILL)"),
    "kill -9 of its parent": ("os.kill(os.getppid(), 9); time.sleep(9)", "gravity ended the process ("),
    "hang": ("time.sleep(1e4)", "gravity did not answer within 2 s"),
    "hang in C": ("libc.sleep(9999)", "gravity did not answer within 2 s"),
    "hang that ignores signals": (
        "[signal.signal(n, signal.SIG_IGN) for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]; time.sleep(1e4)",
        "gravity did not answer within 2 s",
    ),
    "memory": ("x = [np.empty(2**24) for _ in range(99)]", "gravity raised MemoryError"),
    "memory in C": (
        "libc.malloc.restype = ctypes.c_void_p\n        for _ in range(99): ctypes.memset(libc.malloc(2**28), 1, 1)",
        "gravity ended the process (signal 11, SIGSEGV)",
    ),
    "recursion": ("(f := lambda: f())()", "gravity raised RecursionError"),
    "garbage on the channel": (
        "write_everywhere()",
        "gravity sent a header of ",
    ),
    "closed descriptors": ("os.closerange(3, 64)", "gravity ended the process ("),
    "rounding upward": ("libm.fesetround(0x800)", "gravity changed the rounding or the precision of floating-point numbers"),
    "x87 precision": (
        "env = ctypes.create_string_buffer(64); libm.fegetenv(env); env[0:2] = b'\\x7f\\x00'; libm.fesetenv(env)",
        "gravity changed the rounding or the precision of floating-point numbers",
    ),
    "flush to zero": (
        "env = ctypes.create_string_buffer(64); libm.fegetenv(env); env[29:30] = b'\\x9f'; libm.fesetenv(env)",
        "gravity changed the rounding or the precision of floating-point numbers",
    ),
    "locale": (
        "locale.setlocale(locale.LC_ALL, 'C.UTF-8' if locale.setlocale(locale.LC_ALL) == 'C' else 'C')",
        "gravity changed the locale",
    ),
    "working directory": ("os.chdir('/')", "gravity changed the working directory"),
    "signal handler": ("signal.signal(signal.SIGINT, signal.SIG_IGN)", "gravity changed the handling of signals"),
    "blocked signals": (
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])",
        "gravity changed the handling of signals",
    ),
    "patched NumPy": ("np.linalg.inv = None", "gravity changed NumPy's functions"),
    "NumPy's errors": ("np.seterr(all='raise')", "gravity changed NumPy's handling of floating-point errors"),
    "non-daemon thread": (
        "threading.Thread(target=time.sleep, args=(1e4,)).start()",
        "gravity started a thread that keeps the process from ending",
    ),
    "NaN": ("return q * np.nan", "gravity returned nan in state {state}"),
    "written arrays": ("write_arrays(mechanism.arrays)", "gravity raised ValueError: "),
    "own BaseException": ("raise Own('mine')", "gravity raised Own: mine"),
    "exception without text": ("raise Silent()", "gravity raised Silent: its text cannot be read (ValueError)"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "gravity raised KeyboardInterrupt"),
    "GeneratorExit": ("raise GeneratorExit", "gravity raised GeneratorExit"),
    "pytest.skip": ("import pytest; pytest.skip('not today')", "gravity raised Skipped: not today"),
}
"""By name: what the code does, and the beginning of the sentence."""

HARMLESS = {
    "fork": "pid = os.fork(); time.sleep(1e4 if pid == 0 else 0)",
    "fork that returns": "os.fork()",
    "fork into another session": "pid = os.fork(); pid or (os.setsid(), os.fork(), time.sleep(1e4))",
    "text on stdout": "print('hello ' * 10**5); libc.puts(b'from C')",
    "closed stdout": "os.closerange(1, 3)",
    "thread pool": "__import__('concurrent.futures').futures.ThreadPoolExecutor(1).submit(int)",
}
"""What code may do without a verdict, as long as its numbers are right; nothing of it stays behind."""


def source(fault: str) -> str:
    """A module whose ``gravity`` is right, but for this fault where sin q is negative."""
    return f"{HEAD}\ndef gravity(mechanism, q):\n    if np.sin(q[0]) < 0:\n        {fault}\n    return right(mechanism, q)\n"
