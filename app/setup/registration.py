"""Register the App once: exchange GitHub's code for the secrets, and write them to a private file.

https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import re
import secrets
import shlex
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import aiohttp
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PositiveInt,
    SecretStr,
    ValidationError,
)

from app.github.client import API_VERSION, user_agent, why_not
from app.settings.models import BaseUrl, rsa_key
from app.setup.addresses import GitHub, SetupRefusal, UnusableSetup, manifest
from app.texts import setup_texts as words
from runner.ports import Clock

_TIMEOUT = aiohttp.ClientTimeout(total=30)
_HEADERS = {
    "Accept": "application/vnd.github+json",
    "User-Agent": user_agent(),
    "X-GitHub-Api-Version": API_VERSION,
}
_SECRET = re.compile(r"[!-~]{8,500}")
_OUTAGES = (aiohttp.ClientError, TimeoutError, OSError)


def _secret(value: SecretStr) -> SecretStr:
    if not _SECRET.fullmatch(value.get_secret_value()):
        raise ValueError("is no secret")
    return value


class Registered(BaseModel):
    """The App as GitHub gives it, once; every value is checked before it is written."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    id: PositiveInt
    slug: str = Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")
    html_url: BaseUrl
    webhook_secret: Annotated[SecretStr, AfterValidator(_secret)]
    pem: Annotated[SecretStr, AfterValidator(lambda pem: rsa_key(pem.get_secret_value()))]


class Conversions:
    """Asks one GitHub; it needs no credential, the code is one."""

    def __init__(self, github: GitHub) -> None:
        self.github = github

    async def convert(self, code: str) -> Registered:
        """Return the App that a code belongs to. Raises ``SetupRefusal``."""
        try:
            status, body = await self._ask("POST", f"/app-manifests/{code}/conversions")
        except _OUTAGES as gone:
            raise SetupRefusal(502, self._say(words.no_github, what=why_not(gone))) from gone
        if status == 201:
            return self._read(body)
        if status in (404, 422):
            raise SetupRefusal(400, self._say(words.spent))
        if status in (403, 429):
            raise SetupRefusal(503, self._say(words.busy, status=str(status)))
        raise SetupRefusal(502, self._say(words.no_github, what=f"status {status}"))

    async def reach(self) -> None:
        """Raise ``UnusableSetup`` unless an API answers, whatever it answers."""
        try:
            status, _ = await self._ask("GET", "/rate_limit")
        except _OUTAGES as gone:
            text = self._say(words.unreachable, what=why_not(gone))
            raise UnusableSetup(text) from gone
        if status >= 500:
            raise UnusableSetup(self._say(words.unreachable, what=f"status {status}"))

    async def _ask(self, method: str, path: str) -> tuple[int, bytes]:
        url = f"{self.github.api}{path}"
        session = aiohttp.ClientSession(headers=_HEADERS, timeout=_TIMEOUT)
        async with session, session.request(method, url, allow_redirects=False) as answer:
            return answer.status, await answer.read()

    def _read(self, body: bytes) -> Registered:
        try:
            return Registered.model_validate_json(body)
        except ValidationError as error:
            what = ", ".join(str(one["loc"][0]) for one in error.errors() if one["loc"])
        # out here, so that no traceback shows what GitHub answered
        raise SetupRefusal(502, self._say(words.strange, what=what or "values"))

    def _say(self, text: Callable[..., str], **values: str) -> str:
        return text(self.github.api, f"{self.github.server}/settings/apps", **values)


class SecretFile:
    """A file of environment variables that does not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def free(self) -> None:
        """Raise ``UnusableSetup`` unless the file can be made."""
        try:
            if os.path.lexists(self.path):
                raise UnusableSetup(words.exists(file=self.path))
            folder = self.path.parent
            if not folder.is_dir():
                raise UnusableSetup(words.no_file(file=self.path, why=f"no folder {folder}"))
        except OSError as error:
            raise UnusableSetup(words.no_file(file=self.path, why=error.strerror)) from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise UnusableSetup(words.no_file(file=self.path, why="its folder is read-only"))

    @contextmanager
    def reserved(self) -> Iterator[Callable[[str], None]]:
        """Make the file and give what writes it; an exception takes it away again.

        It is made before GitHub gives the secrets, which it does once: without a place for them
        they are not asked for. Raises ``SetupRefusal`` when it exists or cannot be made.
        """
        try:
            # O_EXCL does not follow a link that someone has put there
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise SetupRefusal(409, words.exists(file=self.path)) from error
        except OSError as error:
            why = error.strerror
            raise SetupRefusal(409, words.no_file(file=self.path, why=why)) from error
        kept = False
        try:
            yield lambda text: _write(descriptor, text)
            kept = True
        finally:
            os.close(descriptor)
            if not kept:
                with suppress(OSError):
                    self.path.unlink()

    def start(self) -> str:
        """Return the shell command that starts the server with this file."""
        path = str(self.path)
        # without a slash a shell looks for the file on PATH
        name = shlex.quote(path if "/" in path else f"./{path}")
        return f"set -a; . {name}; set +a; cairn serve"


def contents(app: Registered, values: Mapping[str, str]) -> str:
    r"""Return the lines of the file: the App, then ``values`` (other settings).

    The key is one line with ``\n`` for line ends, in double quotes: a shell, compose and systemd
    read it alike.
    """
    key = app.pem.get_secret_value().strip().replace("\n", "\\n")
    lines = [
        f"GITHUB_APP_ID={app.id}",
        f'GITHUB_APP_PRIVATE_KEY="{key}"',
        f"GITHUB_WEBHOOK_SECRET={shlex.quote(app.webhook_secret.get_secret_value())}",
        *(f"{name}={shlex.quote(value)}" for name, value in values.items()),
    ]
    return "\n".join([words.head(slug=app.slug, page=app.html_url), *lines, ""])


def _write(descriptor: int, text: str) -> None:
    left = memoryview(text.encode())
    while left:
        left = left[os.write(descriptor, left) :]
    os.fsync(descriptor)


_LASTS = timedelta(hours=1)
"""GitHub wants the registration completed within an hour."""

_CODE = re.compile(r"[A-Za-z0-9_-]{1,200}")


@dataclass(frozen=True)
class RegistrationForm:
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

    def form(self, *, organization: str, name: str) -> RegistrationForm:
        """Return a form that is good for an hour; forms of the same hour share their state."""
        if self._app:
            raise SetupRefusal(410, words.finished())
        if not self._begun():
            self._state, self._since = secrets.token_urlsafe(32), self._clock.now()
        details = manifest(name=name, public_url=self.public_url, redirect_url=self.redirect_url)
        # GitHub's own example has the state in the address
        action = f"{self.github.registration(organization)}?state={self._state}"
        return RegistrationForm(action, json.dumps(details), self._state)

    async def finish(self, code: str, state: str) -> Registered:
        """Take GitHub's answer and write the file, or raise ``SetupRefusal`` and write nothing."""
        async with self._lock:
            if self._app:
                raise SetupRefusal(410, words.finished())
            if not _CODE.fullmatch(code) or not state:
                raise SetupRefusal(400, words.no_answer())
            if not self._known(state):
                raise SetupRefusal(403, words.wrong_state())
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
            details = {"page": app.html_url, "id": app.id, "file": self.file.path}
            raise SetupRefusal(500, words.lost(**details, why=error.strerror)) from error

    def _begun(self) -> bool:
        return bool(self._state) and self._clock.now() - self._since < _LASTS

    def _known(self, state: str) -> bool:
        given = state.encode("utf-8", "surrogateescape")
        return self._begun() and hmac.compare_digest(given, self._state.encode())
