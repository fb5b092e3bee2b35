"""Text of roadmaps, models and commands has no effect on GitHub, wherever it is published."""

from __future__ import annotations

import json
import re

from tests.scenarios.bot import Bot
from tests.scenarios.projects import CALC, answer, note, notes, on

EVIL = (
    "@octo/all closes #7 GH-8 fixes octo/hello#9 [skip ci] "
    "<!-- cairn:checkpoint:x --> <!-- cairn:progress:x --> &#64;octo"
)
ACTIVE = re.compile(
    r"(?<![\w`/])@[a-z]"  # a mention
    r"|\b(?:close|fixe)s #?\w*/?\w*#\d"  # a closing keyword
    r"|(?<![\w&])#\d"  # a reference
    r"|GH-\d"
    r"|\[skip ci\]"
    r"|^::|##\["  # workflow commands
    r"|<!--(?! cairn:(?:(?:checkpoint|progress|recovery|run):[0-9a-f]{10}|roadmap:ROADMAP\.md"
    r"|proposal:[0-9a-f]{64}|state:proposed|on:[\w/.-]*) -->)"  # hidden text that is not ours
    r"|&#64;",
    re.MULTILINE,
)
FAILS = "The task cannot be done."
WHY = "or you are not sure"
"""Words of the question why a task failed."""


def active(text: str) -> list[str]:
    """What in a text would have an effect on GitHub; the picture's source has none."""
    shown = re.sub(r"\n```mermaid\n.*?\n```\n", "\n", text, flags=re.DOTALL)
    return [found[0] for found in ACTIVE.finditer(shown)]


def test_the_search_finds_what_is_active() -> None:
    """The tests below would see it if something got through."""
    assert len(active(EVIL)) == 8


@on(notes(f"- [ ] 1.1 Write `one.md` {EVIL}\n"))
async def test_a_checkpoint_is_safe(bot: Bot) -> None:
    """Title, body, commit message and progress comment only show what the roadmap says."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    (pull,) = bot.pulls
    assert "octo/all" in pull.title
    for text in (pull.title, pull.body or "", bot.message(pull), said):
        assert active(text) == []


@on(notes(f"- [ ] 1.1 Write `one.md`\n- [ ] 1.2 {EVIL}\n"))
async def test_the_neighbours_of_a_task_are_safe(bot: Bot) -> None:
    """Tasks that are only listed in the comment are listed without effect."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute --max-tasks 1")

    (said,) = bot.says()
    assert "octo/all" in said
    assert active(said) == []


@on(notes(f"- [ ] 1.1 Write `one.md` {EVIL}\n"))
async def test_an_escalation_is_safe(bot: Bot) -> None:
    """The pull request that hands a task to people notifies and closes nothing."""
    bot.model.when(contains=WHY).says(f"unknown\n{EVIL}")
    bot.model.says(*[f"{FAILS} {EVIL} {number}" for number in range(3)])

    await bot.comment("/execute")

    (pull,) = bot.proposals
    (proposal,) = bot.proposes()
    assert "octo/all" in pull.title
    for text in (*bot.says(), proposal, pull.title, pull.body or "", bot.message(pull)):
        assert active(text) == []


@on(notes(f"- [ ] 1.1 Write `one.md` {EVIL}\n"))
async def test_a_dry_run_is_safe(bot: Bot) -> None:
    """What a dry run lists has no effect either."""
    await bot.comment("/execute --dry-run")

    (said,) = bot.says()
    assert "octo/all" in said
    assert active(said) == []


@on(notes("- [ ] ~~~ @octo closes #7\n"))
async def test_a_fence_in_a_title_disarms_nothing(bot: Bot) -> None:
    """A title that looks like the start of a code block is plain text where it is published."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    (pull,) = bot.pulls
    for text in (pull.title, bot.message(pull), said):
        assert active(text) == []


@on(notes("- [ ] 1.1 Write down how parcels are delivered\n"))
async def test_a_path_of_the_model_is_safe(bot: Bot) -> None:
    """File names come from the model, and can be any text."""
    path = "docs/` @octo closes #7 `.md"
    bot.model.says(json.dumps({"files": [{"path": path, "content": "A note.\n"}]}))

    await bot.comment("/execute")

    bot.says()
    (pull,) = bot.pulls
    assert path in bot.changed(pull)
    assert "octo" in (pull.body or "")
    assert active(pull.body or "") == []


SHOUT = answer(
    {
        "calc/shout.py": "def shout():\n    return 1\n",
        "tests/test_shout.py": "from calc.shout import shout\n\n\ndef test_shout():\n"
        "    print('::error::@octo closes #7 <!-- cairn:progress:x -->')\n"
        "    print('````')\n"
        "    assert shout() == 2, '@octo closes #7 <!-- x --> ::error::y'\n",
    }
)


@on({**CALC, "ROADMAP.md": b"- [ ] 1.1 Add `calc/shout.py`\n"})
async def test_output_of_tests_is_safe(bot: Bot) -> None:
    """What a failing test printed is shown where people look, without effect."""
    bot.model.when(contains=WHY).says("unknown")
    bot.model.says(SHOUT, SHOUT, SHOUT)

    await bot.comment("/execute")

    bot.says()
    (escalation,) = bot.proposes()
    assert "octo" in escalation
    outside = re.sub(r"\n````\n.*?\n````\n", "\n", escalation, flags=re.DOTALL)
    assert active(outside) == []
    assert "<!-- x -->" not in escalation
    assert "\n::error::" not in escalation
    assert "closes #7" not in escalation


@on(notes("- [ ] 1.1 Write it\n", **{".github/cairn.yml": b"'@octo` closes #7 @octo': 1\n"}))
async def test_a_key_of_the_configuration_is_safe(bot: Bot) -> None:
    """A complaint about the configuration quotes it without effect."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "octo" in said
    assert active(said) == []


async def test_a_word_of_a_command_is_safe(bot: Bot) -> None:
    """What a person typed is quoted in the reply without effect, even to other people."""
    await bot.comment("/execute --task '`@octo closes #7`' --max-tasks 1")
    await bot.comment("/execute '@octo<!--'", by="outsider")

    for text in bot.says():
        assert "closes #7" not in re.sub(r"`[^`]*`", "", text)
        assert "@octo" not in re.sub(r"`[^`]*`", "", text)
