"""Roadmaps as people write them, and configurations with mistakes."""

from __future__ import annotations

import re

import pytest

from tests.scenarios.bot import Bot
from tests.scenarios.projects import note, notes, on
from tests.scenarios.stacks import diff, merge

CONFIG = ".github/cairn.yml"


@on({"README.md": b"# No roadmap\n"})
async def test_a_missing_roadmap_is_told(bot: Bot) -> None:
    """Without a roadmap the comment says which file is missing and what to do."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "There is no file `ROADMAP.md`" in said
    assert "`/execute docs/PLAN.md`" in said


LINKED = {
    "docs/PLAN.md": b"- [ ] Write `one.md`\n- [ ] Write `two.md`\n",
    "docs/NOW.md": ("120000", b"PLAN.md"),
    "ROADMAP.md": ("120000", b"docs/NOW.md"),
}


@on(LINKED)
async def test_a_roadmap_that_is_a_link(bot: Bot) -> None:
    """The file that it leads to is read and ticked; later commands and merges mean it, too."""
    bot.model.says(note("one.md"), note("two.md"))

    await bot.comment("/execute --max-tasks 1")
    bot.says()
    await merge(bot, bot.pulls[0])
    bot.says()
    await bot.comment("/execute")

    assert "is done" in bot.says()[-1]
    head = bot.pulls[-1].pull.sha
    assert diff(bot, bot.pulls[-1]).count("\n+- [x] Write `two.md`") == 1
    assert bot.view.files(head)["ROADMAP.md"][0] == "120000"
    plan = bot.view.state.bare.text("show", f"{head}:docs/PLAN.md")
    assert plan.split("\n") == ["- [x] Write `one.md`", "- [x] Write `two.md`"]


@on({"README.md": b"# No roadmap\n", "ROADMAP.md": ("120000", b"../elsewhere/PLAN.md")})
async def test_a_roadmap_that_is_a_link_out_of_the_repository(bot: Bot) -> None:
    """It is not followed, and no task is found."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "`ROADMAP.md`" in said
    assert set(bot.view.branches) == {"main"}


@on(notes(""))
async def test_an_empty_roadmap_is_told(bot: Bot) -> None:
    """An empty roadmap is called empty, with a line to begin with."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "`ROADMAP.md` is empty" in said
    assert "`- [ ] what to do`" in said


@on(notes("# Plans\n\n- Write one\n- Write two\n"))
async def test_a_roadmap_without_boxes_is_told(bot: Bot) -> None:
    """Plain list items are no tasks; the comment says how a task is written."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "has no checkboxes" in said
    assert "`- [ ] what to do`" in said


@on(notes("- [x] Write one\n- [X] Write two\n"))
async def test_a_finished_roadmap_is_told(bot: Bot) -> None:
    """When every box is ticked the comment says that nothing is left."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "no open task" in said
    assert bot.pulls == []


@on(notes("- [ ] 1.1 Write `one.md`\n- [ ] Write `two.md`\n"))
async def test_an_unknown_task_is_answered_with_those_there_are(bot: Bot) -> None:
    """``--task`` with a name that is none gets the names to choose from."""
    await bot.comment("/execute --task 9.9")

    (said,) = bot.says()
    assert "no task called `9.9`" in said
    assert "`1.1`" in said
    assert bot.pulls == []


@on(notes("- [ ] 1.1 Write `one.md`\n- [ ] 1.1 Write `two.md`\n"))
async def test_an_ambiguous_task_is_answered_with_the_keys(bot: Bot) -> None:
    """An id that two tasks bear is no choice: the answer names both by key and title."""
    await bot.comment("/execute --task 1.1")

    (said,) = bot.says()
    assert "(line 1) Write one.md" in said
    assert "(line 2) Write two.md" in said
    assert bot.pulls == []


@on(notes("- [ ] 1.1 Write `one.md`\n- [ ] 1.1 Write `two.md`\n"))
async def test_a_key_names_one_of_two(bot: Bot) -> None:
    """The keys of that answer can be asked for."""
    await bot.comment("/execute --task 1.1")
    (said,) = bot.says()
    (key,) = re.findall(r"`([0-9a-f]{10})` \(line 2\)", said)
    bot.model.says(note("two.md"))

    await bot.comment(f"/execute --task {key}")

    bot.says()
    assert bot.checkpoints() == ["1.1 Write two.md"]


@on(notes("- [x] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n"))
async def test_a_task_that_is_done_is_not_done_again(bot: Bot) -> None:
    """``--task`` with a ticked task starts nothing and says why."""
    await bot.comment("/execute --task 1.1")

    (said,) = bot.says()
    assert "`1.1` (line 1) is already done" in said
    assert bot.pulls == []


@on(notes("- [ ] T1 Write notes\n  - [ ] T1.1 Write `one.md`\n"))
async def test_a_task_with_tasks_below_it_cannot_be_asked_for(bot: Bot) -> None:
    """``--task`` with a summary starts nothing: the work is in the tasks below it."""
    await bot.comment("/execute --task T1")

    (said,) = bot.says()
    assert "`T1` (line 1) has subtasks" in said
    assert bot.pulls == []


@on(notes("- [ ] Notes\n  - [ ] Write `one.md`\n    - [x] Think\n- [ ] Write `two.md`\n"))
async def test_nested_tasks_are_worked_in_order(bot: Bot) -> None:
    """The innermost open tasks are the work; a task with tasks below it is none."""
    bot.model.says(note("two.md"))

    await bot.comment("/execute")

    bot.says()
    assert bot.checkpoints() == ["Write two.md"]


@on(notes("- [ ] Notes\n  - [ ] Write `one.md`\n  - [ ] Write `two.md`\n"))
async def test_nested_boxes_are_ticked_where_they_stand(bot: Bot) -> None:
    """A nested task's own box is ticked; its parent's is left to people."""
    bot.model.says(note("one.md"), note("two.md"))

    await bot.comment("/execute")

    bot.says()
    assert bot.checkpoints() == ["Write one.md", "Write two.md"]
    ticked = bot.changed(bot.pulls[1])["ROADMAP.md"]
    assert ticked == b"- [ ] Notes\n  - [x] Write `one.md`\n  - [x] Write `two.md`\n"


WINDOWS = b"\xef\xbb\xbf# Plan\r\n\r\n- [ ] Write `one.md`\r\n- [ ] Write `two.md`"


@on(notes(WINDOWS))
async def test_a_tick_is_one_byte(bot: Bot) -> None:
    """Byte-order mark, CRLF and a missing last line end stay as they are."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    ticked = bot.changed(bot.pulls[0])["ROADMAP.md"]
    assert ticked == WINDOWS.replace(b"[ ] Write `one", b"[x] Write `one")


PLAN = {"docs/PLAN.md": b"- [ ] Write `plan.md`\n"}


@on(notes("- [ ] Not this\n", **PLAN, **{CONFIG: b"roadmap:\n  path: docs/PLAN.md\n"}))
async def test_the_roadmap_can_be_configured(bot: Bot) -> None:
    """The path in ``.github/cairn.yml`` is the roadmap of a plain ``/execute``."""
    bot.model.says(note("plan.md"))

    await bot.comment("/execute")

    bot.says()
    assert set(bot.changed(bot.pulls[0])) == {"docs/PLAN.md", "plan.md"}


@pytest.mark.parametrize(
    ("files", "where"),
    [
        (notes("- [ ] A\n", **{CONFIG: b"verify:\n  mode: off\n  mood: on\n"}), "line 3"),
        (notes("- [ ] A\n", **{CONFIG: b"limits:\n  tasks: many\n"}), "line 2"),
        (notes("- [ ] A\n", **{CONFIG: b"verify: [\n"}), "line "),
    ],
    ids=["unknown", "wrong", "broken"],
)
async def test_a_configuration_with_a_mistake_starts_nothing(bot: Bot, where: str) -> None:
    """One comment names the line, and no model, branch or pull request is touched."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "`.github/cairn.yml` has errors" in said
    assert where in said
    assert set(bot.view.branches) == {"main"}


_HUGE = b"# padding\n" * 120_000


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (notes("- [ ] A\n", **{f"{CONFIG}/notes.txt": b"a folder\n"}), "is a folder"),
        (notes("- [ ] A\n", **{CONFIG: ("120000", b"../README.md")}), "is a symbolic link"),
        (notes("- [ ] A\n", **{CONFIG: b"loop: fixed\n" + _HUGE}), "1200012 bytes"),
        (notes("- [ ] A\n", **{CONFIG: b"#" * 100_000}), "100000 bytes"),
    ],
    ids=["folder", "link", "over 1 MB", "over the limit"],
)
async def test_what_is_no_configuration_file_starts_nothing(bot: Bot, why: str) -> None:
    """The comment says what stands in the file's place; defaults are not used silently."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "`.github/cairn.yml` has errors" in said
    assert why in said
    assert set(bot.view.branches) == {"main"}


_FREED = b"protect: ['!/.github/workflows/**', '!/.github/cairn.yml', '!/.gitmodules']\n"


@on(notes("- [ ] A\n", **{CONFIG: _FREED}))
async def test_what_is_always_protected_cannot_be_freed(bot: Bot) -> None:
    """A configuration that tries is refused, each pattern with its line and the reason."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "`.github/cairn.yml` has errors" in said
    for number in range(3):
        assert f"`protect.{number}`" in said
    assert "always protected" in said
    assert set(bot.view.branches) == {"main"}


_BROAD = b"protect: ['**', '!*.md', '!*.yml']\n"


@on(notes("- [ ] Write `one.md` for the CI workflow\n", **{CONFIG: _BROAD}))
async def test_a_pattern_frees_only_what_the_configuration_protects(bot: Bot) -> None:
    """``!*.yml`` after ``**`` is allowed, and workflows stay protected all the same."""
    bot.model.says(note("one.md") + note(".github/workflows/ci.yml", "on: push"))

    await bot.comment("/execute")

    bot.says()
    assert "left out .github/workflows/ci.yml" in (bot.pulls[0].body or "")
    assert set(bot.changed(bot.pulls[0])) == {"ROADMAP.md", "one.md"}


LAUNCH = """# Plan

- [ ] 1.1 Write `one.md`
  - Acceptance: it is short

**Exit criteria:**

- [ ] Everybody can read it

## Launch checklist

- [ ] The note is shown on phones
- [ ] No link is broken
- [ ] Write `two.md`

## Open questions

- [ ] Should the note be longer?
"""


@on(notes(LAUNCH))
async def test_lists_of_checks_are_no_tasks(bot: Bot) -> None:
    """Criteria go to the model with their task; of a checklist only what is to be made is work."""
    bot.model.says(note("one.md"), note("two.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    assert bot.checkpoints() == ["1.1 Write one.md", "Write two.md"]
    assert "Everybody can read it" in bot.prompts[0]
    assert bot.prompts[0].count("it is short") == 1
    for line in ("shown on phones", "link is broken"):
        assert line not in said
    ticked = bot.view.file(bot.pulls[-1].pull.head, "ROADMAP.md").decode()
    assert ticked.count("[x]") == 2
