"""The one pull request that proposes what a repository lacks: a configuration, a first roadmap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.github.one_pull import Offered, OfferedPulls, of_files
from app.github.pulls import PREFIX
from runner.errors import Outage, TaskError
from runner.ports import Repository
from runner.state.changes import blob_sha

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


class SetupPulls:
    """``branch`` is the default branch of the repository, ``run`` in whose name it is proposed."""

    def __init__(
        self, repository: Repository, pulls: OfferedPulls, *, branch: str, run: str
    ) -> None:
        self._repository = repository
        self._pulls = pulls
        self._branch = branch
        self._run = run

    async def offer(
        self,
        commit: str,
        files: Sequence[ProposedFile],
        *,
        asked: bool = False,
        starts: bool = False,
    ) -> Offered | str:
        """Offer files on top of a commit, all in one pull request; or say why GitHub refuses it.

        One that a person closed is offered again only if it was ``asked`` for; to merge it
        ``starts`` a run. Doing it twice leaves one. Raises ``Outage`` where GitHub may take it
        later.
        """
        how = _HOW.format(use=_MERGE if starts else _COMMENT)
        try:
            return await self._offered(commit, files, how, asked=asked)
        except TaskError as error:
            return error.message
        except Outage as outage:
            if outage.kind != "permission":
                raise
            return outage.message

    async def close(self, why: str) -> None:
        """Close the open one. Raises ``Outage`` or ``TaskError``."""
        known = await self._pulls.known(BRANCH)
        if known and known.state == "open":
            await self._pulls.close(known, why)

    async def _offered(
        self, commit: str, files: Sequence[ProposedFile], how: str, *, asked: bool
    ) -> Offered:
        source = "-".join(blob_sha(file.content) for file in files)
        known = await self._pulls.known(BRANCH)
        if known and known.state == "declined" and not asked:
            return known
        if known and known.state == "open" and known.source == source:
            return known
        shown = of_files(
            {file.path: file.content for file in files},
            await self._repository.snapshot(commit),
            run=self._run,
            branch=BRANCH,
            below=self._branch,
            parent=commit,
            title=files[0].title if len(files) == 1 else _SEVERAL,
            body="\n\n".join([*(file.body for file in files), how]),
        )
        return await self._pulls.offer(shown, source)
