"""The addresses of the set-up, and the manifest that registers the App.

https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.github.token_identity import APP_PERMISSIONS
from app.texts import setup_texts as words
from handlers.webhooks import SUBSCRIBED, WEBHOOKS


class UnusableSetup(ValueError):
    """What was asked for cannot be used; nothing has begun."""


class SetupRefusal(Exception):
    """A sentence for the person in front of the browser, and the status of its page."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


_PLAIN = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~/-]*)?")
_ORGANIZATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_LONGEST_NAME = 34
"""GitHub's own limit for the name of an App."""


@dataclass(frozen=True)
class GitHub:
    """One GitHub: ``server`` has the pages, ``api`` the REST API; neither ends with a slash."""

    server: str
    api: str

    def registration(self, organization: str) -> str:
        """Return the page that takes a manifest, for an organisation or ('') for oneself."""
        owner = f"/organizations/{organization}" if organization else ""
        return f"{self.server}{owner}/settings/apps/new"

    @property
    def origin(self) -> str:
        """Scheme, host and port of the pages."""
        parts = urlsplit(self.server)
        return f"{parts.scheme}://{parts.netloc}"


def github_at(server: str | None, api: str | None) -> GitHub:
    """Work out one address from the other; github.com when neither is given.

    Enterprise Server has its API below ``/api/v3``, GHE.com on a host of its own:
    https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency/network-details-for-ghecom
    """
    if server and api:
        return GitHub(server, api)
    if server:
        return GitHub(server, _api_of(server))
    if api:
        return GitHub(api.removesuffix("/api/v3").replace("://api.", "://", 1), api)
    return GitHub(_HOME, _api_of(_HOME))


_HOME = "https://github.com"


def _api_of(server: str) -> str:
    parts = urlsplit(server)
    own_host = server == _HOME or (parts.hostname or "").endswith(".ghe.com")
    return f"{parts.scheme}://api.{parts.netloc}" if own_host else f"{server}/api/v3"


def public_url(value: str) -> str:
    """Check where GitHub will reach the server; raises ``UnusableSetup`` with what to do."""
    url = value.strip().rstrip("/")
    if not url:
        raise UnusableSetup(words.no_url())
    try:
        parts = urlsplit(url)
        good = _PLAIN.fullmatch(url) and parts.hostname and parts.port != 0
    except ValueError:
        good = None
    if not good:
        raise UnusableSetup(words.wrong_url())
    if parts.scheme != "https" and not is_loopback(url):
        raise UnusableSetup(words.not_https())
    return url


def is_loopback(url: str) -> bool:
    """Say whether an address leads to this machine only."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def organization(value: str) -> str:
    """Check the name of an organisation ('' for none); raises ``UnusableSetup``."""
    if value and not _ORGANIZATION.fullmatch(value):
        raise UnusableSetup(words.wrong_organization())
    return value


def app_name(value: str, url: str) -> str:
    """Check the App's name, or make one of our address; raises ``UnusableSetup``."""
    name = value.strip()
    if not name:
        return f"Cairn at {urlsplit(url).hostname}"[:_LONGEST_NAME].rstrip(".-")
    if len(name) > _LONGEST_NAME or not name.isprintable():
        raise UnusableSetup(words.wrong_name())
    return name


CALLBACK = "/setup/callback"
"""Where GitHub sends the browser after the App is registered."""

WEBHOOK = "/webhook"


def manifest(*, name: str, public_url: str, redirect_url: str) -> dict[str, object]:
    """Return the manifest of an App that asks only for what the running one uses.

    It is private: only its owner can install it.
    """
    return {
        "name": name,
        "url": public_url,
        "description": words.description(),
        "hook_attributes": {"url": f"{public_url}{WEBHOOK}", "active": True},
        "redirect_url": redirect_url,
        "public": False,
        "default_permissions": dict(APP_PERMISSIONS),
        "default_events": list(SUBSCRIBED),
    }


def asked() -> list[dict[str, str]]:
    """Return every permission with its level and what it is for, in the order of the names."""
    return [
        {"name": name, "level": level, "why": words.permission(name)}
        for name, level in sorted(APP_PERMISSIONS.items())
    ]


def heard() -> list[dict[str, str]]:
    """Return every event the App subscribes to, with what it is for."""
    return [{"name": each.name, "why": each.why} for each in WEBHOOKS if not each.unasked]


def next_steps(page: str, start: str) -> list[str]:
    """Return what is left to do; ``start`` is '' when the server runs."""
    return [words.install(page), words.start_server(start), words.comment()]


def tables() -> str:
    """Return permissions and events as two Markdown tables, for the documentation."""
    permissions = [f"| `{one['name']}` | {one['level']} | {one['why']} |" for one in asked()]
    events = [f"| `{one['name']}` | {one['why']} |" for one in heard()]
    return "\n".join(
        [
            *("| permission | level | what for |", "|---|---|---|", *permissions, ""),
            *("| event | what for |", "|---|---|", *events),
        ]
    )
