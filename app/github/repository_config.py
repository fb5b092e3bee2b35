"""The repository's configuration, read from its default branch and nowhere else."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection
from typing import Any

from gidgethub import BadRequest
from gidgethub.abc import GitHubAPI

from runner.config import CONFIG_PATH, RepositoryConfig, check_size, not_a_file, parse_config

Overlay = Callable[[RepositoryConfig], RepositoryConfig]
"""What is laid over a repository's configuration by whoever asks for the work."""


def as_it_is(config: RepositoryConfig) -> RepositoryConfig:
    """Nothing is laid over it."""
    return config


async def read_config(
    github: GitHubAPI, repository: str, *, images: Collection[str]
) -> RepositoryConfig:
    """Read ``.github/cairn.yml``; without one the defaults hold. ``images`` may be asked for.

    Raises ``ConfigError`` with every problem and its line.
    """
    path = f"/repos/{{+name}}/contents/{CONFIG_PATH}"
    try:
        found = await github.getitem(path, {"name": repository})
    except BadRequest as refusal:
        if refusal.status_code == 404:
            return RepositoryConfig()
        raise
    return parse_config(content_of(found), images=images)


def content_of(found: Any) -> bytes:
    """Take the configuration from what GitHub shows at its path.

    Raises ``ConfigError`` for a folder (a list), a link, a submodule and a file that is too large:
    beyond 1 MB GitHub sends no content.
    https://docs.github.com/en/rest/repos/contents#get-repository-content
    """
    kind = "dir" if isinstance(found, list) else found["type"]
    if kind != "file":
        raise not_a_file(_KINDS[kind])
    check_size(found["size"])
    return base64.b64decode(found["content"])


_KINDS = {"dir": "a folder", "symlink": "a symbolic link", "submodule": "a submodule"}
