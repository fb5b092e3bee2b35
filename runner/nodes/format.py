"""Format the lines that a change writes, where the repository configures a formatter."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from runner.loop.deps import Deps
from runner.nodes.work import NodeWork
from runner.state.changes import ChangeSet
from runner.state.run_state import RunState
from runner.text.mask import HIDDEN
from runner.verify.formatters import (
    FORMATTERS,
    formatted_text,
    formatter_of,
    only_changed_lines,
)
from runner.verify.linters import settings_files

_MOST_FILES, _LONGEST = 50, 200_000


async def formatted(work: NodeWork) -> RunState:
    """Return the state with the changed lines as the repository's own formatter writes them.

    What people wrote or approved stays as it is, and so does what no formatter can read.
    """
    state, deps, files = work.state, work.deps, dict(work.changes.files)
    attempt = state.attempt
    asked = attempt.agreed.approved or attempt.planned.human_commits is not None
    if asked or state.request.options.verify.verify_mode in ("off", "syntax"):
        return state
    written = [path for path, write in files.items() if write]
    settings = await work.contents(settings_files(written, work.base.entries, tools=FORMATTERS))
    tools = {path: found for path in written if (found := formatter_of(path, settings))}
    texts = _texts(work.changes, tools, deps)
    if not texts:
        return state
    session, old = await work.session(), await work.contents(texts)
    notes: list[str] = []
    for path, text in texts.items():
        before = old[path].decode("utf-8", "replace") if path in old else None
        after = await formatted_text(session, *tools[path], path, text)
        if after is None or after == text or after.count(HIDDEN) != text.count(HIDDEN):
            continue
        kept = before is None or before == await formatted_text(session, *tools[path], path, before)
        done = await asyncio.to_thread(
            only_changed_lines, path, text, after, old=before or "", was_formatted=kept
        )
        write = files[path]
        if write and done and done != text:
            files[path] = replace(write, content=done.encode())
            notes.append(f"{path}: formatted with {tools[path][0].name}")
    if not notes:
        return state
    answered = attempt.answered
    return state.updated(
        replace(
            state.attempt.answered,
            changes=ChangeSet(files),
            # the answer itself is known as tried if it fails
            tried=tuple(dict.fromkeys((*answered.tried, answered.changes.digest))),
            auto_repairs=tuple(dict.fromkeys((*answered.auto_repairs, *notes))),
        )
    )


def _texts(changes: ChangeSet, paths: Iterable[str], deps: Deps) -> dict[str, str]:
    """The texts that may be formatted: a sandbox would give back a secret as asterisks."""
    texts: dict[str, str] = {}
    for path in list(paths)[:_MOST_FILES]:
        write = changes.files[path]
        if write and len(write.content) <= _LONGEST:
            with suppress(UnicodeDecodeError):
                text = write.content.decode()
                if deps.mask(text) == text:
                    texts[path] = text
    return texts
