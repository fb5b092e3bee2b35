"""What the App asks for: the manifest's permissions and events, and the smaller sets of tokens.

Least permission for each operation: GitHub's table of permissions for Apps
(https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

Permissions = Mapping[str, Literal["read", "write"]]

APP_PERMISSIONS: Permissions = MappingProxyType(
    {
        "metadata": "read",  # asking what a person may do; GitHub grants it to every App
        "contents": "write",  # reading trees; blobs, trees, commits and branches of checkpoints
        "issues": "write",  # comments and reactions, on pull requests too
        "pull_requests": "write",  # opening checkpoints and changing their base
        "checks": "write",  # buttons on proposals; without it everything else works
    }
)
"""The manifest's ``default_permissions``: all the App is ever granted."""

APP_EVENTS = ("check_run", "issue_comment", "pull_request", "pull_request_review", "push")
"""The manifest's ``default_events``."""

INSTALLATION_EVENTS = ("installation", "installation_repositories")
"""GitHub sends these to every App unasked, and a manifest must not name them.

(https://docs.github.com/en/webhooks/webhook-events-and-payloads#installation)
"""

READ: Permissions = MappingProxyType({"metadata": "read", "contents": "read"})
"""For fetching git objects: the token is handed to a git process."""

CONVERSE: Permissions = MappingProxyType({"metadata": "read", "issues": "write"})
"""For answering comments: role of the author, reaction, reply, progress comment."""

CHECK: Permissions = MappingProxyType({"metadata": "read", "checks": "write"})
"""For check runs alone: GitHub gives no token for what an owner has not accepted yet."""

PLAN: Permissions = MappingProxyType({"metadata": "read", "contents": "read", "issues": "write"})
"""For working a push: role of who pushed, the roadmap before and after, the plan's issue."""

REACTIONS: Permissions = MappingProxyType(
    {"metadata": "read", "issues": "read", "pull_requests": "read"}
)
"""For reading the reactions on comments of all repositories of an installation."""

PUBLISH: Permissions = MappingProxyType(
    {name: level for name, level in APP_PERMISSIONS.items() if name != "checks"}
)
"""For a run's client: commits, branches, pull requests and its progress comment."""
