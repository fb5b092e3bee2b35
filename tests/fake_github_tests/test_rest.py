"""Issues, pull requests, checks and the rest answer in GitHub's shapes."""

from __future__ import annotations

import base64

from tests.fake_github import FakeGitHub
from tests.fake_github_tests.conftest import NAME, Client

REPO = f"/repos/{NAME}"


async def test_the_app_is_known_and_gives_tokens(client: Client, fake: FakeGitHub) -> None:
    """A JWT leads to the App, its installation and a narrow token of the new form."""
    client.token = client.app_jwt()
    one = (await client.ask("GET", f"{REPO}/installation")).body
    app = (await client.ask("GET", "/app")).body
    body = {"repository_ids": [fake.repo(NAME).id], "permissions": {"contents": "read"}}
    made = await client.ask("POST", f"/app/installations/{one['id']}/access_tokens", body)

    assert (app["slug"], one["app_id"]) == ("cairn", 12345)
    assert made.status == 201
    assert made.body["token"].startswith("ghs_12345_")
    assert made.body["token"].count(".") == 2
    assert 450 < len(made.body["token"]) < 550
    assert made.body["permissions"] == {"contents": "read", "metadata": "read"}
    client.token = made.body["token"]
    seen = (await client.ask("GET", "/installation/repositories")).body
    assert [r["full_name"] for r in seen["repositories"]] == [NAME]
    assert (await client.ask("GET", f"/app/installations/{one['id']}")).status == 401
    fake.verify()


async def test_roles_are_told_as_permissions(client: Client, fake: FakeGitHub) -> None:
    """maintain counts as write, and on a public repository everybody reads."""
    fake.set_role(NAME, "keeper", "maintain")
    fake.add_user("stranger")
    asked = [f"{REPO}/collaborators/{w}/permission" for w in ("keeper", "stranger", "nobody")]

    keeper, stranger, nobody = [await client.ask("GET", path) for path in asked]

    assert (keeper.body["permission"], keeper.body["role_name"]) == ("write", "maintain")
    assert keeper.body["user"]["id"] == fake.add_user("keeper").id
    assert stranger.body["permission"] == "read"
    assert nobody.status == 404
    fake.verify()


async def test_contents_are_files_folders_and_links(client: Client, fake: FakeGitHub) -> None:
    """contents answers for a file, a folder, a link, a raw file and a missing one."""
    file = await client.ask("GET", f"{REPO}/contents/src/a.py", ref="main")
    folder = await client.ask("GET", f"{REPO}/contents/src")
    link = await client.ask("GET", f"{REPO}/contents/link")
    lost = await client.ask("GET", f"{REPO}/contents/src/zzz")
    client.headers = {"Accept": "application/vnd.github.raw+json"}
    raw = await client.ask("GET", f"{REPO}/contents/src/a.py")

    assert base64.b64decode(file.body["content"]) == b"a = 1\n"
    assert [e["path"] for e in folder.body] == ["src/a.py"]
    assert (link.body["type"], link.body["target"]) == ("symlink", "src/a.py")
    assert lost.status == 404
    assert raw.body == b"a = 1\n"
    fake.verify()


async def test_comments_come_in_pages(client: Client, fake: FakeGitHub) -> None:
    """Lists are paged; Link points to the repository by id and can be followed."""
    fake.open_issue(NAME, "Please")
    for n in range(5):
        await fake.comment(NAME, 1, f"c{n}")

    first = await client.ask("GET", f"{REPO}/issues/1/comments", per_page=2)
    link = first.headers["link"].split(";")[0].strip("<>")
    second = await client.ask("GET", link)

    assert 'rel="last"' in first.headers["link"]
    assert f"/repositories/{fake.repo(NAME).id}/issues/1/comments" in link
    assert [c["body"] for c in second.body] == ["c2", "c3"]
    fake.verify()


async def test_comments_and_issues_of_the_app_say_so(client: Client, fake: FakeGitHub) -> None:
    """performed_via_github_app is the App on what the bot made and null on a person's."""
    fake.open_issue(NAME, "Please")
    await fake.comment(NAME, 1, "hello")
    await client.ask("POST", f"{REPO}/issues/1/comments", {"body": "hi"})

    person, bot = (await client.ask("GET", f"{REPO}/issues/1/comments")).body

    assert person["performed_via_github_app"] is None
    assert bot["performed_via_github_app"]["id"] == fake.app.id
    assert bot["user"]["login"] == "cairn[bot]"
    assert fake.says(NAME, 1) == ["hi"]
    fake.verify()


async def test_a_reaction_is_made_once(client: Client, fake: FakeGitHub) -> None:
    """The first is 201, the same again 200, and the summary counts one."""
    fake.open_issue(NAME, "Please")
    await fake.comment(NAME, 1, "/execute")
    number = fake.repo(NAME).comments(1)[0].id
    path = f"{REPO}/issues/comments/{number}/reactions"

    first = await client.ask("POST", path, {"content": "eyes"})
    second = await client.ask("POST", path, {"content": "eyes"})

    assert (first.status, second.status) == (201, 200)
    shown = (await client.ask("GET", f"{REPO}/issues/comments/{number}")).body
    assert shown["reactions"]["eyes"] == 1
    assert len((await client.ask("GET", path)).body) == 1
    fake.verify()


async def test_issues_are_made_changed_and_listed(client: Client, fake: FakeGitHub) -> None:
    """An issue keeps labels and state, and lists are filtered by them."""
    body = {"title": "T", "body": "B", "labels": ["cairn"]}
    made = await client.ask("POST", f"{REPO}/issues", body)
    await client.ask("POST", f"{REPO}/issues", {"title": "Other"})
    await client.ask("POST", f"{REPO}/issues/2/labels", {"labels": ["more"]})
    closed = await client.ask("PATCH", f"{REPO}/issues/1", {"state": "closed"})

    assert (made.status, closed.body["state_reason"]) == (201, "completed")
    listed = await client.ask("GET", f"{REPO}/issues", state="all", labels="cairn")
    assert [i["number"] for i in listed.body] == [1]
    assert (await client.ask("GET", f"{REPO}/issues/2")).body["labels"][0]["name"] == "more"
    fake.verify()


async def test_labels_are_made_once(client: Client, fake: FakeGitHub) -> None:
    """A second label of the same name is 422 already_exists."""
    body = {"name": "cairn:recovery", "color": "ff0000", "description": "d"}

    assert (await client.ask("POST", f"{REPO}/labels", body)).status == 201
    again = await client.ask("POST", f"{REPO}/labels", body)
    assert again.body["errors"][0]["code"] == "already_exists"
    assert (await client.ask("GET", f"{REPO}/labels/cairn:recovery")).status == 200
    fake.verify()


async def test_checks_and_statuses_are_kept(client: Client, fake: FakeGitHub) -> None:
    """A check run goes from in progress to completed; statuses combine."""
    sha = fake.repo(NAME).branches["main"]
    body = {"name": "cairn", "head_sha": sha, "status": "in_progress"}
    made = await client.ask("POST", f"{REPO}/check-runs", body)
    output = {"title": "t", "summary": "s"}
    change = {"status": "completed", "conclusion": "success", "output": output}
    done = await client.ask("PATCH", f"{REPO}/check-runs/{made.body['id']}", change)
    status = {"state": "pending", "context": "cairn/stack"}
    posted = await client.ask("POST", f"{REPO}/statuses/{sha}", status)

    listed = await client.ask("GET", f"{REPO}/commits/{sha}/check-runs")
    combined = await client.ask("GET", f"{REPO}/commits/{sha}/status")

    assert (done.body["conclusion"], posted.status) == ("success", 201)
    assert listed.body["total_count"] == 1
    assert combined.body["state"] == "pending"
    fake.verify()


async def test_an_etag_saves_the_answer(client: Client, fake: FakeGitHub) -> None:
    """If-None-Match with the last ETag gets 304."""
    etag = (await client.ask("GET", f"{REPO}/branches/main")).headers["etag"]
    client.headers = {"If-None-Match": etag}

    assert (await client.ask("GET", f"{REPO}/branches/main")).status == 304
    fake.verify()


async def test_compare_and_the_small_reads_fit(client: Client, fake: FakeGitHub) -> None:
    """compare, commits, branches and rate_limit answer in shape."""
    old = fake.repo(NAME).branches["main"]
    await fake.push(NAME, {"x.txt": b"x\n", "run.sh": None}, branch="topic")

    diff = (await client.ask("GET", f"{REPO}/compare/{old}...topic")).body

    assert (diff["status"], diff["ahead_by"]) == ("ahead", 1)
    assert {f["filename"]: f["status"] for f in diff["files"]} == {
        "x.txt": "added",
        "run.sh": "removed",
    }
    for path in (f"{REPO}/commits/topic", f"{REPO}/commits", f"{REPO}/branches", "/rate_limit"):
        assert (await client.ask("GET", path)).status == 200
    tree = await client.ask("GET", f"{REPO}/git/trees/main", recursive="1")
    assert "src/a.py" in [e["path"] for e in tree.body["tree"]]
    fake.verify()
