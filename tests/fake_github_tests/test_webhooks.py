"""Webhooks are signed, in GitHub's shapes, and can be sent again."""

from __future__ import annotations

import hashlib
import hmac
import json

from tests.fake_github import FakeGitHub
from tests.fake_github_tests.conftest import NAME, Client, Listener


async def test_a_comment_is_signed(fake: FakeGitHub, listener: Listener) -> None:
    """The signature is the HMAC of the exact bytes; ids are those of the API."""
    fake.open_issue(NAME, "Please")

    assert await fake.comment(NAME, 1, "/execute", by="writer") == 202

    headers, body = listener.seen[0]
    digest = hmac.new(fake.app.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    payload = json.loads(body)
    assert headers["X-Hub-Signature-256"] == f"sha256={digest}"
    assert headers["X-GitHub-Event"] == "issue_comment"
    assert payload["comment"]["body"] == "/execute"
    assert payload["sender"]["id"] == fake.add_user("writer").id
    assert payload["repository"]["id"] == fake.repo(NAME).id
    assert payload["installation"]["id"] == fake.installation(NAME).id
    fake.verify()


async def test_a_redelivery_has_the_same_guid(fake: FakeGitHub, listener: Listener) -> None:
    """Sending again keeps the GUID and the bytes."""
    fake.open_issue(NAME, "Please")
    await fake.comment(NAME, 1, "/execute")

    assert await fake.redeliver(fake.deliveries[0]) == 202

    first, second = listener.seen
    assert first[0]["X-GitHub-Delivery"] == second[0]["X-GitHub-Delivery"]
    assert first[1] == second[1]


async def test_missed_deliveries_can_be_fetched(
    client: Client, fake: FakeGitHub, listener: Listener
) -> None:
    """The deliveries API lists what failed and sends it again on request."""
    url, fake.webhook_url = fake.webhook_url, None
    fake.open_issue(NAME, "Please")
    assert await fake.comment(NAME, 1, "/execute") == 0
    fake.webhook_url = url
    client.token = client.app_jwt()

    (lost,) = (await client.ask("GET", "/app/hook/deliveries")).body
    again = await client.ask("POST", f"/app/hook/deliveries/{lost['id']}/attempts")
    await fake.settle()

    assert (lost["status_code"], again.status) == (502, 202)
    assert listener.seen[0][0]["X-GitHub-Delivery"] == lost["guid"]
    assert (await client.ask("GET", f"/app/hook/deliveries/{lost['id']}")).status == 200
    fake.verify()


async def test_what_the_app_does_comes_back(
    client: Client, fake: FakeGitHub, listener: Listener
) -> None:
    """The bot's own comment is an event whose sender is a Bot."""
    fake.open_issue(NAME, "Please")
    await client.ask("POST", f"/repos/{NAME}/issues/1/comments", {"body": "hi"})
    await fake.settle()

    payload = json.loads(listener.seen[0][1])
    assert (payload["action"], payload["sender"]["type"]) == ("created", "Bot")
    assert fake.says(NAME, 1) == ["hi"]
    fake.verify()


async def test_a_whole_life_fits_the_description(
    client: Client, fake: FakeGitHub, listener: Listener
) -> None:
    """Pushes, pull requests, reviews, buttons, renames: every webhook is in GitHub's shape."""
    await fake.push(NAME, {"x": b"x"}, branch="topic")
    pull = await fake.open_pull(NAME, "T", head="topic")
    assert await fake.review(NAME, pull.number, "APPROVED") == 202
    await fake.comment(NAME, pull.number, "hello")
    await fake.edit_comment(fake.repo(NAME).comments(pull.number)[0], "bye")
    await fake.push(NAME, {"x": b"y"}, branch="topic")
    await fake.delete_comment(fake.repo(NAME).comments(pull.number)[0])
    await fake.ready(NAME, pull.number, draft=True)
    await fake.ready(NAME, pull.number)
    await fake.close(NAME, pull.number)
    await fake.reopen(NAME, pull.number)
    button = {"label": "Approve", "description": "d", "identifier": "approve"}
    sha = fake.repo(NAME).branches["topic"]
    body = {"name": "c", "head_sha": sha, "conclusion": "neutral", "actions": [button]}
    made = await client.ask("POST", f"/repos/{NAME}/check-runs", body)
    assert await fake.click(NAME, made.body["id"], "approve", by="writer") == 202
    await fake.merge_pull(NAME, pull.number)
    await fake.delete_branch(NAME, "topic")
    issue = fake.open_issue(NAME, "Please")
    await fake.close(NAME, issue.number)
    await fake.rename(NAME, "octo/new")
    await fake.suspend("octo/new")
    await fake.suspend("octo/new", suspended=False)

    told = [f"{d.event}.{d.action}" for d in fake.deliveries]
    assert told.count("push.None") == 4
    drafts = ("pull_request.converted_to_draft", "pull_request.ready_for_review")
    assert {"pull_request.synchronize", "issue_comment.deleted", *drafts} <= set(told)
    assert told[-3:] == ["repository.renamed", "installation.suspend", "installation.unsuspend"]
    assert len(listener.seen) == len(told)
    fake.verify()


async def test_a_button_tells_of_its_pull_request(
    client: Client, fake: FakeGitHub, listener: Listener
) -> None:
    """A click sends what was clicked, by whom, and the pull requests with that head."""
    await fake.push(NAME, {"x": b"x"}, branch="topic")
    pull = await fake.open_pull(NAME, "T", head="topic")
    button = {"label": "Approve", "description": "d", "identifier": "approve"}
    check = {"name": "c", "external_id": "f00", "conclusion": "neutral", "actions": [button]}
    body = check | {"head_sha": fake.repo(NAME).branches["topic"]}
    made = await client.ask("POST", f"/repos/{NAME}/check-runs", body)

    await fake.click(NAME, made.body["id"], "approve", by="writer")

    payload = json.loads(listener.seen[-1][1])
    assert payload["requested_action"] == {"identifier": "approve"}
    assert (payload["check_run"]["external_id"], payload["sender"]["login"]) == ("f00", "writer")
    assert [p["number"] for p in payload["check_run"]["pull_requests"]] == [pull.number]
    fake.verify()


async def test_a_label_is_told_once(client: Client, fake: FakeGitHub, listener: Listener) -> None:
    """Putting a label on sends labeled; putting the same one on again sends nothing."""
    fake.open_issue(NAME, "Please")
    for _ in range(2):
        body = {"labels": ["cairn:recovery"]}
        await client.ask("POST", f"/repos/{NAME}/issues/1/labels", body)
    await fake.settle()

    (payload,) = (json.loads(body) for _, body in listener.seen)
    assert (payload["action"], payload["label"]["name"]) == ("labeled", "cairn:recovery")
    assert fake.repo(NAME).labels == ["cairn:recovery"]
    fake.verify()


async def test_anything_can_be_posted(fake: FakeGitHub, listener: Listener) -> None:
    """A test may spoil a delivery before it is sent."""
    fake.open_issue(NAME, "Please")
    await fake.comment(NAME, 1, "/execute")
    body, headers = fake.signed(fake.deliveries[0])

    await fake.send(body + b" ", headers | {"X-Hub-Signature-256": "sha256=00"})

    assert listener.seen[-1][0]["X-Hub-Signature-256"] == "sha256=00"
    assert listener.seen[-1][1] == body + b" "
