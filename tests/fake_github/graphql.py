"""GraphQL: checked against GitHub's schema; a small part has an answer, the rest is a violation.

Answered: ``viewer``, ``rateLimit``, ``node``/``nodes`` of issue comments, issues and pull
requests, ``minimizeComment``, ``convertPullRequestToDraft``, ``markPullRequestReadyForReview``,
``updateRefs``, ``updatePullRequest`` (its description), the review threads of a pull request and
``resolveReviewThread``, and auto-merge.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from graphql import (
    ExecutionResult,
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLSchema,
    build_schema,
    execute_sync,
    parse,
    validate,
)

from tests.fake_github import review_threads, ripple
from tests.fake_github.answers import Answer, Refused
from tests.fake_github.clock import stamp
from tests.fake_github.graphql_changes import (
    allow,
    auto_merge,
    missing_approvals,
    no_auto_merge,
    update_pull,
    update_refs,
)
from tests.fake_github.spec import DATA
from tests.fake_github.state import App, Comment, Issue, Pull, Reaction, Repo, Token, User
from tests.fake_github.world import World

REACTIONS = {
    "+1": "THUMBS_UP",
    "-1": "THUMBS_DOWN",
    "laugh": "LAUGH",
    "hooray": "HOORAY",
    "confused": "CONFUSED",
    "heart": "HEART",
    "rocket": "ROCKET",
    "eyes": "EYES",
}
Found = tuple[Repo, Issue, Comment | None]


@cache
def schema() -> GraphQLSchema:
    """GitHub's schema (about a second to build, once)."""
    return build_schema((DATA / "schema.graphql").read_text(encoding="utf-8"), assume_valid=True)


def answer_graphql(world: World, identity: App | Token | None, body: Any) -> Answer:
    """Validate and execute one GraphQL request; errors are told in a 200, as GitHub does."""
    if not isinstance(identity, Token):
        raise Refused(401, "Requires authentication")
    try:
        document = parse(body["query"])
        errors = validate(schema(), document)
    except GraphQLError as error:
        errors = [error]
    if errors:
        world.violations += [f"GraphQL: {error.message}" for error in errors]
        return Answer(body={"errors": [error.formatted for error in errors]})
    result = execute_sync(
        schema(),
        document,
        root_value=Root(world, identity).fields(),
        variable_values=body.get("variables"),
        field_resolver=_resolver(world),
    )
    return _told(result)


def _told(result: ExecutionResult) -> Answer:
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        body["errors"] = [
            {**error.formatted, "type": (error.extensions or {}).get("type", "NOT_FOUND")}
            for error in result.errors
        ]
    return Answer(body=body)


def _resolver(world: World) -> Callable[..., Any]:
    def resolve(source: dict[str, Any], info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
        if info.field_name not in source:
            place = f"{info.parent_type.name}.{info.field_name}"
            world.violations.append(f"GraphQL: {place} is not built in the fake")
            raise GraphQLError(f"{place} is not built in the fake")
        value = source[info.field_name]
        return value(**arguments) if callable(value) else value

    return resolve


class Root:
    """The fields of Query and Mutation for one token."""

    def __init__(self, world: World, token: Token) -> None:
        self.world = world
        self.token = token

    def fields(self) -> dict[str, Any]:
        """What can be asked."""
        return {
            "viewer": {"__typename": "User", "login": self.world.app.bot.login},
            "rateLimit": self._limit,
            "node": lambda id: self._node(id),
            "nodes": lambda ids: [self._node_or_error(one) for one in ids],
            "minimizeComment": self._minimize,
            "convertPullRequestToDraft": lambda input: self._draft(input, True),
            "markPullRequestReadyForReview": lambda input: self._draft(input, False),
            "updateRefs": self._refs,
            "updatePullRequest": self._update,
            "resolveReviewThread": self._resolve,
            "enablePullRequestAutoMerge": lambda input: self._auto_merge(input, True),
            "disablePullRequestAutoMerge": lambda input: self._auto_merge(input, False),
        }

    def _limit(self) -> dict[str, Any]:
        left = 5000 - self.world.used
        reset = stamp(self.world.window())
        return {"limit": 5000, "cost": 1, "remaining": left, "resetAt": reset}

    def _find(self, node: str) -> Found | None:
        kind, _, number = node.partition("_")
        for repo in self.world.repositories.values():
            if not self.world.visible(self.token, repo):
                continue
            for issue in repo.issues.values():
                if kind in ("I", "PR") and str(issue.id) == number:
                    return repo, issue, None
                for comment in issue.comments:
                    if kind == "IC" and str(comment.id) == number:
                        return repo, issue, comment
        return None

    def _node(self, node: str) -> dict[str, Any]:
        found = self._found(node)
        if found[2] is not None:
            return self._comment(found[2]) | self._home(*found[:2])
        return self._issue(*found[:2])

    def _node_or_error(self, node: str) -> dict[str, Any] | GraphQLError:
        """As an item of a list: one that is gone is null, and told among the errors."""
        try:
            return self._node(node)
        except GraphQLError as error:
            return error

    def _found(self, node: str) -> Found:
        found = self._find(node)
        if found is None:
            said = f"Could not resolve to a node with the global id of '{node}'"
            raise GraphQLError(said, extensions={"type": "NOT_FOUND"})
        return found

    def _actor(self, who: User) -> dict[str, Any]:
        login = who.login.removesuffix("[bot]")
        kind = {"User": "User", "Bot": "Bot"}.get(who.type, "Organization")
        node = f"U_{who.id}"
        return {"__typename": kind, "login": login, "databaseId": who.id, "id": node}

    def _comment(self, one: Comment) -> dict[str, Any]:
        return {
            "__typename": "IssueComment",
            "id": f"IC_{one.id}",
            "databaseId": one.id,
            "fullDatabaseId": str(one.id),
            "body": one.body,
            "author": self._actor(one.user),
            "createdAt": stamp(one.created),
            "updatedAt": stamp(one.updated),
            "lastEditedAt": stamp(one.edited) if one.edited else None,
            "isMinimized": one.minimized is not None,
            "minimizedReason": one.minimized,
            "viewerDidAuthor": one.by_app,
            "reactions": lambda **asked: self._reactions(one.reactions, **asked),
        }

    def _home(self, repo: Repo, issue: Issue) -> dict[str, Any]:
        """Where a comment stands; ``pullRequest`` is null for a comment on an issue."""
        shape = self._issue(repo, issue)
        return {"issue": shape, "pullRequest": shape if issue.pull else None}

    def _issue(self, repo: Repo, one: Issue) -> dict[str, Any]:
        shape: dict[str, Any] = {
            "__typename": "PullRequest" if one.pull else "Issue",
            "id": f"{'PR' if one.pull else 'I'}_{one.id}",
            "databaseId": one.id,
            "number": one.number,
            "title": one.title,
            "body": one.body or "",
            "state": "MERGED" if one.pull and one.pull.merged else one.state.upper(),
            "closed": one.state == "closed",
            "author": self._actor(one.user),
            "updatedAt": stamp(one.updated),
            "reactions": lambda **asked: self._reactions(one.reactions, **asked),
        }
        if one.pull:
            ends = {"headRefName": one.pull.head, "baseRefName": one.pull.base}
            more = {"isDraft": one.pull.draft, "headRefOid": one.pull.sha}
            threads = [
                review_threads.in_graphql(repo, one, thread, self._actor) for thread in one.threads
            ]
            shape |= ends | more | {"merged": one.pull.merged is not None}
            shape |= self._merging(repo, one, one.pull)
            shape["reviewThreads"] = lambda **asked: review_threads.connection(threads, **asked)
        return shape

    def _merging(self, repo: Repo, issue: Issue, pull: Pull) -> dict[str, Any]:
        """``reviewDecision`` is null where the branch demands no review."""
        missing, armed = missing_approvals(repo, issue), pull.auto_merge
        decision = "REVIEW_REQUIRED" if missing else "APPROVED"
        able = repo.allow_auto_merge and bool(missing) and not armed and not pull.draft
        return {
            "reviewDecision": decision if repo.approvals.get(pull.base) else None,
            "viewerCanEnableAutoMerge": able,
            "autoMergeRequest": {"enabledBy": self._actor(armed[0])} if armed else None,
            "repository": {"viewerDefaultMergeMethod": "MERGE"},
        }

    def _reactions(self, reactions: list[Reaction], **asked: Any) -> dict[str, Any]:
        first, last, after = asked.get("first"), asked.get("last"), asked.get("after")
        if first is None and last is None:
            said = "You must provide a `first` or `last` value to properly paginate"
            raise GraphQLError(said, extensions={"type": "MISSING_PAGINATION_BOUNDARIES"})
        content = asked.get("content")
        chosen = [r for r in reactions if content in (None, REACTIONS[r.content])]
        rest = [r for r in chosen if after is None or r.id > int(after)]
        page = rest[:first] if first is not None else rest[-last:]  # type: ignore[operator]
        nodes = [self._reaction(r) for r in page]
        more = first is not None and len(rest) > first
        info = {"hasNextPage": more, "hasPreviousPage": after is not None}
        ends: list[str | None] = [str(r.id) for r in page] or [None]
        return {
            "totalCount": len(chosen),
            "nodes": nodes,
            "edges": [{"cursor": str(r.id), "node": n} for r, n in zip(page, nodes, strict=True)],
            "pageInfo": info | {"startCursor": ends[0], "endCursor": ends[-1]},
        }

    def _reaction(self, one: Reaction) -> dict[str, Any]:
        return {
            "id": f"REA_{one.id}",
            "databaseId": one.id,
            "content": REACTIONS[one.content],
            "createdAt": stamp(one.created),
            "user": self._actor(one.user),
        }

    def _minimize(self, input: dict[str, Any]) -> dict[str, Any]:
        comment = self._found(input["subjectId"])[2]
        assert comment is not None
        comment.minimized = input["classifier"].lower()
        return self._done(input, minimizedComment=self._comment(comment))

    def _draft(self, input: dict[str, Any], draft: bool) -> dict[str, Any]:
        allow(self.world, self.token, "drafts", contents="write", pull_requests="write")
        repo, issue, _ = self._found(input["pullRequestId"])
        bot = self.world.app.bot
        self.world.outbox += ripple.drafted(self.world, repo, issue, bot, draft=draft)
        return self._done(input, pullRequest=self._issue(repo, issue))

    def _update(self, input: dict[str, Any]) -> dict[str, Any]:
        repo, issue, _ = self._found(input["pullRequestId"])
        update_pull(self.world, self.token, issue, input)
        return self._done(input, pullRequest=self._issue(repo, issue))

    def _auto_merge(self, input: dict[str, Any], enable: bool) -> dict[str, Any]:
        repo, issue, _ = self._found(input["pullRequestId"])
        if enable:
            auto_merge(self.world, self.token, repo, issue, input)
        else:
            no_auto_merge(self.world, self.token, repo, issue)
        return self._done(input, pullRequest=self._issue(repo, issue))

    def _refs(self, input: dict[str, Any]) -> dict[str, Any]:
        update_refs(self.world, self.token, input)
        return self._done(input)

    def _resolve(self, input: dict[str, Any]) -> dict[str, Any]:
        review_threads.resolve(self.world, self.token, input["threadId"])
        return self._done(input)

    def _done(self, given: dict[str, Any], **parts: Any) -> dict[str, Any]:
        actor = self._actor(self.world.app.bot)
        return {"clientMutationId": given.get("clientMutationId"), "actor": actor, **parts}
