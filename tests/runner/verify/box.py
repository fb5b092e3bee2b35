"""Boxes to verify in: real processes in a folder, and one that answers from a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from runner.ports import CommandResult, SandboxSession, SandboxSpec
from runner.sandbox.process import ProcessSandbox
from tests.plain_python import plain_python

# as in a container: this Python and its pytest, without the plugins that the tests themselves use
_PYTHON = f'#!/bin/sh\nexec "{plain_python()}" "$@"\n'


async def open_box(
    folder: Path, files: Mapping[str, str], programs: Mapping[str, str] | None = None
) -> tuple[SandboxSession, Path]:
    """Open a box whose ``python3`` is the Python of the tests; return it and its workspace.

    ``programs`` are further ones by name, each a shell script.
    """
    path = f"{_programs(folder, programs or {})}:/usr/bin:/bin"
    sandbox = ProcessSandbox(owner="verifiers", path=path, parent=folder)
    box = await sandbox.open(SandboxSpec(run="r", task="t"))
    return box, _filled(folder, files)


def _programs(folder: Path, more: Mapping[str, str]) -> Path:
    programs = folder / "programs"
    programs.mkdir()
    for name, script in {"python3": _PYTHON, **more}.items():
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    return programs


def _filled(folder: Path, files: Mapping[str, str]) -> Path:
    (workspace,) = folder.glob("*/workspace")
    for name, text in files.items():
        target = workspace / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return workspace


class ScriptedBox:
    """Answers commands from a list, to show what no real tool does on demand."""

    def __init__(self, *results: CommandResult) -> None:
        self._results = list(results)

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        return self._results.pop(0)

    async def close(self) -> None:
        """Nothing was opened."""
