"""A GitHub that answers by script, a clock that stands, and a sleep that only moves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from aiohttp import web
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

START = datetime(2026, 1, 1, tzinfo=UTC)
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PEM = KEY.private_bytes(
    serialization.Encoding.PEM,
    serialization.PrivateFormat.PKCS8,
    serialization.NoEncryption(),
).decode()


@dataclass
class StandingClock:
    """A clock that only ``sleep`` moves; ``slept`` are the seconds of each wait."""

    time: datetime = START
    slept: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return self.time.timestamp()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += timedelta(seconds=seconds)


@dataclass
class Answer:
    """One answer of the script; ``drop`` closes the connection instead."""

    status: int = 200
    data: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False


@dataclass
class Script:
    """Answers in order, whatever is asked; the last one again and again."""

    answers: list[Answer] = field(default_factory=lambda: [Answer(data={"ok": True})])
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)

    def says(self, *answers: Answer) -> None:
        """Set what is answered next."""
        self.answers = list(answers)

    @property
    def calls(self) -> list[str]:
        """Method and path of each request."""
        return [f"{method} {path}" for method, path, _, _ in self.asked]

    def application(self) -> web.Application:
        """Return the server."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        return app

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.asked.append((request.method, request.path_qs, headers, body))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer.drop:
            assert request.transport
            request.transport.abort()
        return web.json_response(answer.data, status=answer.status, headers=answer.headers)


@dataclass
class CountingCredential:
    """Tokens t1, t2 ...: a new one after each that was forgotten."""

    number: int = 1

    async def authorization(self) -> str:
        return f"token t{self.number}"

    def forget(self, authorization: str) -> None:
        assert authorization == f"token t{self.number}"
        self.number += 1
