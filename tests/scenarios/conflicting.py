"""What the conversations about conflicts share: notes of three lines, and who changes their first.

The tasks change the first line of one note each, and so do people on the default branch.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.fake_github.bare import Person, write_files
from tests.fake_github.state import Issue
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes
from tests.scenarios.pushing import push
from tests.scenarios.stacks import body, place_check

NAMES = ("alpha", "beta", "gamma")


def text(first: str) -> str:
    """A note whose first line says this."""
    return f"# Title\n\n{first}\n\nsecond\n\nthird\n"


def pages(first: str, *names: str) -> dict[str, object]:
    """These notes as files, with the same first line."""
    return {f"{name}.md": text(first) for name in names}


LINES = "".join(f"- [ ] 1.{n} Change `{name}.md`\n" for n, name in enumerate(NAMES, 1))
REPO = notes(LINES, **pages("first", *NAMES))


def says(first: str, *names: str) -> str:
    """A model's answer that changes the first line of these notes."""
    return "".join(note(f"{name}.md", text(first).rstrip("\n")) for name in names)


async def made(bot: Bot, count: int = 1, **config: object) -> list[Issue]:
    """The pull requests of the first tasks; ``config`` are keys of pull_requests."""
    if config:
        keys = "".join(f"  {key}: {value}\n" for key, value in config.items())
        await bot.github.push(REPOSITORY, {".github/cairn.yml": f"pull_requests:\n{keys}"})
    bot.model.says(*(says("of the bot", name) for name in NAMES[:count]))
    await bot.comment(f"/execute --max-tasks {count}")
    read(bot)
    return bot.pulls


async def changed_by_a_person(bot: Bot, *names: str, first: str = "of a person") -> None:
    """Somebody pushes another first line to the default branch."""
    await push(bot, bot.view.file("main", "ROADMAP.md"), files=pages(first, *names))


@asynccontextmanager
async def while_asked(bot: Bot, answer: str) -> AsyncIterator[None]:
    """Change ``alpha.md`` on the default branch; the block is what happens before the answer."""
    held = Held(answer)
    bot.model.says(held)
    await bot.github.push(REPOSITORY, pages("of a person", "alpha"))
    await held.asked.wait()
    yield
    held.go.set()
    await bot.idle()


async def resolve_by_hand(bot: Bot, pull: Issue) -> None:
    """Type what the description says, and write another first line of ``alpha.md``."""
    bare, main = bot.view.state.bare, bot.view.branches["main"]
    ticked = bot.view.file(pull.pull.sha, "ROADMAP.md")
    files = {**pages("by hand", "alpha"), "ROADMAP.md": ticked}
    tree = write_files(bare, bare.resolve(main, "tree"), files)
    made = bare.commit(tree, [pull.pull.sha, main], "Merge main", author=_writer(bot))
    await bot.github.move_branch(REPOSITORY, pull.pull.head, made)


async def rewrite_main(bot: Bot, onto: str, files: dict[str, object]) -> None:
    """Force the default branch to one commit on another one, with these files laid over it."""
    bare, main = bot.view.state.bare, bot.view.branches["main"]
    tree = write_files(bare, bare.resolve(main, "tree"), files)
    made = bare.commit(tree, [onto], "Again", author=_writer(bot))
    await bot.github.move_branch(REPOSITORY, "main", made)
    await bot.idle()


def _writer(bot: Bot) -> Person:
    return Person("writer", "writer@example.com", bot.github.clock.now())


def read(bot: Bot) -> str:
    """All that the bot has said anywhere and nobody read yet."""
    numbers = list(bot.view.issues)
    return "\n".join(said for n in numbers for said in bot.github.says(REPOSITORY, n))


def first_line(bot: Bot, ref: str, name: str = "alpha") -> str:
    """The first line of a note at a branch or commit."""
    found = bot.view.file(ref, f"{name}.md")
    return "" if found is None else found.decode().split("\n")[2].rstrip("\r")


def parents(bot: Bot, commit: str) -> list[str]:
    """The parents of a commit."""
    return bot.view.state.bare.text("log", "-1", "--format=%P", commit).split()


def shown(bot: Bot, pull: Issue) -> set[str]:
    """The files that GitHub shows as changed by a pull request: from the merge base."""
    bare = bot.view.state.bare
    base = bare.merge_base(bare.resolve(f"refs/heads/{pull.pull.base}") or "", pull.pull.sha)
    return set(bare.text("diff", "--name-only", base or "", pull.pull.sha).split("\n"))


def mergeable(bot: Bot, pull: Issue) -> bool:
    """Whether GitHub can merge a pull request."""
    return bool(bot.github.pull_body(REPOSITORY, pull.number)["mergeable"])


def check_resolved(bot: Bot, pull: Issue, first: str, name: str = "alpha") -> None:
    """The pull request can be merged, has this first line, and nothing asks people for anything."""
    assert mergeable(bot, pull)
    assert first_line(bot, pull.pull.sha, name) == first
    assert place_check(bot, pull) == "success"
    assert "git merge" not in body(pull)


def check_left_to_people(bot: Bot, pull: Issue, *names: str) -> None:
    """The description says which files are in conflict and what to type, and the check is red."""
    assert not mergeable(bot, pull)
    assert all(f"`{name}.md`" in body(pull) for name in names)
    assert f"git switch {pull.pull.head}\ngit merge origin/main" in body(pull)
    assert place_check(bot, pull) == "failure"
