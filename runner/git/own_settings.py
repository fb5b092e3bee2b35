"""What a checkout's git configuration says of signing, and which programs of it are not run.

A user's own configuration (global, system) may name programs: it is his machine. That of a
repository may be somebody else's: from it only the key's name and a "no" count. Hooks never run.
https://git-scm.com/docs/git-config, "commit.gpgSign", "gpg.program", "filter.<driver>.smudge"
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.errors import Outage
from runner.git.command import Git

_ASKED = (
    r"^(commit\.gpgsign|user\.signingkey|gpg\.|core\.(hookspath|fsmonitor)$"
    r"|filter\..*\.(clean|smudge|process)$)"
)
_OWN = ("global", "system")
_PROGRAMS = {
    "gpg.program": "gpg",
    "gpg.x509.program": "gpgsm",
    "gpg.ssh.program": "ssh-keygen",
}
"""Settings that name a program which signs, and git's default."""
_TRUE = ("true", "yes", "on", "1", "")


@dataclass(frozen=True, slots=True)
class OwnSettings:
    """``signing`` are settings for a signed commit, empty where none is wanted.

    ``disarmed`` turn off the programs that the repository's configuration names in ``unused``;
    ``hooks`` are the names of its hooks.
    """

    signing: tuple[str, ...] = ()
    disarmed: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()


async def own_settings(user: Git) -> OwnSettings:
    """Read them through git with the user's configuration. Raises ``Outage``."""
    listed = await user.call("config", "--null", "--show-scope", "--get-regexp", _ASKED)
    own: dict[str, str] = {}
    theirs: dict[str, str] = {}
    for scope, key, value in _settings(listed.stdout):
        if scope != "command":  # what we say ourselves
            (own if scope in _OWN else theirs)[key] = value
    filters = [key for key in theirs if key.startswith("filter.")]
    unused = [key for key in theirs if key in _RUN or key.startswith("filter.")]
    place = theirs.get("core.hookspath") or own.get("core.hookspath")
    return OwnSettings(
        tuple(_signing(own, theirs)),
        tuple(
            setting
            for key in filters
            for setting in (f"{key}={own.get(key, '')}", f"{key.rpartition('.')[0]}.required=false")
        ),
        tuple(unused),
        await _hooks(user, place),
    )


_RUN = (*_PROGRAMS, "gpg.openpgp.program", "gpg.ssh.defaultkeycommand", "core.fsmonitor")


def _settings(listed: bytes) -> Iterator[tuple[str, str, str]]:
    """Read ``scope NUL key LF value NUL``; a key without a value means true."""
    words = listed.decode("utf-8", "surrogateescape").split("\0")
    for scope, setting in zip(words[::2], words[1::2], strict=False):
        key, _, value = setting.partition("\n")
        yield scope, key, value


def _signing(own: Mapping[str, str], theirs: Mapping[str, str]) -> Iterator[str]:
    """Yield what a signed commit needs; a program of the repository's is not among it."""
    if own.get("commit.gpgsign", "no").lower() not in _TRUE:
        return
    if theirs.get("commit.gpgsign", "yes").lower() not in _TRUE:
        return
    form = own.get("gpg.format", "openpgp")
    key = theirs.get("user.signingkey") or own.get("user.signingkey", "")
    command = own.get("gpg.ssh.defaultkeycommand", "")
    if form == "ssh" and not key and not command:
        raise Outage(
            "git",
            "commit.gpgsign is on and gpg.format is ssh, but no key is named."
            " Type: git config --global user.signingkey FILE",
        )
    yield f"gpg.format={form}"
    for setting, usual in _PROGRAMS.items():
        named = own.get("gpg.openpgp.program") if setting == "gpg.program" else None
        yield f"{setting}={named or own.get(setting) or usual}"
    if key:
        yield f"user.signingkey={key}"
    elif command:
        yield f"gpg.ssh.defaultKeyCommand={command}"


async def _hooks(user: Git, place: str | None) -> tuple[str, ...]:
    """Return the names of the hooks that git would run."""
    if place is None:
        folder = await user.call("rev-parse", "--path-format=absolute", "--git-common-dir")
        return await asyncio.to_thread(_programs_in, _line(folder.stdout), "hooks")
    top = await user.call("rev-parse", "--show-toplevel")
    return await asyncio.to_thread(_programs_in, _line(top.stdout), place)


def _line(printed: bytes) -> Path:
    return Path(os.fsdecode(printed).rstrip("\n"))


def _programs_in(root: Path, place: str) -> tuple[str, ...]:
    try:
        inside = sorted((root / Path(place).expanduser()).iterdir())
    except (OSError, RuntimeError):  # nobody's home is known
        return ()
    return tuple(
        each.name
        for each in inside
        if each.suffix != ".sample" and each.is_file() and os.access(each, os.X_OK)
    )
