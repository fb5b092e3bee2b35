"""The roadmap a run reads: the newest of the base branch, with what open pull requests change."""

from __future__ import annotations

from runner.loop.stacking import roadmap_now
from runner.roadmap.parse import parse_roadmap
from runner.state.publishing import Member, Stack
from tests.runner.memory_repository import START, MemoryRepository

OPEN = "# Plan\n\n- [ ] 1.1 Add a\n- [ ] 1.2 Add b\n"


def repository(**commits: str | None) -> MemoryRepository:
    """A repository with one commit for each text of the roadmap; None for no roadmap."""
    made = MemoryRepository({"ROADMAP.md": OPEN})
    for name, text in commits.items():
        made.commits[name] = {} if text is None else {"ROADMAP.md": ("100644", text.encode())}
    return made


def stack(*members: Member, base: str = "newest") -> Stack:
    """Pull requests on a base branch."""
    tip = members[-1].commit if members else START
    return Stack(tip, "b", base=base, base_branch="main", members=members)


def ticked(text: str, *ids: str) -> str:
    """The roadmap with some tasks done."""
    for each in ids:
        text = text.replace(f"[ ] {each}", f"[x] {each}")
    return text


async def test_open_pull_requests_tick_what_the_base_branch_does_not() -> None:
    """Each one's tick is seen, with tasks that were added to the base branch since."""
    newest = OPEN + "- [ ] 1.3 Add c\n"
    where = repository(newest=newest, one=ticked(OPEN, "1.1"), two=ticked(OPEN, "1.1", "1.2"))
    members = (
        Member(("k1",), "one", "b1", "main", fork=START),
        Member(("k2",), "two", "b2", "b1", fork="one"),
    )
    found = await roadmap_now(where, stack(*members), "ROADMAP.md")

    assert found is not None
    assert found.content.decode() == ticked(newest, "1.1", "1.2")
    keys = [task.key for task in parse_roadmap("ROADMAP.md", OPEN.encode()).tasks]
    assert found.ticked == frozenset(keys)


async def test_without_pull_requests_it_is_the_newest_of_the_base_branch() -> None:
    """Nothing of it is unmerged."""
    found = await roadmap_now(repository(newest=ticked(OPEN, "1.2")), stack(), "ROADMAP.md")

    assert found is not None
    assert (found.content.decode(), found.ticked) == (ticked(OPEN, "1.2"), frozenset())


async def test_a_base_branch_without_a_roadmap_has_none() -> None:
    """Whatever a pull request adds."""
    member = Member(("k1",), "one", "b1", "main", fork=START)
    where = repository(newest=None, one=ticked(OPEN, "1.1"))

    assert await roadmap_now(where, stack(member), "ROADMAP.md") is None


async def test_a_pull_request_that_deletes_the_roadmap_changes_nothing_in_it() -> None:
    """Nor does one that nobody knows the start of, as long as it ticks nothing."""
    members = (
        Member(("k1",), "gone", "b1", "main", fork=START),
        Member(("k2",), "same", "b2", "main"),
    )
    where = repository(newest=OPEN, gone=None, same=OPEN)
    found = await roadmap_now(where, stack(*members), "ROADMAP.md")

    assert found is not None
    assert (found.content.decode(), found.ticked) == (OPEN, frozenset())
