"""Reviews of a checkpoint's pull request: what they ask for, one more commit, replies in threads.

Only GraphQL knows threads and can resolve them
(https://docs.github.com/en/graphql/reference/objects#pullrequestreviewthread).
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markdown_it import MarkdownIt

from app.github.api import RepositoryApi
from app.github.broken import broken_pull
from app.github.comments import marker, section, with_markers
from app.github.commits import Branches, Commit, Commits
from app.github.conflicts import conflicting
from app.github.failing import ChecksRead, FailingChecks
from app.github.owned import in_form, line_of
from app.github.pulls import Pull, Pulls, checkpoint_markers, read_pull
from app.github.three_way import Blobs, Versions
from handlers.events import User
from runner.errors import BranchMoved, Outage, TaskError
from runner.people.fix_sentences import not_fixable
from runner.people.revision_sentences import not_open, not_ours, redone_line, revised_line
from runner.people.sentences import shared_branch
from runner.state.changes import Snapshot
from runner.state.publishing import Checkpoint
from runner.state.revising import (
    Conflict,
    Point,
    Revision,
    RevisionRequest,
    Suggestion,
    UnclearChecks,
)

_LOG = logging.getLogger(__name__)

_MOST_POINTS = 30
_LONGEST = 4_000
"""Characters of one comment that are read."""

_MOST_PAGES = 10
_THREADS = """query($pull: ID!, $after: String) { node(id: $pull) { ... on PullRequest {
  reviewThreads(first: 50, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id isResolved path line startLine diffSide
      comments(first: 50) { nodes {
        databaseId body
        author { login ... on User { databaseId } }
        pullRequestReview { databaseId }
      } }
    }
  }
} } }"""
_RESOLVE = """mutation($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { clientMutationId }
}"""


@dataclass(frozen=True, slots=True)
class _Comment:
    id: int
    review: int
    author: User | None
    body: str


@dataclass(frozen=True, slots=True)
class _Thread:
    """One thread; the lines are those on the head (0 where they are not there any more)."""

    id: str
    resolved: bool
    path: str
    start: int
    end: int
    comments: tuple[_Comment, ...]


@dataclass(frozen=True, slots=True)
class ThreadReply:
    """What is answered in a thread, and whether it is resolved with that."""

    thread: str
    text: str
    resolves: bool


class ReviewedPulls:
    """The ``Reviews`` port on GitHub, for one run.

    ``may_ask`` says whether somebody's words count, ``base`` finds the head of the base branch,
    ``run`` is the run's id.
    """

    def __init__(
        self,
        api: RepositoryApi,
        *,
        pulls: Pulls,
        commits: Commits,
        branches: Branches,
        snapshot: Callable[[str], Awaitable[Snapshot]],
        blobs: Blobs,
        base: Callable[[], Awaitable[str]],
        may_ask: Callable[[User], Awaitable[bool]],
        failing: FailingChecks | None = None,
        bot_login: str,
        run: str,
        roadmap: str,
    ) -> None:
        self._api, self._pulls, self._commits, self._branches = api, pulls, commits, branches
        self._snapshot, self._may_ask, self._bot_login = snapshot, may_ask, bot_login
        self._blobs = blobs
        self._run, self._roadmap, self._base = run, roadmap, base
        self._known: dict[int, bool] = {}
        self._failing = failing

    async def asked(self, request: RevisionRequest) -> Revision:
        """Return what a revision is about, as it is now.

        Raises ``TaskError`` if the pull request cannot be revised, ``Outage``.
        """
        if request.fix:
            return await self._broken(request)
        pull = await self._pull(request.pull)
        if request.conflict:
            return await self._in_conflict(pull, request)
        found = await self._now(pull)
        if request.failing:
            read = await self._read(found.head, pull.base, request)
            found = replace(found, repairs=True, unclear=UnclearChecks(read.silent, read.unread))
            return replace(found, points=read.points, by=request.by)
        points = tuple(await self._points(pull, request))[:_MOST_POINTS]
        return replace(found, points=points, by=request.by)

    async def _in_conflict(self, pull: Pull, request: RevisionRequest) -> Revision:
        """What is in conflict with the newest base; no points if a person pushed to the branch.

        What this run made of the head already is not another one. Another attempt may have changed
        the branch since this one was asked for, and the base once more: that is its conflict then.
        """
        head, below = await self._commits.head(pull.head), await self._commits.head(pull.base)
        if head is None or below is None:
            raise TaskError("github", not_open(pull.head))
        found = Revision(
            pull=pull.number,
            url=pull.url,
            tasks=pull.tasks,
            branch=pull.head,
            head=request.conflict,
            fork=below.sha,
            below=pull.base,
            base=await self._base(),
        )
        start = request.start
        if head.sha != request.conflict and head.run != self._run:
            if not await self._commits.ours(head):
                return found
            found = replace(found, head=head.sha)
            start = await self._start(pull, below.sha, head.sha)
        old, mine = await self._snapshot(start), await self._snapshot(found.head)
        trees = Versions(old, mine, await self._snapshot(below.sha))
        now = await conflicting(trees, self._blobs, roadmap=self._roadmap)
        conflict = Conflict(now.paths, now.applied, request.rebuild) if now.paths else None
        return replace(found, points=now.points, conflict=conflict)

    async def _start(self, pull: Pull, base: str, head: str) -> str:
        """Return the commit on which the change of a pull request is now."""
        doing = f"compare {base[:10]} with {head[:10]}"
        return line_of(
            await self._api.get(f"compare/{base}...{head}", doing), head, pull.tasks
        ).start

    async def _read(self, head: str, base: str, request: RevisionRequest) -> ChecksRead:
        """What failing checks say; nothing if the branch has another head than they are about."""
        if self._failing is None or request.failing != head:
            return ChecksRead(())
        failed = await self._failing.on(head, base, asked=request.fix)
        return await self._failing.read(failed)

    async def _broken(self, request: RevisionRequest) -> Revision:
        """A repair of anybody's pull request, on its head; no points if that is another one now."""
        doing = f"show #{request.pull}"
        found = await self._api.find(f"pulls/{request.pull}", doing, refused=Outage)
        pull = broken_pull(found) if found else None
        if pull is None or not pull.open or pull.fork:
            raise TaskError("github", not_fixable(request.pull))
        read = await self._read(pull.head, pull.base, request)
        return Revision(
            pull=pull.number,
            url=pull.url,
            tasks=(),
            branch=pull.branch,
            head=pull.head,
            fork=pull.head,
            below=pull.branch,
            base=pull.head,
            points=read.points,
            by=request.by,
            repairs=True,
            fixes=True,
            unclear=UnclearChecks(read.silent, read.unread),
        )

    async def as_it_is(self, number: int) -> Revision:
        """Return an open checkpoint as it is now: nothing is asked. Raises as ``asked``."""
        return await self._now(await self._pull(number))

    async def _now(self, pull: Pull) -> Revision:
        head, fork, kept = await self._branch(pull)
        return Revision(
            pull=pull.number,
            url=pull.url,
            tasks=pull.tasks,
            branch=pull.head,
            head=head,
            fork=fork,
            below=pull.base,
            base=await self._base(),
            kept=kept,
        )

    async def moved(self, revision: Revision) -> Revision:
        """Return the same revision on the newest commit of its branch. Raises as ``asked``."""
        pull = await self._pull(revision.pull)
        head, fork, kept = await self._branch(pull)
        return replace(revision, head=head, fork=fork, below=pull.base, kept=kept)

    async def publish(self, checkpoint: Checkpoint) -> tuple[str, Pull]:
        """Add the commit to the branch of its pull request, and describe the new head there.

        Doing it twice leaves one. Raises ``BranchMoved`` if somebody pushed to it, ``TaskError`` if
        the pull request was merged or closed.
        """
        pull = await self._pulls.newest(checkpoint.branch)
        if pull is None or not pull.open:
            raise TaskError("github", not_open(checkpoint.branch))
        if checkpoint.onto:
            return await self._redone(checkpoint, pull)
        commit = await self._added(checkpoint)
        pull = await self._described(checkpoint, pull)
        revisions = section(pull.body, "revisions")
        if commit not in revisions:
            line = revised_line(commit, len(revisions.splitlines()) + 1)
            pull = await self._pulls.annotate(pull, revisions=f"{revisions}\n{line}".strip())
        return commit, pull

    async def _redone(self, checkpoint: Checkpoint, pull: Pull) -> tuple[str, Pull]:
        """Put the change that was made on a newer base on the branch; say so in place of news."""
        commit = await self._branches.redone(in_form(checkpoint, pull.title))
        pull = await self._described(checkpoint, pull)
        line = redone_line(commit, pull.base)
        redone = section(pull.body, "redone")
        if commit not in redone:
            redone = f"{redone}\n\n{line}".strip()
        return commit, await self._pulls.annotate(pull, redone=redone, held="", news="")

    async def _described(self, checkpoint: Checkpoint, pull: Pull) -> Pull:
        """Let the description say what the branch has now; that of several tasks stays."""
        if pull.head.startswith(shared_branch(pull.head.split("/")[1])):
            return pull
        markers = checkpoint_markers(pull.tasks, self._roadmap, on=pull.on)
        return await self._pulls.describe(pull, checkpoint, markers)

    async def answer(self, number: int, replies: Sequence[ThreadReply]) -> None:
        """Reply in threads, each once, and resolve those that are done. Raises ``Outage``.

        What GitHub refuses (a deleted comment, a locked conversation) is logged.
        """
        if not replies:
            return
        pull = await self._pull(number, closed=True)
        threads = {thread.id: thread async for thread in self._threads(pull)}
        for reply in replies:
            if thread := threads.get(reply.thread):
                try:
                    await self._answer(pull, thread, reply)
                except TaskError as refused:
                    _LOG.warning("No answer in a thread of #%s: %s", number, refused.message)

    async def _answer(self, pull: Pull, thread: _Thread, reply: ThreadReply) -> None:
        mark = marker("revised", self._run)
        mine = (c for c in thread.comments if c.author and self._is_us(c.author))
        if not any(comment.body.startswith(mark) for comment in mine):
            path = f"pulls/{pull.number}/comments/{thread.comments[0].id}/replies"
            data = {"body": with_markers([mark], reply.text)}
            await self._api.post(path, data, f"answer in a thread of #{pull.number}")
        if reply.resolves and not thread.resolved:
            doing = f"resolve a thread of #{pull.number}"
            await self._api.graphql(_RESOLVE, doing, thread=thread.id)

    async def _pull(self, number: int, *, closed: bool = False) -> Pull:
        found = await self._api.find(f"pulls/{number}", f"show #{number}", refused=Outage)
        pull = read_pull(found, self._bot_login) if found else None
        if pull is None or pull.kind != "checkpoint":
            raise TaskError("github", not_ours(number))
        if not (pull.open or closed):
            raise TaskError("github", not_open(pull.head))
        return pull

    async def _branch(self, pull: Pull) -> tuple[str, str, tuple[str, ...]]:
        """Return head and fork of its branch, and the paths that a revision keeps.

        A commit that this run added already is no part of what it builds on.
        """
        head, base = await self._commits.head(pull.head), await self._commits.head(pull.base)
        if head is None or base is None:
            raise TaskError("github", not_open(pull.head))
        fork, commits = await self._commits.between(base.sha, head.sha)
        while head.run == self._run and head.parents and await self._commits.ours(head):
            commits = tuple(each for each in commits if each.sha != head.sha)
            head = await self._commits.show(head.parents[0])
        kept = {self._roadmap}
        for commit in commits:
            if not await self._commits.ours(commit):
                kept |= await self._changed(commit)
        return head.sha, fork, tuple(sorted(kept))

    async def _changed(self, commit: Commit) -> set[str]:
        new = (await self._snapshot(commit.sha)).entries
        old = (await self._snapshot(commit.parents[0])).entries if commit.parents else {}
        return {path for path in {*old, *new} if old.get(path) != new.get(path)}

    async def _added(self, checkpoint: Checkpoint) -> str:
        head = await self._commits.head(checkpoint.branch)
        if head and head.sha != checkpoint.parent and not head.holds(checkpoint):
            _, since = await self._commits.between(checkpoint.parent, head.sha)
            mine = next((each.sha for each in since if each.holds(checkpoint)), "")
            if mine:  # added before a crash, and somebody pushed on top of it
                return mine
            raise BranchMoved("conflict", f"somebody pushed to {checkpoint.branch}")
        return await self._branches.grown(checkpoint, head)

    async def _points(self, pull: Pull, request: RevisionRequest) -> list[Point]:
        if request.text:
            return [_whole(request.text, request.by)]
        found = []
        if request.review and (body := await self._body(pull, request.review)):
            found.append(_whole(body, request.by))
        async for thread in self._threads(pull):
            if point := await self._point(thread, request):
                found.append(point)
        return found

    async def _body(self, pull: Pull, review: int) -> str:
        """What a review says about the whole."""
        doing = f"list the reviews of #{pull.number}"
        async for each in self._api.items(f"pulls/{pull.number}/reviews?per_page=100", doing):
            if each["id"] == review:
                return str(each["body"] or "").strip()
        return ""

    async def _point(self, thread: _Thread, request: RevisionRequest) -> Point | None:
        """What a thread asks for: one of the review, or any open one of somebody who may ask.

        Only the words of those who may ask are read.
        """
        if request.review:
            if not any(comment.review == request.review for comment in thread.comments):
                return None
        elif thread.resolved:
            return None
        heard = [comment for comment in thread.comments if await self._heard(comment)]
        if not heard or not (request.review or heard[0] is thread.comments[0]):
            return None
        rest, blocks = _split(heard[0].body)
        exact = thread.end > 0 and len(heard) == len(blocks) == 1
        return Point(
            text="\n\n".join(_comment_text(each, alone=len(heard) == 1) for each in heard),
            by=request.by,
            rest=rest if exact else heard[0].body,
            thread=thread.id,
            comment=thread.comments[0].id,
            path=thread.path,
            start=thread.start,
            end=thread.end,
            suggestions=(Suggestion(thread.start, thread.end, blocks[0]),) if exact else (),
        )

    async def _heard(self, comment: _Comment) -> bool:
        author = comment.author
        if author is None or self._is_us(author):
            return False
        if author.id not in self._known:
            self._known[author.id] = await self._may_ask(author)
        return self._known[author.id]

    def _is_us(self, author: User) -> bool:
        return author.login.removesuffix("[bot]") == self._bot_login.removesuffix("[bot]")

    async def _threads(self, pull: Pull) -> AsyncIterator[_Thread]:
        after: str | None = None
        for _ in range(_MOST_PAGES):
            doing = f"show the review threads of #{pull.number}"
            found = await self._api.graphql(_THREADS, doing, pull=pull.node, after=after)
            page = (found["node"] or {}).get("reviewThreads")
            if page is None:
                return
            for each in page["nodes"]:
                yield _thread(each)
            after = page["pageInfo"]["endCursor"]
            if not page["pageInfo"]["hasNextPage"]:
                return


def _whole(text: str, by: str) -> Point:
    """A point about the whole of a pull request."""
    return Point(text=text[:_LONGEST], by=by, rest=text[:_LONGEST])


def _comment_text(comment: _Comment, *, alone: bool) -> str:
    login = comment.author.login if comment.author else ""
    return comment.body[:_LONGEST] if alone else f"{login}: {comment.body[:_LONGEST]}"


def _split(body: str) -> tuple[str, tuple[str, ...]]:
    """Return a comment without its suggestion blocks, and what is in them.

    https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/commenting-on-a-pull-request
    """
    lines = body.replace("\r\n", "\n").split("\n")
    blocks = []
    for first, after, content in reversed(list(_suggested(body))):
        blocks.append(content)
        del lines[first:after]
    return "\n".join(lines).strip(), tuple(reversed(blocks))


def _suggested(body: str) -> Iterator[tuple[int, int, str]]:
    """Yield first line, line after the end, and content of each suggestion block."""
    # without its inline rules, which take long for hostile text
    markdown = MarkdownIt("commonmark").disable("inline")
    for token in markdown.parse(body.replace("\r\n", "\n")):
        fence = token.type == "fence" and token.level == 0 and token.map
        if fence and token.info.strip() == "suggestion":
            yield fence[0], fence[1], token.content


def _thread(found: Any) -> _Thread:
    on_head = found["diffSide"] == "RIGHT"
    end = (found["line"] or 0) if on_head else 0
    return _Thread(
        id=found["id"],
        resolved=found["isResolved"],
        path=found["path"],
        start=(found["startLine"] or end) if end else 0,
        end=end,
        comments=tuple(_comment(each) for each in found["comments"]["nodes"] if each),
    )


def _comment(found: Any) -> _Comment:
    author = found["author"]
    number = (author or {}).get("databaseId")
    user = User(id=number or 0, login=author["login"]) if author else None
    review = (found["pullRequestReview"] or {}).get("databaseId") or 0
    return _Comment(found["databaseId"], review, user, found["body"] or "")
