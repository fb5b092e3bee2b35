"""Let a project's tests find the project, although nobody installed it.

A Python project with its modules below ``src``, or with a version that its build works out, cannot
be imported from a checkout as it is. What ``pip install -e .`` would give its tests is given to
them without a build and without a network: the folders of its modules, its metadata and its
programs. All of it is outside the workspace, except a version file that git does not have.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from importlib.resources import files

from runner.ports import CommandResult, SandboxSession, Serve, led
from runner.verify.python_layout import PythonLayout

_PROGRAM = files("runner.verify").joinpath("project_metadata.py").read_text()
_SECONDS = 60.0
_KEPT = 'kept="${TMPDIR:-/tmp}/cairn-project"'
_WRITE = f'{_KEPT}; mkdir -p "$kept" && exec python3 -I -c "$1" "$kept" "$2"'
_START = f"""\
{_KEPT}
roots=
for root in $CAIRN_ROOTS; do roots="$roots$PWD/$root:"; done
PYTHONPATH="$roots$kept${{PYTHONPATH:+:$PYTHONPATH}}"; PATH="$kept/bin:$PATH"
unset CAIRN_ROOTS; export PYTHONPATH PATH
exec "$@"
"""


_EXTENSIONS = """\
cat "$CAIRN_PREPARED/extensions.list" 2>/dev/null
find . -name node_modules -prune -o \\( -name '*.so' -o -name '*.pyd' \\) -print
"""


class PrefixedSession:
    """A sandbox session that puts some words in front of each command."""

    def __init__(self, inner: SandboxSession, *words: str) -> None:
        self._inner = inner
        self._words = words

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        """Run a command behind the words."""
        return await self._inner.run((*self._words, *argv), stdin=stdin, timeout=timeout)

    def led(self, serve: Serve) -> AbstractAsyncContextManager[str]:
        """Lead the session itself."""
        return led(self._inner, serve)

    async def renew(self) -> bool:
        """Renew the session itself."""
        return await self._inner.renew()

    async def close(self) -> None:
        """Close the session itself."""
        await self._inner.close()


def set_up_session(inner: SandboxSession, layout: PythonLayout) -> SandboxSession:
    """Return a session in whose commands the project can be imported and started."""
    return PrefixedSession(inner, "env", *_variables(layout), "sh", "-c", _START, "sh")


async def set_up(session: SandboxSession, layout: PythonLayout) -> None:
    """Write what an installation would; a sandbox without Python has no use for it."""
    text = json.dumps(asdict(layout))
    await session.run(["sh", "-c", _WRITE, "sh", _PROGRAM, text], timeout=_SECONDS)


async def built_extensions(session: SandboxSession, paths: Collection[str]) -> tuple[str, ...]:
    """Name the extension modules that setup or the tests' own commands built of the workspace.

    ``paths`` are the files of its tree, none of which anybody built here.
    """
    listed = await session.run(["sh", "-c", _EXTENSIONS], timeout=_SECONDS)
    found = listed.stdout.decode("utf-8", "replace").splitlines()
    return tuple(sorted({path.removeprefix("./") for path in found} - set(paths)))


def _variables(layout: PythonLayout) -> tuple[str, ...]:
    """Variables for the commands; the names in them are paths of git and Python names."""
    roots = " ".join(root for root in layout.roots if " " not in root)
    return (f"CAIRN_ROOTS={roots}", f"CAIRN_OWN={' '.join(layout.own)}")
