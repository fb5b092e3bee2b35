"""The control side of pull requests: what people do to them, each with the webhook GitHub sends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.fake_github import payloads, review_threads, ripple
from tests.fake_github.courier import Courier
from tests.fake_github.graphql_changes import missing_approvals
from tests.fake_github.merging import merge_commit
from tests.fake_github.routes_checks import apply_check, check_run, new_check, new_status
from tests.fake_github.state import Issue, Pull, Review, ReviewThread
from tests.fake_github.world import World


class PullActions:
    """Methods about pull requests; the status the app answered the webhook with comes back."""

    world: World
    courier: Courier

    async def open_pull(
        self,
        repository: str,
        title: str,
        *,
        head: str,
        base: str = "",
        by: str = "writer",
        fork: bool = False,
    ) -> Issue:
        """Open a person's pull request and send pull_request.opened.

        The branch of a ``fork`` is kept in the repository itself, but shown as another one's.
        """
        repo, who = self.world.repo(repository), self.world.user(by)
        base = base or repo.default_branch
        refs = repo.bare.refs()
        issue = self.world.open_issue(repo, who, title, "")
        tips = refs[f"refs/heads/{head}"], refs[f"refs/heads/{base}"]
        issue.pull = Pull(issue.id, head, base, *tips, fork=repo.id + 1_000 if fork else 0)
        ripple.point(repo, issue)
        await self.courier.tell([payloads.pull(self.world, "opened", repo, issue, who)])
        return issue

    async def review(
        self,
        repository: str,
        number: int,
        state: str,
        body: str = "",
        *,
        by: str = "writer",
        of: str = "",
        on: Sequence[tuple[str, int, int, str]] = (),
        side: str = "RIGHT",
    ) -> int:
        """Review a pull request: APPROVED, CHANGES_REQUESTED or COMMENTED.

        ``of`` is the commit they looked at (its head), ``on`` are comments on lines of files (path,
        first, last, text; ``side`` LEFT: lines of the base). Each sends an event of its own, as on
        GitHub.
        """
        repo, who = self.world.repo(repository), self.world.user(by)
        issue = repo.issues[number]
        assert issue.pull is not None, f"#{number} is no pull request"
        now, sha = self.world.clock.now(), of or issue.pull.sha
        made = Review(next(self.world.ids), who, body, state, sha, now)
        issue.reviews.append(made)
        events = [payloads.review(self.world, repo, issue, made, who)]
        for path, start, end, text in on:
            seen = sha if side == "RIGHT" else issue.pull.base_sha
            assert repo.bare.at(seen, path), f"{path} is not in {seen}"
            thread = ReviewThread(next(self.world.ids), path, start, end, sha, side=side)
            comment = review_threads.add(self.world, issue, thread, who, text, made)
            events.append(review_threads.comment_created(self.world, repo, issue, thread, comment))
        if (armed := issue.pull.auto_merge) and not missing_approvals(repo, issue):
            events += merge_commit(self.world, repo, issue, armed[0], armed[1])[1]
        return await self.courier.tell(events)

    async def reply_in_thread(
        self, repository: str, number: int, thread: ReviewThread, body: str, *, by: str = "writer"
    ) -> int:
        """Reply to a comment on lines: GitHub makes a review of it."""
        repo, who = self.world.repo(repository), self.world.user(by)
        issue = repo.issues[number]
        assert issue.pull is not None, f"#{number} is no pull request"
        made = Review(
            next(self.world.ids), who, "", "COMMENTED", issue.pull.sha, self.world.clock.now()
        )
        issue.reviews.append(made)
        comment = review_threads.add(self.world, issue, thread, who, body, made)
        events = [
            review_threads.comment_created(self.world, repo, issue, thread, comment),
            payloads.review(self.world, repo, issue, made, who),
        ]
        return await self.courier.tell(events)

    async def ready(
        self, repository: str, number: int, *, draft: bool = False, by: str = "writer"
    ) -> int:
        """Mark a pull request as ready for review (or as a draft again)."""
        repo, who = self.world.repo(repository), self.world.user(by)
        event = ripple.drafted(self.world, repo, repo.issues[number], who, draft=draft)
        return await self.courier.tell(event)

    async def merge_pull(
        self, repository: str, number: int, *, by: str = "writer", method: str = "merge"
    ) -> int:
        """Merge (or squash) a pull request by hand; GitHub has no such button on a draft."""
        repo, who = self.world.repo(repository), self.world.user(by)
        issue = repo.issues[number]
        assert issue.pull is not None, f"#{number} is no pull request"
        assert not issue.pull.draft, f"#{number} is a draft: mark it ready first"
        assert method in repo.merge_methods, f"{repo.full_name} has no button for {method}"
        _, events = merge_commit(self.world, repo, issue, who, method)
        return await self.courier.tell(events)

    async def close(self, repository: str, number: int, *, by: str = "writer") -> int:
        """Close an issue or pull request (unmerged)."""
        return await self._state(repository, number, "closed", by)

    async def reopen(self, repository: str, number: int, *, by: str = "writer") -> int:
        """Open it again."""
        return await self._state(repository, number, "open", by)

    async def _state(self, repository: str, number: int, state: str, by: str) -> int:
        repo, who = self.world.repo(repository), self.world.user(by)
        issue = repo.issues[number]
        self.world.set_state(issue, state, who)
        tell = payloads.pull if issue.pull else payloads.issue
        action = "closed" if state == "closed" else "reopened"
        return await self.courier.tell([tell(self.world, action, repo, issue, who)])

    async def check(
        self,
        repository: str,
        commit: str,
        conclusion: str | None,
        *,
        name: str = "ci",
        output: Mapping[str, object] | None = None,
        log: str = "",
    ) -> int:
        """A check of GitHub Actions begins on a commit (None) or ends there; the webhook's status.

        GitHub names whoever pushed the commit as its sender; here that is our App.
        """
        repo = self.world.repo(repository)
        same = (r for r in repo.checks.values() if (r["head_sha"], r["name"]) == (commit, name))
        run = next(same, None) or new_check(self.world, repo, {"name": name, "head_sha": commit})
        run["app"], run["log"] = {"id": 15368, "slug": "github-actions"}, log
        ended = {"conclusion": conclusion} if conclusion else {"status": "in_progress"}
        apply_check(self.world, run, {**ended, "output": dict(output or {})})
        shape, action = check_run(self.world, repo, run), "completed" if conclusion else "created"
        event = payloads.check_run(self.world, action, repo, shape, self.world.app.bot)
        return await self.courier.tell([event])

    async def status(
        self,
        repository: str,
        commit: str,
        state: str,
        *,
        context: str = "ci/jenkins",
        description: str = "",
        by: str = "jenkins",
    ) -> int:
        """A CI that makes no check runs sets a commit status; the webhook's status."""
        repo, who = self.world.repo(repository), self.world.user(by)
        url = f"https://jenkins.example/{context}"
        body = {"state": state, "context": context, "target_url": url}
        said = body | {"description": description or None}
        shape = new_status(self.world, repo, commit, said, who)
        return await self.courier.tell([payloads.status(self.world, repo, commit, shape, who)])

    async def queue(self, repository: str, number: int, *, by: str = "writer") -> str:
        """Put a pull request into a merge queue, which asks for checks of a commit; that commit."""
        repo, who = self.world.repo(repository), self.world.user(by)
        issue = repo.issues[number]
        assert issue.pull is not None, f"#{number} is no pull request"
        head = issue.pull.sha  # up to date with its base: the queue needs no other commit
        group = {"head_sha": head, "base_sha": issue.pull.base_sha}
        parts = (self.world, "merge_group", "checks_requested", repo, who)
        await self.courier.tell([payloads.happening(*parts, merge_group=group)])
        return head

    async def rerun(self, repository: str, check: int, *, by: str) -> int:
        """Click *Re-run* at a check run (check_run.rerequested); the run itself stays as it is."""
        repo, who = self.world.repo(repository), self.world.user(by)
        shape = check_run(self.world, repo, repo.checks[check])
        return await self.courier.tell(
            [payloads.check_run(self.world, "rerequested", repo, shape, who)]
        )

    async def rerun_all(self, repository: str, check: int, *, by: str) -> int:
        """Click *Re-run all checks* where a check run is (check_suite.rerequested)."""
        repo, who = self.world.repo(repository), self.world.user(by)
        shape = check_run(self.world, repo, repo.checks[check])
        return await self.courier.tell([payloads.check_suite(self.world, repo, shape, who)])

    async def click(self, repository: str, check: int, identifier: str, *, by: str) -> int:
        """Click a button of a completed check run (check_run.requested_action)."""
        repo, who = self.world.repo(repository), self.world.user(by)
        run = repo.checks[check]
        known = {a["identifier"] for a in run["actions"]}
        assert identifier in known, f"no button {identifier}, only {known}"
        assert run["status"] == "completed", "buttons are shown on completed runs only"
        shape = check_run(self.world, repo, run)
        parts = (self.world, "requested_action", repo, shape, who)
        event = payloads.check_run(*parts, requested_action={"identifier": identifier})
        return await self.courier.tell([event])
