"""A headless Chromium, driven over its debugging pipe: what a reader of a page sees and does."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)

PATIENCE = 30.0
"""Seconds that a condition may take to become true."""

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowRight": 39, "ArrowDown": 40}


class Browser:
    """One page. Every method returns when the browser has done it."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM
        (theirs_in, self._out), (self._in, theirs_out) = os.pipe(), os.pipe()

        def hand_over() -> None:
            # The browser reads from descriptor 3 and writes to 4; duplicates above keep one from closing the other.
            for target, source in ((3, os.dup(theirs_in)), (4, os.dup(theirs_out))):
                os.dup2(source, target)

        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}"]
        self._process = subprocess.Popen(
            [CHROMIUM, *flags, "about:blank"],
            preexec_fn=hand_over,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._number, self._buffer, self._session = 0, b"", ""
        self.complaints: list[str] = []
        """Exceptions of scripts, and what the security policy refused."""
        page = next(one for one in self.send("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self._session = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        self.size(1280, 900)

    def send(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        data = json.dumps(message | ({"sessionId": self._session} if self._session else {})).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while (reply := self._receive()).get("id") != self._number:
            if reply.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.complaints.append(json.dumps(reply["params"])[:500])
        assert "error" not in reply, reply
        return reply["result"]

    def _receive(self) -> Any:
        while b"\0" not in self._buffer:
            data = os.read(self._in, 1 << 20)
            assert data, "the browser has ended"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def size(self, width: int, height: int) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, path: Path, fragment: str = "", script: bool = True) -> None:
        self.send("Emulation.setScriptExecutionDisabled", value=not script)
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=f"{path.as_uri()}{fragment}")
        self.wait("document.documentElement?.dataset.ready" if script else "document.readyState === 'complete'")

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        reply = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in reply, reply
        return reply["result"].get("value")

    def wait(self, condition: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self.ask(condition):
            assert time.monotonic() < deadline, condition
            time.sleep(0.02)

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key], **text)

    def printed(self) -> bytes:
        """The page as PDF."""
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])

    def close(self) -> None:
        self._session = ""
        self.send("Browser.close")
        self._process.wait(PATIENCE)
        os.close(self._out)
        os.close(self._in)
