"""Sends webhooks, signed as GitHub signs them, in the order in which things happened."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import marshal
import uuid
from collections import deque

import aiohttp

from tests.fake_github import spec
from tests.fake_github.state import Delivery
from tests.fake_github.world import Happening, World

PATIENCE = aiohttp.ClientTimeout(total=10)


def sign(secret: str, body: bytes) -> str:
    """The value of X-Hub-Signature-256."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Courier:
    """Delivers happenings to ``url``; without one they are kept and count as unanswered."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.url: str | None = None
        self.echo = True
        self._queue: deque[Delivery] = deque()
        self._task: asyncio.Task[None] | None = None
        self._session: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        """Get ready to send."""
        self._session = aiohttp.ClientSession(timeout=PATIENCE)

    async def close(self) -> None:
        """Stop; what is not sent yet stays unsent."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    def flush(self) -> None:
        """Send what requests of the app have caused, in the background."""
        due, self.world.outbox = self.world.outbox, []
        again, self.world.redeliver = self.world.redeliver, []
        if self.echo:
            made = (self.delivery(one) for one in due)
            self._queue += [one for one in made if one is not None]
        self._queue += [self.again(one) for one in again]
        if self._queue and self.url and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while self._queue:
            await self.send(self._queue.popleft())

    async def settle(self) -> None:
        """Wait until everything that is due has been answered."""
        while self._task is not None and not self._task.done():
            await self._task

    def delivery(self, due: Happening) -> Delivery | None:
        """Check a payload and put it on record; None when the App did not ask for the event."""
        installation = due.payload.get("installation")
        number = installation.get("id") if isinstance(installation, dict) else None
        known = self.world.installations.get(number or 0)
        asked = due.event in self.world.app.events or self._unasked(due.event)
        if not asked or (known and known.suspended and due.event != "installation"):
            return None
        if known and due.repo and due.repo.id in known.excluded:
            return None
        self._check(due)
        repo = due.repo.id if due.repo else None
        payload = marshal.loads(marshal.dumps(due.payload))  # noqa: S302 - our own
        one = Delivery(
            next(self.world.ids),
            str(uuid.uuid4()),
            due.event,
            due.action,
            payload,
            self.world.clock.now(),
            repo,
            number,
        )
        self.world.deliveries.append(one)
        return one

    def _unasked(self, event: str) -> bool:
        """Say whether GitHub sends an event to an App that has not subscribed to it."""
        checks = self.world.app.permissions.get("checks") == "write"
        return event.startswith("installation") or (event == "check_suite" and checks)

    def _check(self, due: Happening) -> None:
        check = spec.webhook_check(due.event, due.action)
        name = f"{due.event}.{due.action}"
        if check is None and name == "repository.unarchived":  # not in our copy of the description
            return
        if check is None:
            self.world.violations.append(f"webhook {name} is not described")
            return
        for text in spec.complaints(check, due.payload):
            self.world.violations.append(f"webhook {name} off schema: {text}")

    def again(self, old: Delivery) -> Delivery:
        """Put a redelivery on record: same GUID, another id."""
        now = self.world.clock.now()
        parts = (old.guid, old.event, old.action, old.payload, now, old.repository)
        one = Delivery(next(self.world.ids), *parts, old.installation, redelivery=True)
        self.world.deliveries.append(one)
        return one

    async def tell(self, events: list[Happening]) -> int:
        """Send these now, after what is due before; the status the first one got (0: none)."""
        await self.settle()
        made = [one for one in map(self.delivery, events) if one is not None]
        for one in made:
            await self.send(one)
        return made[0].status if made else 0

    async def send(self, one: Delivery) -> int:
        """Post one delivery and return the status (0 when nobody answers)."""
        body = json.dumps(one.payload).encode()
        one.status = await self.post(body, self.headers(one, body))
        return one.status

    def headers(self, one: Delivery, body: bytes) -> dict[str, str]:
        """The headers of a delivery."""
        return {
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/fake",
            "X-GitHub-Event": one.event,
            "X-GitHub-Delivery": one.guid,
            "X-GitHub-Hook-ID": "1",
            "X-GitHub-Hook-Installation-Target-ID": str(self.world.app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature-256": sign(self.world.app.webhook_secret, body),
        }

    async def post(self, body: bytes, headers: dict[str, str]) -> int:
        """Post raw bytes to the webhook address; 0 when there is none or nobody answers."""
        if self.url is None or self._session is None:
            return 0
        try:
            async with self._session.post(self.url, data=body, headers=headers) as response:
                return response.status
        except (aiohttp.ClientError, TimeoutError):
            return 0
