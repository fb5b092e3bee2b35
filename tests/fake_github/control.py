"""The control side: what people do on this GitHub, as plain Python calls."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.fake_github import git_shapes, payloads, ripple, shapes
from tests.fake_github.bare import Bare, Person, write_files
from tests.fake_github.faults import Fault
from tests.fake_github.pull_actions import PullActions
from tests.fake_github.spec import load
from tests.fake_github.stack_actions import StackActions
from tests.fake_github.state import App, Comment, Delivery, Issue, Repo, User
from tests.fake_github.world import EVENTS, PERMISSIONS, SECRET, Happening

ROLES = ("admin", "maintain", "write", "triage", "read")


class Control(PullActions, StackActions):
    """Methods that change the state; those with ``await`` send webhooks and return the status."""

    def create_app(
        self,
        slug: str = "cairn",
        *,
        id: int = 12345,
        webhook_secret: str = SECRET,
        permissions: Mapping[str, str] = PERMISSIONS,
        events: tuple[str, ...] = tuple(EVENTS),
    ) -> App:
        """Set the App up anew; call it before repositories are added."""
        return self.world.create_app(
            slug,
            id=id,
            webhook_secret=webhook_secret,
            permissions=dict(permissions),
            events=list(events),
        )

    def add_user(self, login: str, *, id: int | None = None, type: str = "User") -> User:
        """Make an account (it is also made when first named)."""
        return self.world.user(login, id=id, type=type)

    def set_role(self, repository: str, login: str, role: str | None) -> None:
        """Make someone admin, maintain, write, triage or read; None takes it away."""
        assert role is None or role in ROLES, f"{role} is none of {ROLES}"
        roles, who = self.world.repo(repository).roles, self.world.user(login)
        roles.pop(who.id, None) if role is None else roles.update({who.id: role})

    def add_repository(
        self,
        full_name: str,
        files: Mapping[str, object] | None = None,
        *,
        source: Path | None = None,
        private: bool = False,
        branch: str = "main",
        roles: Mapping[str, str] | None = None,
    ) -> Repo:
        """Make a repository from files (path → bytes, str, (mode, bytes)) or a bare one on disk.

        A symlink is ("120000", target). ``roles`` maps login to role.
        """
        path = self.world.folder / f"{full_name}.git"
        path.parent.mkdir(parents=True, exist_ok=True)
        bare = Bare.copy(source, path) if source else Bare.create(path, branch=branch)
        if source:
            branch = bare.text("symbolic-ref", "--short", "HEAD")
        repo = self.world.add_repository(full_name, bare, private=private, branch=branch)
        for login, role in (roles or {}).items():
            self.set_role(full_name, login, role)
        if files is not None:
            self._commit(repo, branch, files, "Begin", repo.owner)
        return repo

    def _commit(
        self, repo: Repo, branch: str, files: Mapping[str, object], message: str, by: User
    ) -> str:
        ref = f"refs/heads/{branch}"
        start = repo.bare.resolve(ref) or repo.bare.resolve(f"refs/heads/{repo.default_branch}")
        tree = write_files(repo.bare, start and repo.bare.resolve(start, "tree"), files)
        mail = f"{by.login}@users.noreply.github.com"
        author = Person(by.login, mail, self.world.clock.now())
        sha = repo.bare.commit(tree, [start] if start else [], f"{message}\n", author=author)
        repo.bare.update(ref, sha)
        return sha

    async def push(
        self,
        repository: str,
        files: Mapping[str, object],
        *,
        branch: str = "",
        message: str = "Change",
        by: str = "writer",
    ) -> int:
        """Commit files on a branch (made from the default branch); None deletes a path."""
        repo, who = self.world.repo(repository), self.world.user(by)
        before = repo.bare.refs()
        self._commit(repo, branch or repo.default_branch, files, message, who)
        return await self.courier.tell(ripple.moved(self.world, repo, before, who))

    async def move_branch(
        self, repository: str, branch: str, sha: str | None, *, by: str = "writer"
    ) -> int:
        """Force a branch to a commit, make it, or delete it (None)."""
        repo, who = self.world.repo(repository), self.world.user(by)
        before = repo.bare.refs()
        repo.bare.update(f"refs/heads/{branch}", sha)
        return await self.courier.tell(ripple.moved(self.world, repo, before, who))

    async def delete_branch(self, repository: str, branch: str, *, by: str = "writer") -> int:
        """Delete a branch: push (deleted) is sent, and its open pull requests close."""
        return await self.move_branch(repository, branch, None, by=by)

    def open_issue(
        self, repository: str, title: str, body: str = "", *, by: str = "writer"
    ) -> Issue:
        """Open an issue without telling the app; ``.number`` is its number."""
        repo = self.world.repo(repository)
        return self.world.open_issue(repo, self.world.user(by), title, body)

    async def label(self, repository: str, number: int, name: str, *, by: str = "writer") -> int:
        """Put a label on an issue and send issues.labeled; who may triage can do that."""
        repo, who = self.world.repo(repository), self.world.user(by)
        issue, one = repo.issues[number], self.world.label(repo, name)
        assert self.world.role(repo, who) in ("admin", "maintain", "write", "triage"), by
        issue.labels.append(one)
        issue.updated = self.world.clock.now()
        shape = shapes.label(self.world, repo, one)
        return await self.courier.tell(
            [payloads.issue(self.world, "labeled", repo, issue, who, label=shape)]
        )

    async def edit_issue(self, repository: str, number: int, body: str, *, by: str) -> int:
        """Change the text of an issue and send issues.edited, as a click on a checkbox does.

        Only its author and who may write to the repository can do that
        (https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories/managing-repository-roles/repository-roles-for-an-organization).
        """
        repo, who = self.world.repo(repository), self.world.user(by)
        issue = repo.issues[number]
        may = self.world.role(repo, who) in ("admin", "maintain", "write")
        assert may or who is issue.user, f"{by} cannot edit #{number}"
        changes = {"body": {"from": issue.body or ""}}
        issue.body, issue.updated = body, self.world.clock.now()
        event = payloads.issue(self.world, "edited", repo, issue, who, changes=changes)
        return await self.courier.tell([event])

    async def delete_issue(self, repository: str, number: int, *, by: str = "admin") -> int:
        """Delete an issue with all that was said in it: its number is never given again."""
        repo, who = self.world.repo(repository), self.world.user(by)
        event = payloads.issue(self.world, "deleted", repo, repo.issues[number], who)
        del repo.issues[number]
        repo.deleted.add(number)
        return await self.courier.tell([event])

    async def comment(self, repository: str, number: int, body: str, *, by: str = "writer") -> int:
        """Comment and send issue_comment.created; return the status the app answered."""
        repo, who = self.world.repo(repository), self.world.user(by)
        issue = repo.issues[number]
        made = self.world.add_comment(issue, who, body)
        event = payloads.comment(self.world, "created", repo, issue, made, who)
        return await self.courier.tell([event])

    async def edit_comment(self, comment: Comment, body: str, *, by: str = "writer") -> int:
        """Edit any comment and send issue_comment.edited."""
        repo, issue, _ = self.world.find_comment(comment.id)
        old, who = comment.body, self.world.user(by)
        self.world.edit_comment(comment, who, body)
        parts = (self.world, "edited", repo, issue, comment, who)
        event = payloads.comment(*parts, changes={"body": {"from": old}})
        return await self.courier.tell([event])

    async def delete_comment(self, comment: Comment, *, by: str = "writer") -> int:
        """Delete any comment and send issue_comment.deleted."""
        repo, issue, _ = self.world.find_comment(comment.id)
        parts = (self.world, "deleted", repo, issue, comment, self.world.user(by))
        event = payloads.comment(*parts)
        self.world.forget_comment(comment.id)
        return await self.courier.tell([event])

    def react(self, to: Comment | Issue, content: str, *, by: str = "writer") -> None:
        """React (+1 -1 laugh confused heart hooray rocket eyes); GitHub tells nobody."""
        self.world.react(to.reactions, self.world.user(by), content)

    async def rename(self, old: str, new: str, *, by: str = "writer") -> int:
        """Rename a repository: the old name redirects from now on."""
        repo = self._move(old, new)
        name, who = old.split("/")[1], self.world.user(by)
        return await self.courier.tell([payloads.renamed(self.world, repo, name, who)])

    async def transfer(self, repository: str, owner: str, *, by: str = "admin") -> int:
        """Give a repository to another owner; that one's installation hears of it."""
        before, name = repository.split("/")
        repo, who = self._move(repository, f"{owner}/{name}"), self.world.user(by)
        before_that = self.world.user(before)
        return await self.courier.tell([payloads.transferred(self.world, repo, before_that, who)])

    def _move(self, old: str, new: str) -> Repo:
        repo = self.world.repositories.pop(old.lower())
        self.world.renamed[old.lower()] = repo.id
        self.world.renamed.pop(new.lower(), None)
        path = self.world.folder / f"{new}.git"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(repo.bare.path, path)
        repo.bare.path = path
        repo.owner, repo.name = self.world.user(new.split("/")[0]), new.split("/")[1]
        self.world.repositories[new.lower()] = repo
        return repo

    async def archive(self, repository: str, *, archived: bool = True, by: str = "admin") -> int:
        """Archive a repository, or unarchive it: while it is archived nobody can change it."""
        repo, who = self.world.repo(repository), self.world.user(by)
        repo.archived = archived
        action = "archived" if archived else "unarchived"
        return await self.courier.tell(
            [payloads.happening(self.world, "repository", action, repo, who)]
        )

    async def hide(self, repository: str, *, by: str = "admin") -> int:
        """Make a repository private."""
        repo, who = self.world.repo(repository), self.world.user(by)
        repo.private = True
        return await self.courier.tell(
            [payloads.happening(self.world, "repository", "privatized", repo, who)]
        )

    async def lock(
        self, repository: str, number: int, *, locked: bool = True, by: str = "admin"
    ) -> int:
        """Lock a conversation, or unlock it."""
        repo, who = self.world.repo(repository), self.world.user(by)
        repo.issues[number].locked = locked
        action = "locked" if locked else "unlocked"
        event = payloads.issue(self.world, action, repo, repo.issues[number], who)
        return await self.courier.tell([event])

    async def install(self, *repositories: str) -> int:
        """Tell the App that it was installed on some repositories, which it can use already."""
        found = [self.world.repo(name) for name in repositories]
        one = self.world.installation_of(found[0].owner)
        assert one is not None
        return await self.courier.tell([payloads.installed(self.world, one, found)])

    async def suspend(self, repository: str, *, suspended: bool = True) -> int:
        """Suspend (or lift the suspension of) the installation that covers a repository."""
        one = self.world.installation_of(self.world.repo(repository).owner)
        assert one is not None
        one.suspended = self.world.clock.now() if suspended else None
        action = "suspend" if suspended else "unsuspend"
        return await self.courier.tell([payloads.installation(self.world, action, one)])

    async def uninstall(self, repository: str) -> int:
        """Take the App off the account of a repository: its tokens end at once."""
        one = self.world.installation_of(self.world.repo(repository).owner)
        assert one is not None
        told = payloads.installation(self.world, "deleted", one)
        del self.world.installations[one.id]
        for text in [t.text for t in self.world.tokens.values() if t.installation is one]:
            del self.world.tokens[text]
        return await self.courier.tell([told])

    async def select(self, repository: str, *, selected: bool) -> int:
        """Add a repository to the installation that covers its account, or remove it there."""
        repo = self.world.repo(repository)
        one = self.world.installation_of(repo.owner)
        assert one is not None
        change = one.excluded.discard if selected else one.excluded.add
        change(repo.id)
        action = "added" if selected else "removed"
        return await self.courier.tell(
            [payloads.installation_repositories(self.world, action, one, repo)]
        )

    async def redeliver(self, delivery: Delivery) -> int:
        """Send an earlier delivery again, with the same GUID."""
        await self.courier.settle()
        return await self.courier.send(self.courier.again(delivery))

    async def send(self, body: bytes, headers: Mapping[str, str]) -> int:
        """Post anything to the webhook address (bad signature, missing headers, no JSON)."""
        return await self.courier.post(body, dict(headers))

    def signed(self, delivery: Delivery) -> tuple[bytes, dict[str, str]]:
        """Body and good headers of a delivery, to be spoiled and handed to ``send``."""
        body = json.dumps(delivery.payload).encode()
        return body, self.courier.headers(delivery, body)

    async def tell(self, happening: Happening) -> int:
        """Send any webhook made with ``payloads`` (checked against its schema)."""
        return await self.courier.tell([happening])

    async def settle(self) -> None:
        """Wait until the webhooks caused by the app's own requests are answered."""
        await self.courier.settle()

    def fail(self, method: str, path: str, **how: Any) -> Fault:
        """Let coming requests go wrong; ``how`` is what ``Fault`` takes."""
        if not {"status", "drop", "hold", "slow"} & set(how):
            how["status"] = 502
        made = Fault(method, path, **how)
        self.world.faults.append(made)
        return made

    def rate_limit(self, kind: str, method: str = "*", path: str = "*", **how: Any) -> Fault:
        """Let requests run into a limit: ``primary``, ``secondary`` or ``429``."""
        when = "primary rate limit" if kind == "primary" else "secondary rate limit"
        known = next(e for e in load("error-messages.json")["errors"] if e["when"] == when)
        headers = dict(known["headers"])
        if kind == "primary":
            headers["x-ratelimit-limit"] = "5000"
            headers["x-ratelimit-reset"] = str(int(self.world.window().timestamp()))
        else:
            headers["x-ratelimit-remaining"] = "4000"
        status = 429 if kind == "429" else known["status"]
        body = {"message": known["message"]}
        return self.fail(method, path, status=status, body=body, **{"headers": headers} | how)

    def forgive(self, pattern: str) -> None:
        """Take expected violations (a regular expression) off the list. Raises when none is."""
        kept = [v for v in self.world.violations if not re.search(pattern, v)]
        assert len(kept) < len(self.world.violations), f"no violation matches {pattern!r}"
        self.world.violations[:] = kept

    def pull_body(self, repository: str, number: int) -> dict[str, Any]:
        """A pull request as the API shows it."""
        repo = self.world.repo(repository)
        return git_shapes.pull(self.world, repo, repo.issues[number])
