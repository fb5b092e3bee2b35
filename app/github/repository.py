"""The ``Repository`` port on GitHub: read from the mirror, published through the API.

Every effect looks before it creates, and looking means comparing (DESIGN §7): after a failure at
any point the same call again finishes what is missing and doubles nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from gidgethub.abc import GitHubAPI

from app.github.commits import Commit, Commits
from app.github.markers import marked, marker, with_markers
from app.github.mirror import Mirror
from app.github.pulls import Pulls
from app.github.refusals import told_of_workflows
from app.github.repository_api import RepositoryApi, ref_path
from app.github.stack import standing
from runner.adapters.git_objects import MissingBlobs
from runner.errors import Outage, TaskError
from runner.ports import Checkpoint, Published, Stack
from runner.snapshot import Snapshot


class GitHubRepository:
    """One repository on GitHub, for one run.

    ``client`` is authenticated for the installation, ``token`` gives a fresh installation token
    for git, ``bot_login`` is our App's (``SLUG[bot]``), ``base`` the branch the stack stands on,
    ``issue`` the number of the issue the run was asked for in (None: there is none).
    """

    def __init__(
        self,
        client: GitHubAPI,
        *,
        full_name: str,
        base: str,
        roadmap: str,
        run: str,
        bot_login: str,
        server_url: str,
        token: Callable[[], Awaitable[str]],
        mirror: Mirror,
        issue: int | None = None,
    ) -> None:
        self._api = RepositoryApi(client, full_name)
        self._commits = Commits(self._api)
        self._pulls = Pulls(self._api, bot_login=bot_login, roadmap=roadmap)
        self._base, self._roadmap, self._run = base, roadmap, run
        self._bot_login, self._issue = bot_login, issue
        self._url = f"{server_url.rstrip('/')}/{full_name}.git"
        self._token, self._mirror = token, mirror

    async def stack(self) -> Stack:
        """Find the tip of what is not merged yet, across runs. Raises ``Outage``."""
        found = standing(await self._pulls.all(), base=self._base, roadmap=self._roadmap)
        if found.top:
            tip, branch = found.top.sha, found.top.head
        else:
            tip, branch = await self._base_commit(), self._base
        return Stack(tip, branch, found.in_review, found.declined)

    async def snapshot(self, commit: str) -> Snapshot:
        """Return the exact tree of a commit, fetched when it is not here yet.

        Raises ``TaskError`` when GitHub does not have the commit, ``Outage`` otherwise.
        """
        await self._mirror.fetch(commit, url=self._url, token=self._token)
        return await self._mirror.objects.snapshot(commit)

    async def blobs(self, shas: Sequence[str]) -> dict[str, bytes]:
        """Return contents by blob sha; what a remade mirror lacks is asked of GitHub."""
        try:
            return await self._mirror.objects.blobs(shas)
        except MissingBlobs as missing:
            asked = {sha: await self._commits.blob(sha) for sha in missing.shas}
        rest = [sha for sha in shas if sha not in asked]
        return {**asked, **await self._mirror.objects.blobs(rest)}

    async def publish_checkpoint(self, checkpoint: Checkpoint) -> Published:
        """Publish commit, branch and pull request; whatever is there already is kept.

        Raises ``TaskError`` when GitHub refuses it or the branch is somebody else's.
        """
        with told_of_workflows(checkpoint.changes.files):
            commit = await self._published(checkpoint) or await self._publish(checkpoint)
        pull = await self._pulls.ensure(checkpoint)
        return Published(commit, checkpoint.branch, pull.number, pull.url)

    async def publish_escalation(self, task: str, title: str, body: str) -> str:
        """Comment once for a task of this run on the run's issue; return the comment's URL."""
        if self._issue is None:
            return ""
        name = f"{self._run}:{task}"
        path = f"issues/{self._issue}/comments"
        async for each in self._api.items(f"{path}?per_page=100", "list the issue's comments"):
            author = (each["user"] or {}).get("login")
            if author == self._bot_login and marked(each["body"], "escalation") == name:
                return str(each["html_url"])
        text = with_markers([marker("escalation", name)], f"### {title}\n\n{body}")
        made = await self._api.post(path, {"body": text}, f"comment on issue {self._issue}")
        return str(made["html_url"])

    async def _base_commit(self) -> str:
        ref = await self._api.find(ref_path(self._base), "show the base branch", refused=Outage)
        if ref is None:
            raise Outage(
                "github",
                f"{self._api.full_name} has no branch {self._base}."
                " Push a first commit there, or run on another branch.",
            )
        return str(ref["object"]["sha"])

    async def _published(self, checkpoint: Checkpoint) -> str | None:
        """Return the checkpoint's commit when its branch is there and ours."""
        head = await self._commits.head(checkpoint.branch)
        if head is None:
            return None
        if not _is(head, checkpoint):
            raise TaskError(
                "github",
                f"Branch {checkpoint.branch} is there already and holds another tree; Cairn takes"
                " nothing over. Delete or rename it, then run the task again.",
            )
        return head.sha

    async def _publish(self, checkpoint: Checkpoint) -> str:
        base = await self.snapshot(checkpoint.parent)
        made = await self._commits.create(checkpoint, base)
        if await self._commits.point(checkpoint.branch, made.sha):
            return made.sha
        ours = await self._published(checkpoint)
        if ours is None:
            said = f"Branch {checkpoint.branch} came and went while it was published; try again."
            raise Outage("github", said)
        return ours


def _is(head: Commit, checkpoint: Checkpoint) -> bool:
    return head.tree == checkpoint.tree and head.parents == (checkpoint.parent,)
