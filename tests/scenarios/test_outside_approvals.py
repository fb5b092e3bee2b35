"""``pull_requests.push: approved``, tried by the docs alone: no road leads around a yes."""

from __future__ import annotations

import pytest

from tests.fake_github.state import Issue
from tests.marks import OUTSIDE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, ADD_MODULE, ADD_WRONG, CALC, note, notes, on
from tests.scenarios.proposing import id_of, proposal_comment
from tests.scenarios.pushing import push

pytestmark = OUTSIDE

ASKS = {".github/cairn.yml": b"pull_requests: {push: approved}\n"}
TASK = "- [ ] 1.1 Write `one.md`\n"
ONE_NOTE = on(notes(TASK, **ASKS))
SUNG = note("one.md", "The canary sings.")
YES = ("+1", "rocket", "reply", "reply on the issue", "review", "merge", "button approve")
NO = ("-1", "reject", "changes", "close", "button reject", "button skip")


def is_stored(bot: Bot, text: str = "The canary sings.") -> bool:
    """Whether GitHub has a text in any object, on a branch or not."""
    listed = bot.view.state.bare.text("cat-file", "--batch-all-objects", "--batch-check").split(
        "\n"
    )
    blobs = [line.split()[0] for line in listed if " blob " in line]
    return any(text.encode() in bot.view.state.bare.content(sha) for sha in blobs)


def pushed(bot: Bot) -> list[Issue]:
    """The pull requests of Cairn that are no questions."""
    return [p for p in bot.pulls if p not in bot.proposals and p.user is bot.github.app.bot]


def read(bot: Bot) -> str:
    """All that was said and not read yet."""
    return "\n".join(said for n in bot.view.issues for said in bot.github.says(REPOSITORY, n))


async def asked(bot: Bot, answer: str) -> Issue:
    """The question about the first task, done by this answer."""
    bot.model.says(answer)
    await bot.comment("/execute --task 1.1")
    assert "diff --git a/" in read(bot)
    return bot.proposals[-1]


async def decide(bot: Bot, pull: Issue, road: str, by: str = "writer") -> None:
    """Answer a question in one of the ways that docs/decisions.md names."""
    github, number = bot.github, pull.number
    match road.split():
        case ["+1" | "rocket" | "-1" as reaction]:
            github.react(proposal_comment(bot, pull), reaction, by=by)
            await bot.later(seconds=16)
        case ["reply"]:
            await bot.reply(pull, "/approve", by=by)
        case ["reply", *_]:
            await bot.comment(f"/approve {id_of(bot, pull)}", by=by)
        case ["reject"]:
            await bot.reply(pull, "/reject not like this", by=by)
        case ["review"]:
            await github.review(REPOSITORY, number, "APPROVED", by=by)
        case ["changes"]:
            await github.review(REPOSITORY, number, "CHANGES_REQUESTED", "No.", by=by)
        case ["button", which]:
            (check, *_) = [each for each in bot.view.checks if each["actions"]]
            await github.click(REPOSITORY, int(str(check["id"])), which, by=by)
        case ["close"]:
            await github.close(REPOSITORY, number, by=by)
        case ["merge"]:
            await github.ready(REPOSITORY, number)
            await github.merge_pull(REPOSITORY, number, by=by)
    await bot.idle()


@pytest.mark.parametrize("road", YES + NO)
@ONE_NOTE
async def test_each_road_is_a_yes_or_a_no(bot: Bot, road: str) -> None:
    """A stranger's click on it is nothing; a yes pushes the change, a no leaves no trace of it."""
    pull = await asked(bot, SUNG)
    if road not in ("merge", "close"):
        await decide(bot, pull, road, by="reader")
    assert not is_stored(bot)

    await decide(bot, pull, road)

    read(bot)
    assert is_stored(bot) == (road in YES)
    assert [bot.changed(each).keys() for each in pushed(bot)] == [{"ROADMAP.md", "one.md"}] * (
        road in YES
    )
    assert pull.state == "closed"


@pytest.mark.parametrize("verdict", ["reply", "reject", "merge"])
@on(CALC | ASKS)
async def test_a_repair_of_failing_checks_waits_too(bot: Bot, verdict: str) -> None:
    """``/execute fix``: no branch of the repair before a yes; after a no there is none.

    Merging the question adds a commit to their branch, which changes nothing.
    """
    broken = {
        "calc/add.py": b"def add(a, b):\n    return a - b\n",
        "tests/test_add.py": b"from calc.add import add\n\n\n"
        b"def test_add():\n    assert add(2, 3) == 5\n",
    }
    await bot.github.push(REPOSITORY, broken, branch="theirs")
    theirs = await bot.github.open_pull(REPOSITORY, "Add numbers", head="theirs")
    log = "FAILED tests/test_add.py::test_add - assert -1 == 5\n"
    await bot.github.check(REPOSITORY, theirs.pull.sha, "failure", log=log)
    await bot.idle()
    bot.model.says(ADD_MODULE)
    await bot.reply(theirs, "/execute fix")
    (pull,) = bot.proposals
    assert "+    return a + b" in read(bot)
    assert not is_stored(bot, "return a + b")

    await decide(bot, pull, verdict)

    no = "**No repair was proposed:** Rejected by writer (reply): not like this." in read(bot)
    bases = [each.pull.base for each in pushed(bot)]
    assert bases == ([] if no else ["theirs"])
    assert is_stored(bot, "return a + b") != no
    assert no == (verdict == "reject")


@on(CALC | ASKS)
async def test_a_task_that_failed_leaves_no_code(bot: Bot) -> None:
    """The last attempt is shown and stored nowhere, also when people take the task over."""
    bot.model.when(contains="A programmer could not finish").says("unknown\nNobody can say.")
    wrong = [ADD_WRONG.replace("a - b", f"a - b - {number}") for number in range(4)]
    bot.model.when(contains="`add(a, b)`", without=("could not finish",)).says(*wrong)
    await bot.comment("/execute --max-tasks 1")
    (pull,) = bot.proposals
    assert "return a - b - 3" in read(bot)
    assert not is_stored(bot, "return a - b")

    await decide(bot, pull, "reply")

    assert "**Ready for people**" in read(bot)
    assert not is_stored(bot, "return a - b")


DROPPED = "What was approved before was not used: one.md changed in the meantime."
MEANWHILE: dict[str, dict[str, object]] = {
    "the task is another one": {"ROADMAP.md": b"- [ ] 1.1 Write `one.md` in French\n"},
    "the file is a person's": {"one.md": b"Theirs.\n"},
}


@pytest.mark.parametrize("what", MEANWHILE)
@ONE_NOTE
async def test_what_was_approved_is_not_pushed_onto_something_else(bot: Bot, what: str) -> None:
    """The world moved between question and click: the yes was to another change; asked again."""
    bot.model.says(SUNG)
    await bot.comment("/execute")
    (pull,) = bot.proposals
    read(bot)
    await push(bot, bot.view.file("main", "ROADMAP.md"), files=MEANWHILE[what])
    bot.model.says(note("one.md", "Theirs.\n\nThe second canary."))

    await decide(bot, pull, "reply")

    said = read(bot)
    assert "+The second canary." in said
    assert (DROPPED in said) == ("person" in what)
    assert (is_stored(bot), is_stored(bot, "second canary")) == (False, False)
    assert pushed(bot) == []


@on(CALC | ASKS)
async def test_what_no_longer_passes_is_not_pushed(bot: Bot) -> None:
    """An approved change is verified once more where it is pushed; its repair is asked about."""
    pull = await asked(bot, ADD)
    later = b"from calc.add import add\n\n\ndef test_floats():\n    assert add('1', '1') == 2\n"
    await push(bot, bot.view.file("main", "ROADMAP.md"), files={"tests/test_floats.py": later})
    bot.model.says(ADD.replace("a + b", "int(a) + int(b)"))

    await decide(bot, pull, "reply")

    assert "+    return int(a) + int(b)" in read(bot)
    assert not is_stored(bot, "return a + b")
    assert not is_stored(bot, "int(a)")
    await decide(bot, bot.proposals[-1], "reply")
    read(bot)
    assert is_stored(bot, "int(a)")


@on(
    notes(
        TASK,
        **{".github/cairn.yml": b"permissions: {own_runs: false}\n" + ASKS[".github/cairn.yml"]},
    )
)
async def test_a_second_pair_of_eyes(bot: Bot) -> None:
    """``own_runs: false``: neither the starter nor whoever starts the same again may say yes."""
    for login, role in (("second", "write"), ("maintainer", "maintain")):
        bot.github.add_user(login)
        bot.github.set_role(REPOSITORY, login, role)
    await decide(bot, await asked(bot, SUNG), "reply")
    await bot.comment("/execute retry 1.1 --from verify", by="second")
    await decide(bot, bot.proposals[-1], "reply", by="second")
    read(bot)
    assert not is_stored(bot)

    await decide(bot, bot.proposals[-1], "review", by="maintainer")

    read(bot)
    assert is_stored(bot)
    assert len(bot.prompts) == 1
