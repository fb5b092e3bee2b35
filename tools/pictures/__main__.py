"""``make pictures``: take every picture of the documentation anew, each from a real run.

The texts are Cairn's own, as it sent them to the fake GitHub of the tests; only the addresses of
pull requests are shown as GitHub shows them. Needs Chromium, and a font that has emoji (Debian:
chromium, fonts-noto-color-emoji). PICTURES_SANDBOX chooses the sandbox: docker (the default),
bubblewrap or process.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

from tests.scenarios.bot import REPOSITORY
from tools.docs import picture
from tools.docs.parts import ROOT
from tools.pictures.browser import Page, browser
from tools.pictures.served import Served, executed
from tools.pictures.sheet import Card, fenced, sheet
from tools.pictures.worked import summary

_IMAGES = ROOT / "docs" / "images"
_WIDTH, _SCALE = 900, 1.0
_PHONE, _DESK = 360, 1100
_LAST = "main > :last-child"


async def taken(folder: Path, sandbox: str) -> None:
    """Take all that a browser shows."""
    async with browser(width=_WIDTH, scale=_SCALE) as page:

        async def look(url: str, token: str) -> None:
            bearer = f"Bearer {token}"
            await page.look(width=_DESK)
            await page.show(url, Authorization=bearer)
            _keep("run-page", await page.picture(".timeline > :nth-child(3)"))
            waits = "[...document.querySelectorAll('tr')].find(e => e.querySelector('.waiting'))"
            task = await page.asked(f"{waits}.querySelector('a').href")
            await page.look(width=_PHONE, scheme="dark")
            await page.show(str(task), Authorization=bearer)
            _keep("task-page", await page.picture("section:has(#text)"))
            await page.look(width=_WIDTH)

        async def after(url: str, token: str) -> None:
            history = f"{url.partition('/runs/')[0]}/repositories/{REPOSITORY}/history"
            await page.show(history, Authorization=f"Bearer {token}")
            _keep("history-page", await page.picture("section:nth-of-type(4)"))

        served = await executed(folder / "served", look, after, CAIRN_SANDBOX=sandbox)
        await _draw(page, folder, "execute", *_execution(served))
        await _draw(page, folder, "proposal", *_proposal(served))
        text = await summary(folder / "worked", sandbox)
        await _draw(page, folder, "action", Card("Job summary of the workflow run", text))


def _execution(served: Served) -> list[Card]:
    made = served.checkpoint
    return [
        Card("Comment of cairn on the issue", served.progress),
        Card(f"Pull request #{made.number}: {made.title}", made.body or ""),
    ]


def _proposal(served: Served) -> list[Card]:
    made = served.proposal
    labels = ("draft", *(label.name for label in made.labels))
    return [
        Card(f"Pull request #{made.number}: {made.title}", fenced(served.diff, "diff"), labels),
        Card("Its first comment", made.comments[0].body, buttons=served.buttons),
    ]


async def _draw(page: Page, folder: Path, name: str, *cards: Card) -> None:
    file = folder / f"{name}.html"
    file.write_text(sheet(*cards))
    await page.show(file.as_uri())
    _keep(name, await page.picture(_LAST))


def _keep(name: str, png: bytes) -> None:
    (_IMAGES / f"{name}.png").write_bytes(png)
    print(f"docs/images/{name}.png: {len(png) // 1000} kB")


def main() -> None:
    """Take them all."""
    _IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(taken(Path(folder), os.environ.get("PICTURES_SANDBOX", "docker")))
    picture.main()
    print("docs/images/run.svg")


if __name__ == "__main__":
    main()
