"""Features are tried in conversations: with the whole server, or with handlers alone."""

from __future__ import annotations

from tests.handlers.conftest import client, github, proposals, runs, thread
from tests.scenarios.conftest import bot, files

__all__ = ["bot", "client", "files", "github", "proposals", "runs", "thread"]
