"""The App's installation on an account: what we keep of GitHub's events about it.

The events come in any order, and late. So they only say where to look; how things stand is asked
from GitHub. (https://docs.github.com/en/webhooks/webhook-events-and-payloads#installation)
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from handlers.payloads import Installation, validated

CHANGED = "installation"
SELECTED = "installation_repositories"
EVENTS = (CHANGED, SELECTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationChanged:
    """Something happened to an installation: suspended, lifted, deleted, permissions accepted.

    ``repositories`` are the ids of those that were added to it or removed; () for the whole of it.
    """

    delivery: str
    action: str
    installation_id: int
    repositories: tuple[int, ...] = ()


class _Repository(BaseModel):
    id: int


class _Payload(BaseModel):
    action: str
    installation: Installation
    repositories_added: tuple[_Repository, ...] = ()
    repositories_removed: tuple[_Repository, ...] = ()


def read_installation(
    *, name: str, delivery: str, payload: dict[str, object]
) -> InstallationChanged:
    """Reduce an event about an installation. Raises ``MalformedPayload``."""
    found = validated(name, _Payload, payload)
    named = (*found.repositories_added, *found.repositories_removed)
    return InstallationChanged(
        delivery=delivery,
        action=found.action,
        installation_id=found.installation.id,
        repositories=tuple(each.id for each in named) if name == SELECTED else (),
    )
