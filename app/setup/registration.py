"""One registration from its beginning to the written secrets; nothing of it happens twice."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.setup import words
from app.setup.addresses import GitHub
from app.setup.exchange import Registered
from app.setup.manifest import manifest
from app.setup.refusal import Refusal
from app.setup.secret_file import SecretFile, contents
from runner.ports import Clock

_LASTS = timedelta(hours=1)
"""GitHub wants the whole registration within an hour."""

_CODE = re.compile(r"[A-Za-z0-9_-]{1,200}")


@dataclass(frozen=True)
class Form:
    """What the browser posts to GitHub: ``manifest`` (JSON) and ``state``, to ``action``."""

    action: str
    manifest: str
    state: str


class Registration:
    """Gives the form out, takes GitHub's answer, writes the file. ``done`` is set after that.

    ``public_url`` is where GitHub will deliver; ``redirect_url``, where it sends the browser back,
    is known once we listen.
    """

    def __init__(
        self,
        github: GitHub,
        file: SecretFile,
        *,
        public_url: str,
        convert: Callable[[str], Awaitable[Registered]],
        clock: Clock,
    ) -> None:
        self.github = github
        self.public_url = public_url
        self.redirect_url = ""
        self.file = file
        self.done = asyncio.Event()
        self._convert = convert
        self._clock = clock
        self._lock = asyncio.Lock()
        self._state = ""
        self._since = datetime.min.replace(tzinfo=clock.now().tzinfo)
        self._app: Registered | None = None

    @property
    def app(self) -> Registered | None:
        """The App, once its secrets are written."""
        return self._app

    def form(self, *, organization: str, name: str) -> Form:
        """Return a form that is good for an hour; forms of the same hour share their state."""
        if self._app:
            raise Refusal(410, words.FINISHED)
        if not self._begun():
            self._state, self._since = secrets.token_urlsafe(32), self._clock.now()
        told = manifest(name=name, public_url=self.public_url, redirect_url=self.redirect_url)
        # GitHub's own example has the state in the address
        action = f"{self.github.registration(organization)}?state={self._state}"
        return Form(action, json.dumps(told), self._state)

    async def finish(self, code: str, state: str) -> Registered:
        """Take GitHub's answer and write the file. Raises ``Refusal``, having written nothing."""
        async with self._lock:
            if self._app:
                raise Refusal(410, words.FINISHED)
            if not _CODE.fullmatch(code) or not state:
                raise Refusal(400, words.NO_ANSWER)
            if not self._known(state):
                raise Refusal(403, words.WRONG_STATE)
            with self.file.reserved() as write:
                app = await self._convert(code)
                self._keep(app, write)
            self._app, self._state = app, ""
            self.done.set()
            return app

    def _keep(self, app: Registered, write: Callable[[str], None]) -> None:
        values = {
            "GITHUB_SERVER_URL": self.github.server,
            "GITHUB_API_URL": self.github.api,
            "CAIRN_PUBLIC_URL": self.public_url,
        }
        try:
            write(contents(app, values))
        except OSError as error:
            told = {"page": app.html_url, "id": app.id, "file": self.file.path}
            raise Refusal(500, words.LOST.format(**told, why=error.strerror)) from error

    def _begun(self) -> bool:
        return bool(self._state) and self._clock.now() - self._since < _LASTS

    def _known(self, state: str) -> bool:
        given = state.encode("utf-8", "surrogateescape")
        return self._begun() and hmac.compare_digest(given, self._state.encode())
