"""Propose better settings as one pull request on ``.github/cairn.yml``, from what was recorded.

Merging it is the approval. At most one is open; one that a person closed is a no to the same
change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.github.one_pull import OfferedPulls, of_files
from app.github.pulls import PREFIX
from app.runs.lessons import UNASKED, Lessons
from runner.analysis.advice import Advice
from runner.analysis.recorded import Analysis
from runner.config.editing import with_keys
from runner.config.model import CONFIG_PATH, RepositoryConfig
from runner.loop.deps import Deps
from runner.loop.reading import contents
from runner.people.analysis_sentences import (
    FACTOR_NAMES,
    Topic,
    advice_lines,
    changes_text,
    markdown,
    tables,
)
from runner.state.changes import Snapshot
from runner.text.sanitize import inert_line, sanitize

BRANCH = f"{PREFIX}advice"


def title(one: Advice) -> str:
    """Name the pull request."""
    return f"Cairn's configuration: {changes_text(one)}"


def body(one: Advice, found: Analysis) -> str:
    """What to change, the numbers behind it, and how to answer."""
    topic: Topic = "routing" if one.factor == "route" else "models"
    parts = [
        f"From {found.executions:,} recorded attempts, Cairn learned that another setting of the "
        f"{FACTOR_NAMES[one.factor]} does better in this repository.",
        *advice_lines(one),
        f"This pull request changes `{CONFIG_PATH}` and nothing else. No model was asked.",
        "- **To use it**, merge this pull request. The next run reads it.\n"
        "- **To change something**, push to this branch, then merge.\n"
        "- **If you do not want it**, close this pull request. Cairn does not propose the same "
        "change again. `adaptive: {advise: false}` switches such proposals off.",
        "<details><summary>All comparisons</summary>",
        markdown(tables(topic, found)),
        "</details>",
    ]
    return sanitize("\n\n".join(parts))


def adjusted_text(changes: Sequence[str]) -> str:
    """What a run did differently from its configuration (Markdown); '' for nothing."""
    if not changes:
        return ""
    which = ", ".join(f"`{inert_line(each)}`" for each in changes)
    return (
        f"Cairn worked with {which} because of what it learned here (`adaptive.auto_adjust`); "
        "`/execute analyze models` and `/execute analyze routing` show why."
    )


def advised(url: str) -> str:
    """Where better settings are proposed (Markdown); '' for nowhere."""
    return f"Cairn learned that other settings do better here: {url}" if url else ""


@dataclass(frozen=True, slots=True)
class _Change:
    """Advice that can be written into the file as it is."""

    advice: Advice
    found: Analysis
    content: bytes


class AdviceOffer:
    """Proposes settings to one repository, whose default branch is ``branch``, for a ``run``."""

    def __init__(self, pulls: OfferedPulls, lessons: Lessons, *, branch: str, run: str) -> None:
        self._pulls = pulls
        self._lessons = lessons
        self._branch = branch
        self._run = run

    async def look(self, deps: Deps, config: RepositoryConfig) -> str:
        """Propose what is surest, and return the address of the pull request ('' for none).

        Doing it twice leaves one. Raises ``Outage`` or ``TaskError``.
        """
        if not config.adaptive.advise:
            return ""
        found = await self._lessons.analysis(config, error=UNASKED)
        if not found.advice:
            return ""
        commit = (await deps.repository.stack()).base
        base = await deps.repository.snapshot(commit)
        before = b""
        if CONFIG_PATH in base.entries:
            before = (await contents(deps, base, [CONFIG_PATH])).get(CONFIG_PATH, b"")
        declined = await self._pulls.declined(BRANCH)
        change = _first(found, before, declined)
        return await self._offer(change, commit, base) if change else ""

    async def _offer(self, change: _Change, commit: str, base: Snapshot) -> str:
        known = await self._pulls.known(BRANCH)
        if known and known.state == "open" and known.source == change.advice.id:
            return known.url
        shown = of_files(
            {CONFIG_PATH: change.content},
            base,
            run=self._run,
            branch=BRANCH,
            below=self._branch,
            parent=commit,
            title=inert_line(title(change.advice)),
            body=body(change.advice, change.found),
        )
        return (await self._pulls.offer(shown, change.advice.id)).url


def _first(found: Analysis, before: bytes, declined: frozenset[str]) -> _Change | None:
    """The surest advice that nobody declined and that the file takes."""
    for one in found.advice:
        content = with_keys(before, one.changes) if one.id not in declined else None
        if content is not None and content != before:
            return _Change(one, found, content)
    return None
