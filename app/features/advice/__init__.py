"""After a run, settings that did better are proposed as one pull request on ``.github/cairn.yml``.

Merging it is the approval. At most one is open; one that a person closed is a no to the same
change.
"""

from __future__ import annotations

from app.github.one_pull import OfferedPulls
from app.github.pulls import PREFIX
from app.github.repository import GitHubRepository
from app.runs.begun import Begun
from app.runs.feature import Feature
from app.runs.lessons import Lessons
from runner.analysis.advice import Advice
from runner.analysis.recorded import Analysis
from runner.config.editing import with_keys
from runner.config.model import CONFIG_PATH, RepositoryConfig
from runner.config.reading import ConfigError
from runner.errors import TaskError
from runner.loop.task_pool import Ended
from runner.people.analysis_sentences import (
    FACTOR_NAMES,
    Topic,
    advice_lines,
    changes_text,
    markdown,
    tables,
)
from runner.state.changes import EXECUTABLE, FILE
from runner.text.sanitize import inert_line, sanitize

BRANCH = f"{PREFIX}advice"


def _body(one: Advice, found: Analysis) -> str:
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
    return sanitize("\n\n".join(parts), links=True)


async def _looked(at: GitHubRepository, lessons: Lessons, config: RepositoryConfig) -> str:
    """Propose what is surest, and return the address of the pull request ('' for none).

    That is the first advice that nobody declined and that the file takes. Doing it twice leaves
    one. Raises ``Outage`` or ``TaskError``.
    """
    found = await lessons.advised(config) if config.adaptive.advise else None
    if found is None or not found.advice:
        return ""
    base = await at.snapshot(await at.tip())
    before = b""
    entry = base.entries.get(CONFIG_PATH)
    if entry and entry.mode in (FILE, EXECUTABLE):
        before = (await at.blobs([entry.sha]))[entry.sha]
    pulls = OfferedPulls(at, "advice")
    declined = await pulls.declined(BRANCH)
    for one in found.advice:
        content = with_keys(before, one.changes) if one.id not in declined else None
        if content is not None and content != before:
            offered = await pulls.propose(
                base,
                {CONFIG_PATH: content},
                branch=BRANCH,
                below=at.base,
                source=one.id,
                title=inert_line(f"Cairn's configuration: {changes_text(one)}"),
                body=_body(one, found),
                again=True,
            )
            return offered.url
    return ""


async def _ended(begun: Begun, ended: Ended) -> str:
    """Propose better settings after a run that worked; a refusal is not worth a word.

    A run that waits for people has worked, too: it may wait for ever.
    """
    ports = begun.ports
    worked = ended.status in ("ended", "waiting") and ended.state.attempts
    if not (worked and begun.proposes):
        return ""
    try:
        url = await _looked(ports.repository, ports.lessons, await ports.config())
    except (TaskError, ConfigError):
        return ""
    return f"Cairn learned that other settings do better here: {url}" if url else ""


def register() -> Feature:
    """Return what the feature adds."""
    return Feature(ended=_ended)
