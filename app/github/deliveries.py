"""The webhooks GitHub sent to the App, as its API lists them for three days.

https://docs.github.com/en/rest/apps/webhooks#list-deliveries-for-an-app-webhook

"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app.github.client import GitHubClient

KEPT = timedelta(days=3)
"""How long GitHub keeps them."""

_A_PAGE = 100


@dataclass(frozen=True, slots=True)
class HookDelivery:
    """One attempt to deliver: ``guid`` names what was delivered, ``id`` the attempt."""

    id: int
    guid: str
    event: str
    at: datetime
    status_code: int

    @property
    def arrived(self) -> bool:
        """Whether somebody took it: any answer but 2xx is a failure."""
        return 200 <= self.status_code < 300


class HookDeliveries:
    """Asks as the App itself (``client``): what it is shown needs no signature.

    Methods raise ``Outage``, and gidgethub's exceptions for what GitHub refuses.
    """

    def __init__(self, client: GitHubClient) -> None:
        self._client = client

    async def since(self, time: datetime, *, most: int) -> list[HookDelivery]:
        """Return the attempts made after a time, the newest first, and no more than ``most``."""
        found: list[HookDelivery] = []
        path = "/app/hook/deliveries{?per_page}"
        async for item in self._client.getiter(path, {"per_page": str(_A_PAGE)}):
            at = datetime.fromisoformat(item["delivered_at"])
            status = item["status_code"]
            each = HookDelivery(item["id"], item["guid"], item["event"], at, status)
            if each.at < time or len(found) >= most:
                break
            found.append(each)
        return found

    async def payload(self, delivery: HookDelivery) -> dict[str, Any]:
        """Return what an attempt carried."""
        path = "/app/hook/deliveries/{id}"
        found = await self._client.getitem(path, {"id": str(delivery.id)})
        return dict(found["request"]["payload"] or {})
