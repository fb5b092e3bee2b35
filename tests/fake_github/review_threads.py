"""Review threads: comments on lines of a pull request, replies to them, and their end.

GitHub moves a comment with its lines while the branch grows; where they are changed it is outdated
and has no line any more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any

from graphql import GraphQLError

from tests.fake_github import payloads, shapes
from tests.fake_github.answers import Answer, Call, missing
from tests.fake_github.clock import stamp
from tests.fake_github.graphql_changes import allow
from tests.fake_github.state import Issue, Repo, Review, ReviewComment, ReviewThread, Token, User
from tests.fake_github.world import Happening, World, fit

Actor = Callable[[User], dict[str, Any]]


def lines_now(repo: Repo, issue: Issue, thread: ReviewThread) -> tuple[int, int] | None:
    """Where the lines of a thread are on the head of the branch; None if they were changed."""
    assert issue.pull is not None
    if thread.side == "LEFT":  # the base stays as it is
        return thread.start, thread.end
    old, new = (_lines(repo, sha, thread.path) for sha in (thread.sha, issue.pull.sha))
    if old is None or new is None:
        return None
    for one in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        if one.a < thread.start and thread.end <= one.a + one.size:
            return thread.start + one.b - one.a, thread.end + one.b - one.a
    return None


def diff_hunk(repo: Repo, issue: Issue, thread: ReviewThread) -> str:
    """The part of the diff that ends at the lines of a thread, as it was when that began."""
    assert issue.pull is not None
    base = repo.bare.merge_base(issue.pull.base_sha, thread.sha) or issue.pull.base_sha
    for around in (3, 1_000_000):  # GitHub also takes comments on lines that the diff folds away
        asked = ("diff", f"-U{around}", base, thread.sha, "--", thread.path)
        if found := _down_to(repo.bare.text(*asked).split("\n"), thread):
            return found
    return ""


def _down_to(diff: list[str], thread: ReviewThread) -> str:
    hunk: list[str] = []
    left = right = 0
    for line in diff:
        if head := re.match(r"@@ -(\d+)(?:,\d+)? \+(\d+)", line):
            hunk, left, right = [], int(head[1]), int(head[2])
        elif hunk:
            old, new = line[:1] != "+", line[:1] != "-"
            at = left * old if thread.side == "LEFT" else right * new
            if at == thread.end:
                return "\n".join([*hunk, line])
            left, right = left + old, right + new
        if head or hunk:
            hunk.append(line)
    return ""


def _lines(repo: Repo, ref: str, path: str) -> list[bytes] | None:
    sha = repo.bare.at(ref, path)
    return None if sha is None else repo.bare.content(sha).split(b"\n")


def add(
    world: World, issue: Issue, thread: ReviewThread, by: User, body: str, review: Review
) -> ReviewComment:
    """Put a comment into a thread; the bot's wait to be read."""
    fit(body, "PullRequestReviewComment")
    mine = by is world.app.bot
    made = ReviewComment(next(world.ids), by, body, review.id, world.clock.now(), mine, not mine)
    thread.comments.append(made)
    if thread not in issue.threads:
        issue.threads.append(thread)
    return made


def shape(
    world: World, repo: Repo, issue: Issue, thread: ReviewThread, one: ReviewComment
) -> dict[str, Any]:
    """A comment in GitHub's form (pull-request-review-comment)."""
    found: dict[str, Any] = shapes.template(
        world, "pulls/create-reply-for-review-comment", "201", repo=repo
    )
    found = json.loads(json.dumps(found).replace('/pulls/1"', f'/pulls/{issue.number}"'))
    assert issue.pull is not None
    now, several = lines_now(repo, issue, thread), thread.start < thread.end
    found.update(
        id=one.id,
        node_id=f"PRRC_{one.id}",
        pull_request_review_id=one.review,
        body=one.body,
        path=thread.path,
        commit_id=issue.pull.sha,
        original_commit_id=thread.sha,
        line=now[1] if now else None,
        original_line=thread.end,
        start_line=now[0] if now and several else None,
        original_start_line=thread.start if several else None,
        start_side=thread.side if several else None,
        side=thread.side,
        diff_hunk=diff_hunk(repo, issue, thread),
        position=1 if now else None,
        user=shapes.user(world, one.user),
        created_at=stamp(one.created),
        updated_at=stamp(one.created),
        author_association=shapes.association(world, repo, one.user),
    )
    found.pop("in_reply_to_id")
    if one is not thread.comments[0]:
        found["in_reply_to_id"] = thread.comments[0].id
    if now is None:  # the schema has no null for them, though GitHub sends it
        del found["position"], found["line"]
    return found


def comment_created(
    world: World, repo: Repo, issue: Issue, thread: ReviewThread, one: ReviewComment
) -> Happening:
    """pull_request_review_comment.created."""
    return payloads.review_comment(
        world, repo, issue, shape(world, repo, issue, thread, one), one.user
    )


def create_reply(call: Call) -> Answer:
    """Reply in a thread, by its first comment: a reply to a reply is not possible."""
    issue, wanted = call.pull, int(call.params["comment_id"])
    thread = next((t for t in issue.threads if t.comments[0].id == wanted), None)
    if thread is None:
        raise missing()
    assert issue.pull is not None
    now = call.world.clock.now()
    review = Review(next(call.world.ids), call.actor, "", "COMMENTED", issue.pull.sha, now)
    issue.reviews.append(review)
    made = add(call.world, issue, thread, call.actor, call.body["body"], review)
    call.world.outbox.append(comment_created(call.world, call.repo, issue, thread, made))
    found = shape(call.world, call.repo, issue, thread, made)
    return Answer(201, found, {"location": found["url"]})


def react(call: Call) -> Answer:
    """React to a comment on lines: 201, or 200 when the bot has done so before."""
    number = int(call.params["comment_id"])
    every = (c for i in call.repo.issues.values() for t in i.threads for c in t.comments)
    comment = next((each for each in every if each.id == number), None)
    if comment is None:
        raise missing()
    made, new = call.world.react(comment.reactions, call.actor, call.body["content"])
    return Answer(201 if new else 200, shapes.reaction(call.world, made))


ROUTES = {
    "pulls/create-reply-for-review-comment": create_reply,
    "reactions/create-for-pull-request-review-comment": react,
}


def connection(items: list[Any], **asked: Any) -> dict[str, Any]:
    """A page of a GraphQL connection; cursors are positions."""
    first, after = asked.get("first"), int(asked.get("after") or 0)
    if first is None:
        said = "You must provide a `first` or `last` value to properly paginate"
        raise GraphQLError(said, extensions={"type": "MISSING_PAGINATION_BOUNDARIES"})
    page = items[after : after + first]
    end = after + len(page)
    info = {"hasNextPage": end < len(items), "endCursor": str(end) if page else None}
    return {"totalCount": len(items), "nodes": page, "pageInfo": info}


def in_graphql(repo: Repo, issue: Issue, thread: ReviewThread, actor: Actor) -> dict[str, Any]:
    """A thread as GraphQL shows it."""
    now = lines_now(repo, issue, thread)
    hunk, several = diff_hunk(repo, issue, thread), thread.start < thread.end
    comments = [{**_comment(one, actor), "diffHunk": hunk} for one in thread.comments]
    return {
        "__typename": "PullRequestReviewThread",
        "id": f"PRRT_{thread.id}",
        "isResolved": thread.resolved,
        "isOutdated": now is None,
        "path": thread.path,
        "line": now[1] if now else None,
        "startLine": now[0] if now and several else None,
        "originalLine": thread.end,
        "originalStartLine": thread.start if several else None,
        "diffSide": thread.side,
        "startDiffSide": thread.side if several else None,
        "comments": lambda **asked: connection(comments, **asked),
    }


def _comment(one: ReviewComment, actor: Actor) -> dict[str, Any]:
    return {
        "__typename": "PullRequestReviewComment",
        "id": f"PRRC_{one.id}",
        "databaseId": one.id,
        "body": one.body,
        "author": actor(one.user),
        "createdAt": stamp(one.created),
        "lastEditedAt": stamp(one.edited) if one.edited else None,
        "pullRequestReview": {"id": f"PRR_{one.review}", "databaseId": one.review},
    }


def resolve(world: World, token: Token, node: str) -> None:
    """End a thread; GitHub wants ``contents: write`` besides, as for a button of the page."""
    allow(world, token, "resolveReviewThread", contents="write", pull_requests="write")
    for repo in world.repositories.values():
        threads = (t for issue in repo.issues.values() for t in issue.threads)
        for thread in threads:
            if f"PRRT_{thread.id}" == node and world.visible(token, repo):
                thread.resolved = True
                return
    said = f"Could not resolve to a node with the global id of '{node}'"
    raise GraphQLError(said, extensions={"type": "NOT_FOUND"})
