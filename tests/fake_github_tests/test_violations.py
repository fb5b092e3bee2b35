"""What is against GitHub's description is found and named."""

from __future__ import annotations

import pytest

from tests.fake_github import FakeGitHub
from tests.fake_github_tests.conftest import NAME, Client

ISSUES = f"/repos/{NAME}/issues"


def objections(fake: FakeGitHub) -> str:
    """What verify says; it must object."""
    with pytest.raises(AssertionError) as caught:
        fake.verify()
    return str(caught.value)


async def test_an_unknown_operation_is_found(client: Client, fake: FakeGitHub) -> None:
    """A path GitHub does not have is 404 and a violation."""
    assert (await client.ask("GET", f"/repos/{NAME}/isues")).status == 404

    assert f"unknown operation GET /repos/{NAME}/isues" in objections(fake)


async def test_a_misspelt_field_is_found(client: Client, fake: FakeGitHub) -> None:
    """GitHub would ignore an unknown field; the fake does not."""
    reply = await client.ask("POST", ISSUES, {"title": "x", "boddy": "y"})

    assert reply.status == 422
    assert "unknown field 'boddy'" in objections(fake)


async def test_a_misspelt_field_inside_is_found(client: Client, fake: FakeGitHub) -> None:
    """Fields of objects in lists are looked at too."""
    body = {"tree": [{"path": "a", "mod": "100644", "content": "x"}]}

    assert (await client.ask("POST", f"/repos/{NAME}/git/trees", body)).status == 422
    assert "body/tree/0: unknown field 'mod'" in objections(fake)


async def test_a_missing_field_is_found(client: Client, fake: FakeGitHub) -> None:
    """A required field that is not there is named."""
    await client.ask("POST", f"/repos/{NAME}/git/refs", {"ref": "refs/heads/x"})

    assert '"sha" is a required property' in objections(fake)


async def test_a_wrong_query_parameter_is_found(client: Client, fake: FakeGitHub) -> None:
    """Unknown parameters and values outside the list are named."""
    await client.ask("GET", f"/repos/{NAME}/pulls", state="opened", per_pge="3")

    said = objections(fake)
    assert "unknown query parameter 'per_pge'" in said
    assert '"opened" is not one of' in said


async def test_a_missing_version_header_is_found(client: Client, fake: FakeGitHub) -> None:
    """Every request must name the version of the API."""
    headers = {"Authorization": f"Bearer {client.token}"}

    async with client.session.get(f"{fake.api_url}/repos/{NAME}", headers=headers) as answer:
        assert answer.status == 200

    assert "no X-GitHub-Api-Version" in objections(fake)


async def test_an_unread_comment_is_found(client: Client, fake: FakeGitHub) -> None:
    """What the bot said must be read, and read again after an edit."""
    fake.open_issue(NAME, "Please")
    made = await client.ask("POST", f"{ISSUES}/1/comments", {"body": "First"})
    assert "nobody read" in objections(fake)
    assert fake.says(NAME, 1) == ["First"]
    fake.verify()

    await client.ask("PATCH", f"{ISSUES}/comments/{made.body['id']}", {"body": "Second"})

    assert "'Second'" in objections(fake)
    assert fake.says(NAME, 1) == ["Second"]
    assert fake.says(NAME, 1) == []
    fake.verify()


async def test_an_answer_off_schema_is_found(client: Client, fake: FakeGitHub) -> None:
    """The fake checks itself: state that does not fit the description is named."""
    fake.open_issue(NAME, "Please").title = 5  # type: ignore[assignment]

    await client.ask("GET", f"{ISSUES}/1")

    assert "off schema: title" in objections(fake)


async def test_a_webhook_off_schema_is_found(fake: FakeGitHub) -> None:
    """Webhooks are checked before they are sent."""
    fake.open_issue(NAME, "Please").title = 5  # type: ignore[assignment]

    await fake.comment(NAME, 1, "/execute")

    assert "webhook issue_comment.created off schema" in objections(fake)


async def test_an_expected_violation_can_be_forgiven(client: Client, fake: FakeGitHub) -> None:
    """forgive takes away what a test expects and refuses what is not there."""
    await client.ask("GET", "/nothing")

    fake.forgive("unknown operation GET /nothing")

    fake.verify()
    with pytest.raises(AssertionError, match="no violation"):
        fake.forgive("unknown operation")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("| a | b |\n|---|---|\n| `x|y` | 2 |\n", "a table's row has 3 cells, not 2"),
        ("<details><summary>more</summary>\n\ntext\n", "1 <details> but 0 </details>"),
    ],
    ids=["a cell too many", "an open fold"],
)
async def test_text_that_is_shown_wrongly_is_found(
    client: Client, fake: FakeGitHub, text: str, found: str
) -> None:
    """The request is answered as GitHub answers it, but what people would see is broken."""
    assert (await client.ask("POST", ISSUES, {"title": "x", "body": text})).status == 201

    assert found in objections(fake)
