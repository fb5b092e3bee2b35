"""Format the lines that a change writes, where the repository configures a formatter."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import command_ran, contents
from runner.nodes.assess import filled
from runner.ports import CommandResult, Ran, SandboxSession
from runner.state.changes import ChangeSet, Snapshot
from runner.state.run_state import RunState
from runner.text.mask import HIDDEN
from runner.verify.formatters import (
    FORMATTERS,
    formatted_text,
    formatter_of,
    only_changed_lines,
)
from runner.verify.linters import ConfiguredTool, settings_files

_MOST_FILES, _LONGEST = 50, 200_000


async def formatted(state: RunState, deps: Deps, work: TaskWork, base: Snapshot) -> RunState:
    """Return the state with the changed lines as the repository's own formatter writes them.

    What people wrote or approved stays as it is, and so does what no formatter can read.
    """
    attempt = state.attempt
    asked = attempt.agreed.approved or attempt.planned.human_commits is not None
    if asked or state.request.options.verify.verify_mode in ("off", "syntax"):
        return state
    written = [path for path, write in attempt.answered.changes.files.items() if write]
    settings = await contents(deps, base, settings_files(written, base.entries, tools=FORMATTERS))
    tools = {path: found for path in written if (found := formatter_of(path, settings))}
    texts = _texts(attempt.answered.changes, tools, deps)
    if not texts:
        return state
    session = await filled(state, deps, work, base, attempt.answered.changes)
    work.sandbox.holds = ""
    old = await contents(deps, base, texts)
    before = {path: content.decode("utf-8", "replace") for path, content in old.items()}

    async def ran(command: Sequence[str], result: CommandResult, seconds: float) -> None:
        await command_ran(state, deps, "format", command, result, seconds)

    done = {
        path: text
        for path, new in texts.items()
        if (text := await _text(session, *tools[path], path, new, before.get(path), ran))
        and text != new
    }
    return _with(state, done, {path: tools[path][0].name for path in done}) if done else state


def _texts(changes: ChangeSet, paths: Iterable[str], deps: Deps) -> dict[str, str]:
    """The texts that may be formatted: a sandbox would give back a secret as asterisks."""
    texts: dict[str, str] = {}
    for path in list(paths)[:_MOST_FILES]:
        write = changes.files[path]
        if write and len(write.content) <= _LONGEST:
            try:
                text = write.content.decode()
            except UnicodeDecodeError:
                continue
            if deps.mask(text) == text:
                texts[path] = text
    return texts


async def _text(
    session: SandboxSession,
    tool: ConfiguredTool,
    folder: str,
    path: str,
    text: str,
    old: str | None,
    ran: Ran,
) -> str | None:
    after = await formatted_text(session, tool, folder, path, text, ran)
    if after is None or after == text or after.count(HIDDEN) != text.count(HIDDEN):
        return None
    was_formatted = old is None or (
        await formatted_text(session, tool, folder, path, old, ran) == old
    )
    return await asyncio.to_thread(
        only_changed_lines, path, text, after, old=old or "", was_formatted=was_formatted
    )


def _with(state: RunState, found: Mapping[str, str], names: Mapping[str, str]) -> RunState:
    """The state with formatted files; the answer itself is known as tried if it fails."""
    answered = state.attempt.answered
    files = dict(answered.changes.files)
    for path, text in found.items():
        if write := files[path]:
            files[path] = replace(write, content=text.encode())
    notes = [f"{path}: formatted with {name}" for path, name in names.items()]
    return state.with_attempt(
        changes=ChangeSet(files),
        tried=tuple(dict.fromkeys((*answered.tried, answered.changes.digest))),
        auto_repairs=tuple(dict.fromkeys((*answered.auto_repairs, *notes))),
    )
