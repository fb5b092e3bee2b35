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


class Page:
    """One tab; ``width`` is in CSS pixels, ``scale`` pixels of the picture for each."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._ids = count(1)
        self._session: dict[str, str] = {}

    async def open(self, *, width: int, scale: float) -> None:
        """Take a tab of this width."""
        target = await self._call("Target.createTarget", url="about:blank")
        attached = await self._call("Target.attachToTarget", **target, flatten=True)
        self._session = attached
        await self._call("Page.enable")
        await self._call("Network.enable")
        light = [{"name": "prefers-color-scheme", "value": "light"}]
        await self._call("Emulation.setEmulatedMedia", features=light)
        await self._call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": 800, "deviceScaleFactor": scale, "mobile": False},
        )

    async def show(self, url: str, **headers: str) -> None:
        """Load an address; the headers go with each request."""
        await self._call("Network.setExtraHTTPHeaders", headers=headers)
        await self._call("Page.navigate", url=url)
        await self._event("Page.loadEventFired")

    async def picture(self, last: str) -> bytes:
        """The page as PNG from its top to the end of the element a CSS selector names."""
        found = f"document.querySelector({json.dumps(last)}).getBoundingClientRect()"
        wide, high = await self._asked(f"[innerWidth, {found}.bottom]")
        clip = {"x": 0, "y": 0, "width": wide, "height": high + _MARGIN, "scale": 1}
        shot = await self._call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    async def _asked(self, script: str) -> Any:
        answer = await self._call("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"]["value"]

    async def _call(self, method: str, **params: object) -> dict[str, Any]:
        number = next(self._ids)
        await self._socket.send_json(
            {"id": number, "method": method, "params": params, **self._session}
        )
        while (answer := await self._socket.receive_json()).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return dict(answer["result"])

    async def _event(self, method: str) -> None:
        while (await self._socket.receive_json()).get("method") != method:
            pass


@asynccontextmanager
async def browser(*, width: int, scale: float) -> AsyncIterator[Page]:
    """Start Chromium with one tab; leaving ends it."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
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
