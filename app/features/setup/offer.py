"""The one pull request that proposes what a repository lacks: a configuration, a first roadmap.

What it proposes is made from the repository's own files, from what its tests print, and from the
titles of its issues. Nothing of it is run before a person merged it: its commands may use the
network.
"""

from __future__ import annotations

from collections.abc import MutableSet, Sequence
from dataclasses import dataclass

from app.features.setup import config_offer, roadmap_offer
from app.github.one_pull import Offered, OfferedPulls
from app.github.pulls import PREFIX
from app.github.repository import GitHubRepository
from app.runs.cannot_start import cannot_start
from runner.config.model import CONFIG_PATH, RepositoryConfig
from runner.errors import Outage, TaskError
from runner.loop.deps import Deps
from runner.loop.problems import similar_roadmaps
from runner.nodes.preflight import CannotStart, first_look, has_tests, verifies
from runner.state.changes import blob_sha
from runner.state.run_state import RunState
from runner.text.sanitize import sanitize

BRANCH = f"{PREFIX}setup"
_SEVERAL = "Set Cairn up: a configuration and a first roadmap"
_HOW = (
    "- **To change something**, edit what is on this branch, then merge. Cairn does not overwrite "
    "what people push here.\n"
    "- **To use it**, {use}\n"
    "- **If you do not want it**, close this pull request. Cairn opens it again only when somebody "
    "comments `/execute setup`."
)

_COMMENT = (
    "merge this pull request and comment `/execute` on an issue. Nothing starts before it is "
    "merged, and nothing starts by merging it."
)
_MERGE = (
    "merge this pull request. Nothing starts before it is merged; then a run starts for its tasks, "
    "because the configuration says `triggers.push: execute`."
)


@dataclass(frozen=True, slots=True)
class ProposedFile:
    """A file to add; ``title`` is that of the pull request if it is the only one.

    ``body`` is what the description says of it (Markdown).
    """

    path: str
    content: bytes
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class SetUp:
    """Proposes what a repository lacks, in one pull request; runs offer it a configuration, too."""

    at: GitHubRepository

    async def answer(
        self,
        state: RunState,
        deps: Deps,
        started: MutableSet[str],
        config: RepositoryConfig,
        *,
        asked: bool,
    ) -> str:
        """Propose it; say what there is and where it is proposed (Markdown).

        ``started`` are bases whose tests were seen to start. Unless it was ``asked`` for, what
        people closed is not proposed again. Doing it twice leaves one. Raises ``Outage`` or
        ``TaskError``.
        """
        said, found = await self._tests(state, deps, started)
        base, path, label = state.stack.base, state.request.roadmap, config.roadmap.label
        settings = await self._config(base, found) if found else None
        issues = await self._issues(state, label)
        files = [settings] if settings else []
        if issues:
            content = roadmap_offer.first_roadmap(issues).encode()
            text = roadmap_offer.body(path, issues)
            files.append(ProposedFile(path, content, roadmap_offer.TITLE, text))
        starts = bool(issues) and config.triggers.push == "execute"
        offered = await self._offer(base, files, asked=asked, starts=starts) if files else ""
        parts = [said]
        if found and isinstance(offered, Offered) and settings:
            parts.append(config_offer.offer_text(found, offered))
        elif found and settings:
            parts.append(config_offer.refused(found, str(offered)))
        elif found:
            parts.append(cannot_start(found))
        if issues and isinstance(offered, Offered):
            parts.append(roadmap_offer.roadmap_text(path, issues, label, offered))
        elif issues:
            why = sanitize(str(offered), plain=True)
            parts.append(f"Cairn could not propose a `{path}`: {why}")
        elif base and not await self._has(base, path):
            tree = (await self.at.snapshot(base)).entries
            parts.append(roadmap_offer.no_issues(path, label, similar_roadmaps(path, tree)))
        return "\n\n".join(filter(None, parts))

    async def is_welcome(self, state: RunState, config: RepositoryConfig) -> bool:
        """Say whether something may be proposed unasked. Raises ``Outage`` or ``TaskError``."""
        base = state.stack.base
        if not base or await self._has(base, CONFIG_PATH):
            return False
        has_roadmap = await self._has(base, state.request.roadmap)
        return has_roadmap or bool(await self._issues(state, config.roadmap.label))

    async def offered(self, state: RunState, found: CannotStart) -> str:
        """Offer what was ``found`` to be needed; return what to tell people (Markdown).

        One that a person closed is not offered again. Doing it twice leaves one. Raises ``Outage``
        where GitHub may take it later.
        """
        file = await self._config(state.stack.base, found)
        if file is None:
            return cannot_start(found)
        offered = await self._offer(state.stack.base, [file])
        if isinstance(offered, Offered):
            return config_offer.offer_text(found, offered)
        return config_offer.refused(found, offered)

    async def close_outdated(self) -> None:
        """Close the open offer of a configuration: somebody has committed one meanwhile."""
        pulls = OfferedPulls(self.at, "setup")
        known = await pulls.known(BRANCH)
        if known and known.state == "open":
            await pulls.close(known, config_offer.THERE_NOW)

    async def _has(self, commit: str, path: str) -> bool:
        return path in (await self.at.snapshot(commit)).entries

    async def _issues(self, state: RunState, label: str) -> Sequence[roadmap_offer.LabelledIssue]:
        """The issues that are to become tasks; () where there is a roadmap."""
        base = state.stack.base
        if not base or await self._has(base, state.request.roadmap):
            return ()
        return await roadmap_offer.labelled(self.at.api, label)

    async def _tests(
        self, state: RunState, deps: Deps, started: MutableSet[str]
    ) -> tuple[str, CannotStart | None]:
        """Say how the tests stand (Markdown), and what keeps them from starting."""
        there = await self._has(state.stack.base, CONFIG_PATH)
        tip = await self.at.snapshot(state.stack.tip)
        if not verifies(state) or not await has_tests(state, deps, tip):
            return (config_offer.NO_TESTS_WITH_FILE if there else config_offer.NO_TESTS), None
        found = await first_look(state, deps, started)
        if found is None:
            return (config_offer.STARTS_WITH_FILE if there else config_offer.STARTS), None
        return (config_offer.HAS_FILE if there else ""), found

    async def _config(self, base: str, found: CannotStart) -> ProposedFile | None:
        """The file that lets the tests start; None if nothing is known to help, or it is there."""
        if not found.proposed or await self._has(base, CONFIG_PATH):
            return None
        content, text = found.proposed.encode(), config_offer.body(found)
        return ProposedFile(CONFIG_PATH, content, config_offer.TITLE, text)

    async def _offer(
        self,
        commit: str,
        files: Sequence[ProposedFile],
        *,
        asked: bool = False,
        starts: bool = False,
    ) -> Offered | str:
        """Offer files on top of a commit, all in one pull request; or say why GitHub refuses it.

        To merge it ``starts`` a run. Raises ``Outage`` where GitHub may take it later.
        """
        how = _HOW.format(use=_MERGE if starts else _COMMENT)
        try:
            return await OfferedPulls(self.at, "setup").propose(
                await self.at.snapshot(commit),
                {file.path: file.content for file in files},
                branch=BRANCH,
                below=self.at.base,
                source="-".join(blob_sha(file.content) for file in files),
                title=files[0].title if len(files) == 1 else _SEVERAL,
                body="\n\n".join([*(file.body for file in files), how]),
                again=asked,
            )
        except (TaskError, Outage) as refused:
            if isinstance(refused, Outage) and refused.kind != "permission":
                raise
            return refused.message
