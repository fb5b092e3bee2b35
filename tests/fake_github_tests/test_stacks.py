"""Native stacks as GitHub was seen to play them, each answer and webhook checked by its schema."""

from __future__ import annotations

import json

import pytest

from tests.fake_github import FakeGitHub
from tests.fake_github_tests.conftest import NAME, Client, Listener

PULLS = f"/repos/{NAME}/pulls"
STACKS = f"/repos/{NAME}/stacks"


@pytest.fixture
async def chain(fake: FakeGitHub) -> list[int]:
    """Three pull requests of a person, each on the one before."""
    below, numbers = "main", list[int]()
    for name in ("one", "two", "six"):
        await fake.move_branch(NAME, name, fake.repo(NAME).branches[below])
        await fake.push(NAME, {f"{name}.txt": b"x\n"}, branch=name)
        numbers.append((await fake.open_pull(NAME, name, head=name, base=below)).number)
        below = name
    return numbers


def told(listener: Listener) -> list[str]:
    """The actions on pull requests that the app was told, in order."""
    bodies = [json.loads(body) for headers, body in listener.seen]
    return [f"{b['action']} {b['number']}" for b in bodies if "pull_request" in b]


async def test_members_show_their_stack(
    client: Client, fake: FakeGitHub, listener: Listener, chain: list[int]
) -> None:
    """One delivery a member, the object in every answer, and both questions about stacks."""
    listener.seen.clear()
    await fake.link(NAME, *chain)

    assert told(listener) == [f"stacked {number}" for number in chain]
    shown = (await client.ask("GET", f"{PULLS}/{chain[1]}")).body["stack"]
    assert (shown["position"], shown["size"], shown["base"]["ref"]) == (2, 3, "main")
    (listed,) = (await client.ask("GET", STACKS, pull_request=chain[2])).body
    one = (await client.ask("GET", f"{STACKS}/{listed['number']}")).body
    assert [each["number"] for each in one["pull_requests"]] == chain
    assert (await client.ask("GET", STACKS, pull_request=99)).body == []
    fake.repo(NAME).state.stacks = None
    assert "stack" not in (await client.ask("GET", f"{PULLS}/{chain[1]}")).body
    assert (await client.ask("GET", STACKS)).status == 404
    fake.verify()


async def test_a_stack_is_made_and_grows_and_is_dissolved(
    client: Client, fake: FakeGitHub, listener: Listener, chain: list[int]
) -> None:
    """As GitHub describes it: only on top, one at a time, merged ones never leave."""
    one, two, six = chain
    listener.seen.clear()
    made = await client.ask("POST", STACKS, {"pull_requests": [one, two]})
    path = f"{STACKS}/{made.body['number']}"

    again = await client.ask("POST", STACKS, {"pull_requests": [two, six]})
    apart = await client.ask("POST", STACKS, {"pull_requests": [six, 99]})
    (stack,) = (fake.repo(NAME).state.stacks or {}).values()
    stack.busy = 1
    busy = await client.ask("POST", f"{path}/add", {"pull_requests": [six]})
    added = await client.ask("POST", f"{path}/add", {"pull_requests": [six]})

    await fake.settle()
    assert (made.status, added.status, busy.status) == (201, 200, 409)
    assert told(listener) == [f"stacked {number}" for number in chain]
    assert again.body["message"] == f"Pull request #{two} is already part of a stack"
    assert apart.body["errors"][0]["value"] == [99]
    assert [each["number"] for each in added.body["pull_requests"]] == chain

    await fake.merge_stack(NAME, one)
    left = await client.ask("POST", f"{path}/unstack")
    nothing = await client.ask("POST", f"{path}/unstack")

    assert (left.status, nothing.status) == (200, 422)
    assert [each["number"] for each in left.body["pull_requests"]] == [one]
    swapped = await client.ask("POST", STACKS, {"pull_requests": [six, two]})
    assert "each PR's base ref" in swapped.body["message"]
    new = await client.ask("POST", STACKS, {"pull_requests": [two, six]})
    assert new.body["number"] == made.body["number"] + 1
    gone = await client.ask("POST", f"{STACKS}/{new.body['number']}/unstack")
    assert gone.status == 204
    fake.repo(NAME).state.stacks = None
    assert (await client.ask("POST", STACKS, {"pull_requests": [two, six]})).status == 404
    fake.verify()


async def test_a_base_is_refused_and_the_rest_is_done(
    client: Client, fake: FakeGitHub, chain: list[int]
) -> None:
    """The 422 is not atomic, and comes for the base that it has as well."""
    await fake.link(NAME, *chain)

    same = await client.ask("PATCH", f"{PULLS}/{chain[1]}", {"base": "one", "title": "New"})
    merged = await client.ask("PUT", f"{PULLS}/{chain[0]}/merge", {})

    assert (same.status, merged.status) == (422, 405)
    assert "part of a stack" in same.body["errors"][0]["message"]
    assert (await client.ask("GET", f"{PULLS}/{chain[1]}")).body["title"] == "New"
    fake.verify()


@pytest.mark.parametrize("method", ["squash", "merge", "rebase"])
async def test_merging_a_member_merges_those_below_and_rebases_the_rest(
    client: Client, fake: FakeGitHub, listener: Listener, chain: list[int], method: str
) -> None:
    """The next is retargeted and force-pushed: its author stays, GitHub commits, nobody signs."""
    await fake.link(NAME, *chain)
    listener.seen.clear()
    before = fake.repo(NAME).branches["six"]

    await fake.merge_stack(NAME, chain[1], method=method)

    wanted = [f"closed {chain[0]}", f"closed {chain[1]}", f"edited {chain[2]}"]
    assert told(listener) == [*wanted, f"synchronize {chain[2]}"]
    shown = (await client.ask("GET", f"{PULLS}/{chain[2]}")).body
    assert (shown["base"]["ref"], shown["stack"]["position"]) == ("main", 3)
    assert (shown["commits"], shown["mergeable_state"]) == (1, "clean")
    made = (await client.ask("GET", f"/repos/{NAME}/git/commits/{shown['head']['sha']}")).body
    assert (made["committer"]["name"], made["author"]["name"]) == ("GitHub", "writer")
    assert not made["verification"]["verified"]
    path = f"/repos/{NAME}/activity"
    (moved, *_) = (await client.ask("GET", path, ref="six", per_page=100)).body
    assert (moved["before"], moved["activity_type"]) == (before, "force_push")
    fake.verify()


async def test_what_is_not_linear_or_above_a_closed_one_is_blocked(
    client: Client, fake: FakeGitHub, chain: list[int]
) -> None:
    """A push below blocks those above until they are rebased; after unstacking nothing does."""
    await fake.link(NAME, *chain)

    async def state() -> str:
        return str((await client.ask("GET", f"{PULLS}/{chain[2]}")).body["mergeable_state"])

    assert await state() == "clean"
    await fake.push(NAME, {"more.txt": b"x\n"}, branch="one")
    assert await state() == "blocked"
    await fake.rebase_stack(NAME, chain[2])
    assert await state() == "clean"
    await fake.close(NAME, chain[1])
    assert await state() == "blocked"
    fake.unstack(NAME, chain[1])
    assert await state() == "clean"
    fake.verify()
