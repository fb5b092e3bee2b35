"""Routes about issues, comments, reactions and labels."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tests.fake_github import payloads, shapes
from tests.fake_github.answers import Answer, Call, Refused, invalid, missing
from tests.fake_github.clock import stamp
from tests.fake_github.state import Comment, Issue, Label, Reaction
from tests.fake_github.world import fit


def get_issue(call: Call) -> Answer:
    """An issue or pull request."""
    return Answer(body=shapes.issue(call.world, call.repo, call.issue))


def list_issues(call: Call) -> Answer:
    """Issues and pull requests, newest first unless asked otherwise.

    Labels are compared without case, as GitHub has no two that differ only in it.
    """
    query = call.query
    state = query.get("state", "open")
    labels = {x.lower() for x in query.get("labels", "").split(",") if x}
    found = [
        i
        for i in call.repo.issues.values()
        if state in ("all", i.state)
        and labels <= {one.name.lower() for one in i.labels}
        and query.get("creator", i.user.login) == i.user.login
        and _since(call, i.updated)
    ]
    updated = query.get("sort") == "updated"
    found.sort(
        key=lambda i: (i.updated if updated else i.created, i.number),
        reverse=query.get("direction", "desc") == "desc",
    )
    items, headers = call.page(found)
    shaped = [shapes.issue(call.world, call.repo, i) for i in items]
    return Answer(body=shaped, headers=headers)


def _since(call: Call, moment: datetime) -> bool:
    since = call.query.get("since")
    return since is None or moment >= datetime.fromisoformat(since)


def create_issue(call: Call) -> Answer:
    """A new issue by the bot."""
    body, repo = call.body, call.repo
    names = [_name(x) for x in body.get("labels", ())]
    made = call.world.open_issue(repo, call.actor, str(body["title"]), body.get("body"), names)
    call.world.outbox.append(payloads.issue(call.world, "opened", repo, made, call.actor))
    return Answer(201, shapes.issue(call.world, repo, made))


def update_issue(call: Call) -> Answer:
    """Change title, body, state or labels."""
    body, issue, world = call.body, call.issue, call.world
    fit(body.get("body"), "Issue")
    old = issue.body
    issue.title = str(body.get("title", issue.title))
    issue.body = body.get("body", issue.body)
    issue.updated = world.clock.now()
    if "labels" in body:
        issue.labels = [world.label(call.repo, _name(x)) for x in body["labels"]]
    state = body.get("state", issue.state)
    if state != issue.state:
        world.set_state(issue, state, call.actor, body.get("state_reason"))
        _tell_state(call, issue)
    if issue.body != old and not issue.pull:
        changes = {"body": {"from": old or ""}}
        parts = (world, "edited", call.repo, issue, call.actor)
        world.outbox.append(payloads.issue(*parts, changes=changes))
    return Answer(body=shapes.issue(world, call.repo, issue))


def _tell_state(call: Call, issue: Issue) -> None:
    action = "closed" if issue.state == "closed" else "reopened"
    tell = payloads.pull if issue.pull else payloads.issue
    call.world.outbox.append(tell(call.world, action, call.repo, issue, call.actor))


def list_comments(call: Call) -> Answer:
    """The comments of an issue, oldest first."""
    found = [c for c in call.issue.comments if _since(call, c.updated)]
    items, headers = call.page(found)
    shaped = [shapes.comment(call.world, call.repo, call.issue, c) for c in items]
    return Answer(body=shaped, headers=headers)


def list_all_comments(call: Call) -> Answer:
    """The comments of all issues, by creation or update."""
    pairs = [(i, c) for i in call.repo.issues.values() for c in i.comments]
    found = [(i, c) for i, c in pairs if _since(call, c.updated)]
    updated = call.query.get("sort") == "updated"
    found.sort(
        key=lambda pair: (pair[1].updated if updated else pair[1].created, pair[1].id),
        reverse=call.query.get("direction") == "desc",
    )
    items, headers = call.page(found)
    shaped = [shapes.comment(call.world, call.repo, i, c) for i, c in items]
    return Answer(body=shaped, headers=headers)


def create_comment(call: Call) -> Answer:
    """A new comment by the bot, which a test must read; a locked conversation takes none.

    An App is no collaborator there, whatever it may do (https://github.com/probot/stale/issues/25).
    """
    if call.issue.locked:
        raise Refused(403, "Unable to create comment because issue is locked.")
    made = call.world.add_comment(call.issue, call.actor, call.body["body"])
    parts = (call.world, "created", call.repo, call.issue, made, call.actor)
    call.world.outbox.append(payloads.comment(*parts))
    shape = shapes.comment(call.world, call.repo, call.issue, made)
    return Answer(201, shape, {"location": shape["url"]})


def _whole(call: Call) -> tuple[Issue, Comment]:
    comment = call.comment
    return call.repo.issues[comment.number], comment


def get_comment(call: Call) -> Answer:
    """One comment."""
    return Answer(body=shapes.comment(call.world, call.repo, *_whole(call)))


def update_comment(call: Call) -> Answer:
    """Edit a comment; what the bot says so must be read again."""
    issue, comment = _whole(call)
    old = comment.body
    call.world.edit_comment(comment, call.actor, call.body["body"])
    changes = {"body": {"from": old}}
    parts = (call.world, "edited", call.repo, issue, comment, call.actor)
    call.world.outbox.append(payloads.comment(*parts, changes=changes))
    return Answer(body=shapes.comment(call.world, call.repo, issue, comment))


def delete_comment(call: Call) -> Answer:
    """Delete a comment."""
    issue, comment = _whole(call)
    parts = (call.world, "deleted", call.repo, issue, comment, call.actor)
    call.world.outbox.append(payloads.comment(*parts))
    issue.comments.remove(comment)
    return Answer(204)


def _list_reactions(call: Call, reactions: list[Reaction]) -> Answer:
    wanted = call.query.get("content")
    found = [r for r in reactions if wanted in (None, r.content)]
    items, headers = call.page(found)
    return Answer(body=[shapes.reaction(call.world, r) for r in items], headers=headers)


def _react(call: Call, reactions: list[Reaction]) -> Answer:
    made, new = call.world.react(reactions, call.actor, call.body["content"])
    return Answer(201 if new else 200, shapes.reaction(call.world, made))


def comment_reactions(call: Call) -> Answer:
    """Reactions on a comment."""
    return _list_reactions(call, call.comment.reactions)


def react_to_comment(call: Call) -> Answer:
    """React to a comment: 201, or 200 when the bot has done so before."""
    return _react(call, call.comment.reactions)


def issue_reactions(call: Call) -> Answer:
    """Reactions on an issue."""
    return _list_reactions(call, call.issue.reactions)


def react_to_issue(call: Call) -> Answer:
    """React to an issue: 201, or 200 when the bot has done so before."""
    return _react(call, call.issue.reactions)


def delete_reaction(call: Call) -> Answer:
    """Take the bot's own reaction back."""
    wanted, comment = int(call.params["reaction_id"]), call.comment
    found = next((r for r in comment.reactions if r.id == wanted), None)
    if found is None:
        raise missing()
    if found.user is not call.actor:
        raise Refused(403, "Resource not accessible by integration")
    comment.reactions.remove(found)
    return Answer(204)


def _name(given: Any) -> str:
    return given if isinstance(given, str) else str(given["name"])


def create_label(call: Call) -> Answer:
    """A new label of the repository."""
    name, repo = call.body["name"], call.repo
    if name.lower() in repo.labels:
        error = {"resource": "Label", "code": "already_exists", "field": "name"}
        raise invalid("Validation Failed", error)
    color, about = call.body.get("color", "ededed"), call.body.get("description")
    made = Label(next(call.world.ids), name, color, about)
    repo.labels[name.lower()] = made
    return Answer(201, shapes.label(call.world, repo, made))


def get_label(call: Call) -> Answer:
    """A label of the repository."""
    found = call.repo.labels.get(call.params["name"].lower())
    if found is None:
        raise missing()
    return Answer(body=shapes.label(call.world, call.repo, found))


def _labels(call: Call) -> Answer:
    return Answer(body=[shapes.label(call.world, call.repo, one) for one in call.issue.labels])


def add_labels(call: Call) -> Answer:
    """Put labels on an issue; unknown ones are made."""
    issue, world = call.issue, call.world
    for one in _asked(call):
        if one not in issue.labels:
            issue.labels.append(one)
            tell = payloads.pull if issue.pull else payloads.issue
            shape = shapes.label(world, call.repo, one)
            parts = (world, "labeled", call.repo, issue, call.actor)
            world.outbox.append(tell(*parts, label=shape))
    return _labels(call)


def _asked(call: Call) -> list[Label]:
    given = call.body.get("labels", []) if isinstance(call.body, dict) else call.body or []
    return [call.world.label(call.repo, _name(x)) for x in given]


def set_labels(call: Call) -> Answer:
    """Replace the labels of an issue."""
    call.issue.labels = _asked(call)
    return _labels(call)


def remove_label(call: Call) -> Answer:
    """Take a label off an issue."""
    found = [x for x in call.issue.labels if x.name.lower() == call.params["name"].lower()]
    if not found:
        raise Refused(404, "Label does not exist")
    call.issue.labels.remove(found[0])
    return _labels(call)


def timeline(call: Call) -> Answer:
    """The comments as timeline events (the only kind the fake keeps)."""
    items, headers = call.page(call.issue.comments)
    shaped = [
        shapes.comment(call.world, call.repo, call.issue, c)
        | {"event": "commented", "actor": shapes.user(call.world, c.user)}
        | {"created_at": stamp(c.created)}
        for c in items
    ]
    return Answer(body=shaped, headers=headers)


ROUTES = {
    "issues/get": get_issue,
    "issues/list-for-repo": list_issues,
    "issues/create": create_issue,
    "issues/update": update_issue,
    "issues/list-comments": list_comments,
    "issues/list-comments-for-repo": list_all_comments,
    "issues/create-comment": create_comment,
    "issues/get-comment": get_comment,
    "issues/update-comment": update_comment,
    "issues/delete-comment": delete_comment,
    "issues/create-label": create_label,
    "issues/get-label": get_label,
    "issues/add-labels": add_labels,
    "issues/set-labels": set_labels,
    "issues/remove-label": remove_label,
    "issues/list-labels-on-issue": _labels,
    "issues/list-events-for-timeline": timeline,
    "reactions/list-for-issue-comment": comment_reactions,
    "reactions/create-for-issue-comment": react_to_comment,
    "reactions/delete-for-issue-comment": delete_reaction,
    "reactions/list-for-issue": issue_reactions,
    "reactions/create-for-issue": react_to_issue,
}
