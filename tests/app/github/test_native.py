"""Native stacks of GitHub: what is read, what is sent, what is said, and whose a commit is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.github.api import RepositoryApi
from app.github.pulls import Pull, Pulls, checkpoint_markers
from app.github.shown_checks import stack_check
from app.github.stack import Ties, place_of, standing
from app.github.token_identity import PUBLISH
from handlers.pull_events import NativeStack, read_native
from handlers.texts import stack_replies
from runner.roadmap.parse import parse_roadmap
from tests.app.github.repository_bench import NAME, Bench, bench, installed
from tests.fake_github.bare import Person, write_files
from tests.fake_github.state import Issue

STACK = NativeStack(7, "main")


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


def _chain(*native: NativeStack | None) -> list[Pull]:
    """Open ones, each on the one before."""
    bases = ["main", *(f"cairn/r/{number}" for number in range(1, len(native)))]
    return [
        Pull(
            number=number,
            url="",
            state="open",
            head=f"cairn/r/{number}",
            sha=f"{number:040x}",
            base=base,
            tasks=(f"t{number}",),
            roadmap="ROADMAP.md",
            on=base,
            native=stack,
        )
        for number, (base, stack) in enumerate(zip(bases, native, strict=True), 1)
    ]


def _place(pulls: list[Pull], number: int) -> tuple[str, str]:
    """What is said of the place of one, and the title of its check."""
    place = place_of(pulls[number - 1], Ties(pulls, "main"))
    return stack_replies.place(place), stack_check(place)["output"]["title"]


def test_merging_the_top_merges_those_below() -> None:
    """No one has to be merged first, and a required check of the stack blocks nothing."""
    said, title = _place(_chain(STACK, STACK, STACK), 3)
    assert said.startswith("**Stacked on #2.** Merging this one also merges #1 and #2 below it.")
    assert (title, "first" in said) == ("Merging it also merges #1 and #2", False)
    said, _ = _place(_chain(STACK, STACK, STACK), 1)
    assert said.startswith("**Merge this one first**, or one above it, which merges this one")


def test_a_stack_on_a_pull_request_outside_waits_for_that() -> None:
    """Somebody stacked only the upper two: they would be merged into the branch of the first."""
    said, title = _place(_chain(None, NativeStack(7, "cairn/r/1"), NativeStack(7, "cairn/r/1")), 3)
    assert "Merge #1 first. Merging this one also merges #2 below it." in said
    assert title == "Waits for #1"
    said, title = _place(_chain(STACK, STACK, None), 3)  # added to the top since
    assert ("Merge #1, then #2 first." in said, title) == (True, "Waits for #2")


@pytest.mark.parametrize(
    ("found", "read"),
    [
        (None, None),
        ({"base": {"ref": "main", "sha": "a"}, "number": 7}, STACK),
        ({"base": {"ref": "main"}}, NativeStack(0, "main")),
        ({"base": None, "number": 7}, None),
        ({"number": "7", "base": {"ref": "main"}}, NativeStack(0, "main")),
        ([{"number": 7}], None),
        ("7", None),
    ],
)
def test_what_is_not_as_described_is_no_stack(found: object, read: NativeStack | None) -> None:
    """It is a preview that may change: nothing breaks by it."""
    assert read_native(found) == read


async def _publish(github: Bench, task: str, files: dict[str, bytes | None]) -> None:
    """Publish a checkpoint on the top of the stack, with the trailers that Cairn gives it."""
    made = await github.checkpoint(files, task=task)
    trailers = (("Cairn-Run", "r1"), ("Cairn-Task", task))
    made = replace(made, text=replace(made.text, trailers=trailers))
    await github.repository().publish_checkpoint(made)


async def _published(github: Bench, *tasks: str) -> list[Issue]:
    for task in tasks:
        await _publish(github, task, {f"{task}.txt": b"1\n2\n3\n"})
    return github.fake.repo(NAME).pulls


def _api(github: Bench) -> RepositoryApi:
    return RepositoryApi(github.identity.client(installed(github.fake, NAME), PUBLISH), NAME)


def _pulls(github: Bench) -> Pulls:
    return Pulls(_api(github), bot_login=github.fake.app.bot.login, roadmap="ROADMAP.md")


def _patches(github: Bench) -> list[object]:
    return [each.body for each in github.fake.requests if each.method == "PATCH"]


async def test_what_is_merged_with_its_stack_is_on_the_base_of_that(github: Bench) -> None:
    """GitHub leaves the branch below written on it; its task is done all the same."""
    one, two, three = await _published(github, "t1", "t2", "t3")
    await github.fake.link(NAME, one.number, two.number, three.number)
    await github.fake.merge_stack(NAME, two.number, rebase=False)
    known = await _pulls(github).all()
    assert [pull.base for pull in known] == ["main", "main", "main"]
    found = standing(known, base="main", roadmap="ROADMAP.md")
    assert (found.in_review, found.top and found.top.number) == ({"t3"}, three.number)


@pytest.mark.parametrize("native", [True, False])
async def test_only_what_differs_is_sent(github: Bench, native: bool) -> None:
    """Not the base of a member, and nothing at all if nothing else differs."""
    one, two = await _published(github, "t1", "t2")
    if native:
        await github.fake.link(NAME, one.number, two.number)
    checkpoint = await github.checkpoint({"x": b"y\n"}, task="t2")
    (pull,) = [each for each in await _pulls(github).open_ones() if each.number == two.number]
    checkpoint = replace(checkpoint, below=pull.base)
    first = await _pulls(github).rewrite(pull, checkpoint, [])
    again = replace(first, body=two.body or "", title=two.title)
    await _pulls(github).rewrite(again, checkpoint, [])
    await _pulls(github).retarget(pull, pull.base)
    (sent,) = _patches(github)
    assert isinstance(sent, dict)
    assert sent.keys() <= {"title", "body"}
    if native:
        assert (await _pulls(github).retarget(pull, "main")).base == pull.base
        assert len(_patches(github)) == 1


async def test_stacked_while_it_is_changed(github: Bench) -> None:
    """What was read just before is no longer true: the rest is done, the base stays, no error."""
    one, two = await _published(github, "t1", "t2")
    (pull,) = [each for each in await _pulls(github).open_ones() if each.number == two.number]
    await github.fake.link(NAME, one.number, two.number)
    checkpoint = replace(await github.checkpoint({"x": b"y\n"}, task="t2"), below="main")
    markers = checkpoint_markers(pull.tasks, "ROADMAP.md", on=pull.on)
    made = await _pulls(github).rewrite(pull, checkpoint, markers)
    assert (made.base, made.native and made.native.number) == (pull.base, 1)
    assert two.title == checkpoint.text.title
    assert len(_patches(github)) == 1


async def test_a_branch_that_carries_another_is_not_deleted_again(github: Bench) -> None:
    """It comes back so that GitHub opens what was on it; in a native stack that must stay on it."""
    one, two, three = await _published(github, "t1", "t2", "t3")
    await github.fake.link(NAME, one.number, two.number, three.number)
    await github.fake.merge_stack(NAME, one.number)
    await github.fake.close(NAME, two.number)
    await github.fake.delete_branch(NAME, two.pull.head if two.pull else "")
    assert three.state == "closed"
    await github.repository().restack(ended=three.number)
    assert three.state == "open"
    assert three.pull
    assert f"refs/heads/{three.pull.base}" in github.fake.repo(NAME).state.bare.refs()
    reopened, fixed = github.fake.says(NAME, three.number)
    assert "reopened it" in reopened
    assert "Reopen #2 if you want its change" in fixed


async def _after_a_merge(github: Bench, files: dict[str, object], *, branch: str) -> list[Issue]:
    """Three in a stack, the first merged; somebody pushed, and GitHub has not rebased the rest."""
    pulls = await _published(github, "t1", "t2", "t3")
    await github.fake.link(NAME, *(pull.number for pull in pulls))
    await github.fake.merge_stack(NAME, pulls[0].number, rebase=False)
    await github.fake.push(NAME, files, branch=branch)
    github.fake.clock.advance(61)
    return pulls


async def test_what_people_pushed_is_left_to_githubs_button(github: Bench) -> None:
    """No rebuilding, which would lose their work, and no merge commit, which GitHub refuses."""
    head = "cairn/r1/t2-add-it"
    _, two, three = await _after_a_merge(github, {"mine.txt": b"x\n"}, branch=head)
    before = github.fake.repo(NAME).branches
    await github.repository().restack()
    await github.repository().restack()
    assert github.fake.repo(NAME).branches == before
    assert "*Rebase stack*" in (two.body or "")
    assert "git rebase --onto origin/main" in (two.body or "")
    assert github.fake.says(NAME, two.number) + github.fake.says(NAME, three.number) == []


async def test_a_conflict_is_resolved_without_a_merge(github: Bench) -> None:
    """What to type brings no merge commit either."""
    _, two, _ = await _after_a_merge(github, {"t2.txt": b"other\n"}, branch="main")
    before = github.fake.repo(NAME).branches
    await github.repository().restack()
    assert github.fake.repo(NAME).branches == before
    (said,) = github.fake.says(NAME, two.number)
    assert "git rebase --onto origin/main" in said
    assert "git merge" not in said


async def test_ticks_that_conflict_move_the_whole_stack(github: Bench) -> None:
    """Only where GitHub finds a conflict; each stays one commit on the one below."""
    old = b"- [ ] add it\n- [ ] test it\n"
    keys = [task.key for task in parse_roadmap("ROADMAP.md", old).tasks]
    await _publish(github, keys[0], {"ROADMAP.md": old.replace(b"[ ] add", b"[x] add")})
    one, two = await _published(github, "t2")
    await github.fake.link(NAME, one.number, two.number)
    repo, before = github.fake.repo(NAME), dict(github.fake.repo(NAME).branches)
    await github.fake.push(NAME, {"README.md": b"x\n", "ROADMAP.md": old + b"\nMore.\n" * 9})
    await github.repository().restack()
    assert repo.branches == before | {"main": repo.branches["main"]}
    await github.fake.push(NAME, {"ROADMAP.md": old.replace(b"[ ] test", b"[x] test")})
    await github.repository().restack()
    states = [github.fake.pull_body(NAME, pull.number) for pull in (one, two)]
    assert [state["mergeable_state"] for state in states] == ["clean", "clean"]
    assert [state["commits"] for state in states] == [1, 1]
    assert repo.file("cairn/r1/t2-add-it", "ROADMAP.md") == old.replace(b"[ ]", b"[x]")


async def _is_ours(github: Bench, pull: Issue) -> bool:
    """Whether the head of a branch counts as ours, in a process that knows nothing yet."""
    assert pull.pull
    commits = github.repository().commits
    return await commits.ours(await commits.show(pull.pull.sha), pull.pull.head)


async def _rebased(github: Bench) -> list[Issue]:
    """Two that GitHub rebased twice, after others pushed to the base."""
    pulls = await _published(github, "t1", "t2")
    await github.fake.link(NAME, *(pull.number for pull in pulls))
    for content in (b"1\n", b"2\n"):
        await github.fake.push(NAME, {"other.txt": content})
        await github.fake.rebase_stack(NAME, pulls[0].number)
    return pulls


async def test_what_github_rebased_is_ours(github: Bench) -> None:
    """Unsigned and with another committer, but with exactly our change."""
    for pull in await _rebased(github):
        assert await _is_ours(github, pull)


@pytest.mark.parametrize(
    "change", [{"t1.txt": b"1\n2\nX\n"}, {"more.txt": b"x\n"}, {"t1.txt": b" 1\n2\n3\n"}]
)
async def test_who_imitates_a_rebase_is_a_person(github: Bench, change: dict[str, object]) -> None:
    """Author, committer and message are easily copied: one byte more is a person's work."""
    pull, _ = await _rebased(github)
    assert pull.pull
    bare = github.fake.repo(NAME).state.bare
    message = bare.text("show", "-s", "--format=%B", pull.pull.sha)
    name, mail = bare.text("show", "-s", "--format=%an%n%ae", pull.pull.sha).split("\n")
    author = Person(name, mail, github.fake.clock.now())
    web = Person("GitHub", "noreply@github.com", github.fake.clock.now())
    tree = write_files(bare, bare.resolve(pull.pull.sha, "tree"), change)
    parent = bare.text("rev-parse", f"{pull.pull.sha}^")
    made = bare.commit(tree, [parent], f"{message}\n", author=author, committer=web)
    await github.fake.move_branch(NAME, pull.pull.head, made)
    assert not await _is_ours(github, pull)


async def test_without_a_history_of_the_branch_it_is_left_to_people(github: Bench) -> None:
    """A server that does not say what moved a branch: nothing is overwritten."""
    pull, _ = await _rebased(github)
    github.fake.fail("GET", f"/repos/{NAME}/activity", status=404)
    assert not await _is_ours(github, pull)
