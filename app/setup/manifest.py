"""The manifest: all that GitHub is told about the App before there is one.

https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

from __future__ import annotations

from app.github.scopes import APP_EVENTS, APP_PERMISSIONS
from app.setup import words

CALLBACK = "/setup/callback"
"""Where GitHub sends the browser after the App is registered."""

WEBHOOK = "/webhook"


def manifest(*, name: str, public_url: str, redirect_url: str) -> dict[str, object]:
    """Return the manifest of an App that asks for what the running one uses, and no more.

    It is private: only its owner can install it.
    """
    return {
        "name": name,
        "url": public_url,
        "description": words.DESCRIPTION,
        "hook_attributes": {"url": f"{public_url}{WEBHOOK}", "active": True},
        "redirect_url": redirect_url,
        "public": False,
        "default_permissions": dict(APP_PERMISSIONS),
        "default_events": list(APP_EVENTS),
    }


def asked() -> list[dict[str, str]]:
    """Return every permission with its level and what it is for, in the order of the names."""
    return [
        {"name": name, "level": level, "why": words.PERMISSIONS[name]}
        for name, level in sorted(APP_PERMISSIONS.items())
    ]


def heard() -> list[dict[str, str]]:
    """Return every event with what it is for, in the order of the names."""
    return [{"name": name, "why": words.EVENTS[name]} for name in sorted(APP_EVENTS)]


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
