"""Review threads of a pull request: what they ask for, and what is answered in them.

Only GraphQL knows threads and can resolve them
(https://docs.github.com/en/graphql/reference/objects#pullrequestreviewthread).
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt

from app.github.comments import first_kind, marker, with_markers
from app.github.place import Place
from app.github.pulls import Pull
from handlers.events import User
from handlers.issue_thread import may_write
from runner.errors import TaskError
from runner.state.revising import DiffPart, Point, RevisionRequest, SkippedThread, Suggestion
from runner.text.sanitize import cut_middle

_LOG = logging.getLogger(__name__)

_MOST_POINTS, _MOST_CHARACTERS = 150, 60_000
"""What one revision takes of a review: so many points, and so much text in all of them."""

_LONGEST = 12_000
"""Characters of one point that are read."""

_ABOVE, _LONGEST_DIFF = 3, 4_000
"""Of a diff: lines above those that a comment is about, and characters in all."""

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)")

_MOST_PAGES = 20
_THREADS = """query($pull: ID!, $after: String) { node(id: $pull) { ... on PullRequest {
  reviewThreads(first: 50, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id isResolved path line startLine diffSide startDiffSide originalLine originalStartLine
      first: comments(first: 1) { nodes { diffHunk } }
      comments(first: 50) { nodes {
        databaseId body createdAt lastEditedAt
        author { login ... on User { databaseId } }
        pullRequestReview { databaseId }
      } }
    }
  }
} } }"""
_RESOLVE = """mutation($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { clientMutationId }
}"""
_REVISED = "revised"


@dataclass(frozen=True, slots=True)
class _Comment:
    id: int
    review: int
    author: User | None
    body: str
    created: str
    edited: str


@dataclass(frozen=True, slots=True)
class _Thread:
    """One thread; the lines are those on the head (0 where they are not there any more).

    If some are not there, ``diff`` has them.
    """

    id: str
    resolved: bool
    path: str
    start: int
    end: int
    diff: DiffPart | None
    comments: tuple[_Comment, ...]


@dataclass(frozen=True, slots=True)
class ThreadReply:
    """What is answered in a thread, and whether it is resolved with that.

    ``kind`` is what its marker says: a thread that was not read is still to be worked on.
    """

    thread: str
    text: str
    resolves: bool = False
    kind: str = _REVISED


class ReviewThreads:
    """Those of one repository, for one run. Only the words of who may write there count."""

    def __init__(self, at: Place) -> None:
        self._at = at
        self._known: dict[int, bool] = {}

    async def asked(
        self, pull: Pull, request: RevisionRequest
    ) -> tuple[tuple[Point, ...], tuple[SkippedThread, ...]]:
        """Return what is asked for, and the threads for which there is no room in one revision.

        Raises ``Outage``.
        """
        if request.text:
            return (_whole(request.text, request.by),), ()
        found = []
        if request.review and (body := await self._body(pull, request.review)):
            found.append(_whole(body, request.by))
        threads = [thread async for thread in self._listed(pull)]
        for thread in threads if request.review else sorted(threads, key=self._is_answered):
            if point := await self._point(thread, request):
                found.append(point)
        most, left = 0, _MOST_CHARACTERS
        for point in found[:_MOST_POINTS]:
            left -= len(point.shown)
            if left < 0:
                break
            most += 1
        return tuple(found[:most]), tuple(SkippedThread(point.thread) for point in found[most:])

    async def answer(self, pull: Pull, replies: Sequence[ThreadReply]) -> None:
        """Reply in threads, each once, and resolve those that are done. Raises ``Outage``.

        What GitHub refuses (a deleted comment, a locked conversation) is logged.
        """
        threads = {thread.id: thread async for thread in self._listed(pull)}
        for reply in replies:
            if thread := threads.get(reply.thread):
                try:
                    await self._answer(pull, thread, reply)
                except TaskError as refused:
                    _LOG.warning("No answer in a thread of #%s: %s", pull.number, refused.message)

    async def _answer(self, pull: Pull, thread: _Thread, reply: ThreadReply) -> None:
        mark = marker(reply.kind, self._at.run)
        mine = (c for c in thread.comments if c.author and self._is_us(c.author))
        if not any(comment.body.startswith(mark) for comment in mine):
            path = f"pulls/{pull.number}/comments/{thread.comments[0].id}/replies"
            data = {"body": with_markers([mark], reply.text)}
            await self._at.api.post(path, data, f"answer in a thread of #{pull.number}")
        if reply.resolves and not thread.resolved:
            doing = f"resolve a thread of #{pull.number}"
            await self._at.api.graphql(_RESOLVE, doing, thread=thread.id)

    async def _body(self, pull: Pull, review: int) -> str:
        """What a review says about the whole."""
        doing = f"list the reviews of #{pull.number}"
        async for each in self._at.api.items(f"pulls/{pull.number}/reviews?per_page=100", doing):
            if each["id"] == review:
                return str(each["body"] or "").strip()
        return ""

    async def _point(self, thread: _Thread, request: RevisionRequest) -> Point | None:
        """What a thread asks for: one of the review, or any open one of somebody who may ask.

        Only the words of those who may ask are read, and what they take up by answering it.
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
        exact = thread.end > 0 and thread.diff is None and len(heard) == len(blocks) == 1
        text = "\n\n".join(_comment_text(each, alone=len(heard) == 1) for each in heard)
        return Point(
            text=cut_middle(text, _LONGEST),
            shortened=len(text) > _LONGEST,
            diff=thread.diff,
            taken_up="" if heard[0] is thread.comments[0] else _taken_up(thread, request.review),
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
            self._known[author.id] = await may_write(self._at.client, self._at.full_name, author)
        return self._known[author.id]

    def _is_us(self, author: User) -> bool:
        return author.login.removesuffix("[bot]") == self._at.bot_login.removesuffix("[bot]")

    def _is_answered(self, thread: _Thread) -> bool:
        """Whether its last word is ours, about a revision that read it: others come first."""
        last = thread.comments[-1]
        ours = last.author is not None and self._is_us(last.author)
        return ours and first_kind(last.body) == _REVISED

    async def _listed(self, pull: Pull) -> AsyncIterator[_Thread]:
        after: str | None = None
        for _ in range(_MOST_PAGES):
            doing = f"show the review threads of #{pull.number}"
            found = await self._at.api.graphql(_THREADS, doing, pull=pull.node, after=after)
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
    short = cut_middle(text, _LONGEST)
    return Point(text=short, by=by, rest=short, shortened=len(text) > _LONGEST)


def _comment_text(comment: _Comment, *, alone: bool) -> str:
    login = comment.author.login if comment.author else ""
    return comment.body if alone else f"{login}: {comment.body}"


def _taken_up(thread: _Thread, review: int) -> str:
    """What began a thread that a review answers; nothing that was written after the answer."""
    first = thread.comments[0]
    answered = max(each.created for each in thread.comments if each.review == review)
    if first.edited > answered:
        return _CHANGED
    return cut_middle(_comment_text(first, alone=False), _LONGEST)


_CHANGED = "(Its author changed this comment after the reviewer answered it, so it is not shown.)"


def _split(body: str) -> tuple[str, tuple[str, ...]]:
    """Return a comment without its suggestion blocks, and what is in them.

    https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/commenting-on-a-pull-request
    """
    body = body.replace("\r\n", "\n")
    lines, blocks = body.split("\n"), []
    # without its inline rules, which take long for hostile text
    for token in reversed(MarkdownIt("commonmark").disable("inline").parse(body)):
        fence = token.type == "fence" and token.level == 0 and token.map
        if fence and token.info.strip() == "suggestion":
            blocks.append(token.content)
            del lines[fence[0] : fence[1]]
    return "\n".join(lines).strip(), tuple(reversed(blocks))


def _thread(found: Any) -> _Thread:
    side = found["diffSide"]
    end = (found["line"] or 0) if side == "RIGHT" else 0
    across = (found["startDiffSide"] or side) != side  # it begins at a line that was deleted
    return _Thread(
        id=found["id"],
        resolved=found["isResolved"],
        path=found["path"],
        start=(found["startLine"] or end) if end and not across else end,
        end=end,
        diff=_diff(found) if across or not end else None,
        comments=tuple(_comment(each) for each in found["comments"]["nodes"] if each),
    )


def _diff(found: Any) -> DiffPart | None:
    """The lines of a thread, with a few above them, as the diff showed them when it began."""
    hunk = next((each["diffHunk"] for each in found["first"]["nodes"] if each), "")
    lines = list(_numbered(hunk))
    side, end = found["diffSide"], found["originalLine"]
    start, above = found["originalStartLine"] or end, found["startDiffSide"] or side
    if not (lines and end):
        return None
    last = next((n for n, each in enumerate(lines) if each[side] == end), len(lines) - 1)
    first = next((n for n, each in enumerate(lines[:last]) if each[above] == start), last)
    shown = [str(each["text"]) for each in lines[max(0, first - _ABOVE) : last + 1]]
    return DiffPart(cut_middle("\n".join(shown), _LONGEST_DIFF), last - first + 1)


def _numbered(hunk: str) -> Iterator[dict[str, str | int]]:
    """Yield the lines of a hunk, each with its number on the left and on the right (0: none)."""
    head, *lines = hunk.split("\n")
    numbers = _HUNK.match(head)
    left, right = (int(each) for each in numbers.groups()) if numbers else (0, 0)
    for line in lines if numbers else ():
        old, new = line[:1] in ("-", " ", ""), line[:1] in ("+", " ", "")
        yield {"text": line, "LEFT": left if old else 0, "RIGHT": right if new else 0}
        left, right = left + old, right + new


def _comment(found: Any) -> _Comment:
    author = found["author"]
    number = (author or {}).get("databaseId")
    user = User(id=number or 0, login=author["login"]) if author else None
    review = (found["pullRequestReview"] or {}).get("databaseId") or 0
    return _Comment(
        id=found["databaseId"],
        review=review,
        author=user,
        body=found["body"] or "",
        created=found["createdAt"],
        edited=found["lastEditedAt"] or "",
    )
