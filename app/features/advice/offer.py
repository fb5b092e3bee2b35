"""Propose better settings as one pull request on ``.github/cairn.yml``, from what was recorded.

Merging it is the approval. At most one is open; one that a person closed is a no to the same
change.
"""

from __future__ import annotations

from app.github.one_pull import OfferedPulls
from app.github.pulls import PREFIX
from app.github.repository import GitHubRepository
from app.runs.lessons import UNASKED, Lessons
from runner.analysis.advice import Advice
from runner.analysis.recorded import Analysis
from runner.config.editing import with_keys
from runner.config.model import CONFIG_PATH, RepositoryConfig
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


async def look_for_advice(at: GitHubRepository, lessons: Lessons, config: RepositoryConfig) -> str:
    """Propose what is surest, and return the address of the pull request ('' for none).

    That is the first advice that nobody declined and that the file takes. Doing it twice leaves
    one. Raises ``Outage`` or ``TaskError``.
    """
    if not config.adaptive.advise:
        return ""
    found = await lessons.analysis(config, error=UNASKED)
    if not found.advice:
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
                title=inert_line(title(one)),
                body=body(one, found),
                again=True,
            )
            return offered.url
    return ""
