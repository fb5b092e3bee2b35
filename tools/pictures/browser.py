"""Chromium without a window, told by the DevTools protocol what to show and to picture.

(https://chromedevtools.github.io/devtools-protocol/)
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--no-first-run", "--hide-scrollbars", "--remote-debugging-port=0"),
)
_MARGIN = 24


_KEYS = {"Tab": 9, "Enter": 13, "Space": 32}
"""Windows' virtual key codes, by which Chromium knows keys that write nothing."""


class Page:
    """One tab; ``width`` is in CSS pixels, ``scale`` pixels of the picture for each.

    ``complaints`` are the errors that pages wrote to the console, scripts', the security policy's
    and those of loading among them.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._ids = count(1)
        self._session: dict[str, str] = {}
        self._scale = 1.0
        self.complaints: list[str] = []

    async def open(self, *, width: int, scale: float) -> None:
        """Take a tab of this width."""
        target = await self._call("Target.createTarget", url="about:blank")
        attached = await self._call("Target.attachToTarget", **target, flatten=True)
        self._session = attached
        self._scale = scale
        for domain in ("Page", "Network", "Log", "Runtime"):
            await self._call(f"{domain}.enable")
        await self.look(width=width)

    async def look(self, *, width: int, scheme: str = "light", height: int = 800) -> None:
        """Be a window of this size whose user prefers ``light`` or ``dark``."""
        preference = [{"name": "prefers-color-scheme", "value": scheme}]
        await self._call("Emulation.setEmulatedMedia", features=preference)
        size = {"width": width, "height": height, "deviceScaleFactor": self._scale}
        await self._call("Emulation.setDeviceMetricsOverride", mobile=False, **size)

    async def scripts(self, *, run: bool) -> None:
        """Run the scripts of pages, or not."""
        await self._call("Emulation.setScriptExecutionDisabled", value=not run)

    async def press(self, key: str, *, shift: bool = False) -> None:
        """Press and release a key."""
        text = {"Enter": "\r", "Space": " "}.get(key, "")
        pressed = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key]}
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            more = {"text": text} if kind == "keyDown" else {}
            await self._call(
                "Input.dispatchKeyEvent", type=kind, modifiers=8 * shift, **pressed, **more
            )

    async def write(self, text: str) -> None:
        """Type a text where the keyboard is."""
        await self._call("Input.insertText", text=text)

    async def until(self, script: str) -> None:
        """Wait until an expression is true on the page."""
        async with asyncio.timeout(20):
            while not await self.asked(script):  # noqa: ASYNC110 - a page that goes cannot tell
                await asyncio.sleep(0.02)

    async def show(self, url: str, **headers: str) -> None:
        """Load an address; the headers go with each request."""
        await self._call("Network.setExtraHTTPHeaders", headers=headers)
        await self._call("Page.navigate", url=url)
        await self._event("Page.loadEventFired")

    async def picture(self, last: str) -> bytes:
        """The page as PNG from its top to the end of the element a CSS selector names."""
        found = f"document.querySelector({json.dumps(last)}).getBoundingClientRect()"
        wide, high = await self.asked(f"[innerWidth, {found}.bottom + scrollY]")
        clip = {"x": 0, "y": 0, "width": wide, "height": high + _MARGIN, "scale": 1}
        shot = await self._call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    async def asked(self, script: str) -> Any:
        """Return the value of an expression on the page, a promise's included."""
        answer = await self._call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if problem := answer.get("exceptionDetails"):
            raise RuntimeError(f"{script[:80]}: {problem}")
        return answer["result"].get("value")

    async def _call(self, method: str, **params: object) -> dict[str, Any]:
        number = next(self._ids)
        await self._socket.send_json(
            {"id": number, "method": method, "params": params, **self._session}
        )
        while (answer := await self._message()).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return dict(answer["result"])

    async def _event(self, method: str) -> None:
        while (await self._message()).get("method") != method:
            pass

    async def _message(self) -> dict[str, Any]:
        """Take the next message, and keep what it complains about."""
        message: dict[str, Any] = await self._socket.receive_json()
        params = message.get("params", {})
        match message.get("method"):
            case "Log.entryAdded" if params["entry"]["level"] == "error":
                self.complaints.append(
                    f"{params['entry']['text']} {params['entry'].get('url', '')}"
                )
            case "Runtime.exceptionThrown":
                self.complaints.append(str(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "assert"):
                self.complaints.append(str(params["args"]))
        return message


def installed() -> str | None:
    """The path of Chromium, None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@asynccontextmanager
async def browser(*, width: int, scale: float) -> AsyncIterator[Page]:
    """Start Chromium with one tab; leaving ends it."""
    program = installed()
    if program is None:
        raise SystemExit("make pictures needs Chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as profile:
        process = await asyncio.create_subprocess_exec(
            *(program, *_FLAGS, f"--user-data-dir={Path(profile) / 'profile'}", "about:blank"),
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.ws_connect(await _address(process), max_msg_size=0) as socket,
            ):
                page = Page(socket)
                await page.open(width=width, scale=scale)
                yield page
        finally:
            process.terminate()
            await process.wait()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    output = b""
    async for line in process.stderr:
        output += line
        if b"DevTools listening on " in line:
            return line.decode().rpartition(" ")[2].strip()
    raise SystemExit(f"Chromium did not start:\n{output.decode(errors='replace')}")
