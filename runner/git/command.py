"""git as a subprocess: bounded in time, and deaf to whatever the repository would make it run.

Hooks and the file-system monitor are off for every call, and no variable of our own environment
reaches git except the ones named here (https://git-scm.com/docs/git#_environment_variables).

"""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from runner.errors import Outage

_QUIET = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.autoDetach=false",
    "maintenance.autoDetach=false",
    "submodule.recurse=false",
)
_USER = ("HOME", "XDG_CONFIG_HOME", "EMAIL", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
_SIGNING = (
    *("GNUPGHOME", "GPG_TTY", "GPG_AGENT_INFO", "PINENTRY_USER_DATA", "TERM", "DISPLAY"),
    *("WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"),
    *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE"),
)
"""What the programs need that sign a commit: where the keys are and how to ask for a password."""
_IDENTITY = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")


_TO_TYPE = re.compile(r"\s*\n\s*\n\t(.+)")


class GitFailed(Outage):
    """git ended with an unexpected error; ``stderr`` is what it printed."""

    def __init__(self, verb: str, exit_code: int, stderr: str) -> None:
        # a command that git says to type is copied: no full stop may end up behind it
        stderr = _TO_TYPE.sub(r" `\1`", stderr)
        reason = stderr.strip() or f"it ended with exit code {exit_code} and printed nothing"
        super().__init__("git", f"git {verb} failed: {reason}")
        self.stderr = stderr


@dataclass(frozen=True, slots=True)
class Finished:
    """A git command that ended on its own."""

    exit_code: int
    stdout: bytes
    stderr: str


@dataclass(frozen=True, slots=True)
class Git:
    """git in one repository: ``place`` are the options that name it, ``settings`` are ``-c``."""

    place: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    settings: tuple[str, ...] = _QUIET

    def line_of(self, *arguments: str) -> list[str]:
        """Return the words of a command line."""
        options = [word for setting in self.settings for word in ("-c", setting)]
        return ["git", *self.place, *options, *arguments]

    async def call(
        self,
        *arguments: str,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        timeout: float = 60.0,
    ) -> Finished:
        """Run one command; ``timeout`` in seconds. Raises ``Outage`` without git or in time."""
        process = await _start(
            self.line_of(*arguments), {**self.environment, **(environment or {})}
        )
        try:
            async with asyncio.timeout(timeout):
                stdout, stderr = await process.communicate(stdin)
        except TimeoutError:
            message = f"git {arguments[0]} took longer than {timeout:.0f} s and was ended"
            raise Outage("git", message) from None
        finally:
            await _end(process)
        return Finished(process.returncode or 0, stdout, stderr.decode("utf-8", "replace"))

    async def output(
        self,
        *arguments: str,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run one command that must succeed. Raises ``GitFailed`` with git's own words."""
        done = await self.call(*arguments, stdin=stdin, environment=environment)
        if done.exit_code:
            raise GitFailed(arguments[0], done.exit_code, done.stderr)
        return done.stdout

    async def line(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run one command that must succeed and answers one line."""
        return os.fsdecode(await self.output(*arguments, stdin=stdin)).rstrip("\n")


def hermetic(*place: str, protocols: str = "none", extra: Mapping[str, str] | None = None) -> Git:
    """git that reads no configuration but the repository's own, and reaches no network.

    ``protocols`` names the transports that are allowed (``https:http``), ``extra`` more
    environment. Such calls only read and write objects and refs, so it does not matter who owns
    the folder (https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory).
    """
    alone = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ALLOW_PROTOCOL": protocols,
    }
    return Git(
        place, {**_base(os.environ), **alone, **(extra or {})}, (*_QUIET, "safe.directory=*")
    )


def as_user(*place: str, environment: Mapping[str, str]) -> Git:
    """git with the user's own configuration and identity, for what touches his work tree."""
    wanted = (*_USER, *_SIGNING, *_IDENTITY)
    own = {name: environment[name] for name in wanted if name in environment}
    none = {"GIT_ALLOW_PROTOCOL": "none"}
    return Git(
        place,
        {**_base(environment), **own, **none},
        (*_QUIET, "gc.auto=0", "maintenance.auto=false"),
    )


def _base(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        "PATH": environment.get("PATH", os.defpath),
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",  # a replaced object is not the tree that was committed
    }


async def _start(argv: list[str], environment: dict[str, str]) -> asyncio.subprocess.Process:
    """Start it. A cancel waits until then: asyncio cannot end a half-started process."""
    pipe = asyncio.subprocess.PIPE
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *argv, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, start_new_session=True
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _end(await starting)
        raise
    except FileNotFoundError:
        raise Outage("git", "git is not installed or not on PATH: install git") from None


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill what still runs, transport helpers (``git-remote-https``) included."""
    if process.returncode is None:
        with suppress(ProcessLookupError):  # it ended a moment ago
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()  # unread output would keep the pipes, and us, waiting
