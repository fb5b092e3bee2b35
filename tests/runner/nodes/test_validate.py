"""Looking at a change set before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from runner.checks.guarded import said_by
from runner.loop.deps import TaskWork
from runner.nodes.validate import AutoRepaired, complaints_of, validate_code
from runner.people.sentences import refusal_in_log
from runner.state.changes import ChangeSet, Snapshot, Write
from runner.state.findings import Complaint, Verification
from runner.state.run_state import Attempt, RunState, Step
from tests.runner.fields import with_attempt
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import deps
from tests.runner.states import ROADMAP, at, run_state

PLAIN = "- [ ] Do it\n"
BASE = {"ROADMAP.md": ROADMAP, "old.py": "O = 1\n", "test_old.py": "def test_o():\n    assert 1\n"}


def writing(**files: str | None) -> ChangeSet:
    """A change set of Python files (None: deleted)."""
    return ChangeSet(
        {
            f"{name}.py": None if text is None else Write(text.encode())
            for name, text in files.items()
        }
    )


async def judge(changes: ChangeSet, roadmap: str = PLAIN, **attempt: object) -> Step:
    """Validate a change set of the roadmap's first task."""
    state = at("validate_code", run_state(roadmap), answers=1, changes=changes, **attempt)
    return await validate_code(state, deps(repository=MemoryRepository(BASE)), TaskWork())


def errors(step: Step) -> list[str]:
    """The words of the complaints."""
    return [complaint.error for complaint in step.state.attempt.checked.complaints]


async def test_good_code() -> None:
    """What has no fault goes on to be written."""
    step = await judge(writing(a="A = 1\n"))

    assert (step.outcome, errors(step)) == ("ok", [])


def endless() -> Iterator[str]:
    """A check that never comes to its end."""
    while True:
        pass
    yield


async def test_a_check_that_takes_too_long() -> None:
    """It is left out and a reviewer is told, but the check that keeps tests is not."""
    changes = writing(a="A = 1\n", test_old=None)
    red = Verification("t", ())
    state = at("validate_code", run_state(PLAIN), answers=1, changes=changes, verification=red)

    def late(state: RunState, changes: ChangeSet, base: Snapshot, *more: Any) -> AutoRepaired:
        assert said_by(endless) == ()
        return changes, complaints_of(state, changes, base, more[0], {}), ()

    ports = deps(repository=MemoryRepository(BASE))
    step = await validate_code(state, ports, TaskWork(), repair=late, seconds=0.1)

    (warning,) = step.state.attempt.checked.warnings
    assert warning.startswith("Checking this change took too long, so Cairn did not look for: ")
    assert "endless" in warning
    assert "WeakenedTest" in errors(step)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("A = 1\n", "A = 2  # \u202e )\n", True),
        ("A = 1  # \u202e )\n", "A = 2  # \u202e )\n", False),
        ("A = 1\n", "A = 'é ❤\ufe0f'\n", False),
    ],
)
async def test_characters_that_nobody_sees(before: str, after: str, told: bool) -> None:
    """A reviewer is told of new ones: what is read may not be what runs."""
    where = MemoryRepository({**BASE, "a.py": before.encode()})
    state = at("validate_code", run_state(PLAIN), answers=1, changes=writing(a=after))
    step = await validate_code(state, deps(repository=where), TaskWork())

    warnings = "".join(step.state.attempt.checked.warnings)
    assert ("adds characters to `a.py` that readers cannot see" in warnings) == told


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        (writing(a="A = (\n"), "SyntaxError"),
        (ChangeSet({"../up.py": Write(b"U = 1\n")}), "UnsafePath"),
        (ChangeSet({".git/config": Write(b"")}), "UnsafePath"),
        (ChangeSet({"ROADMAP.md": Write(b"- [x] Do it\n")}), "ProtectedPath"),
    ],
)
async def test_faults(changes: ChangeSet, error: str) -> None:
    """A fault is named and sent to repair, and the strategy's reason is kept."""
    step = await judge(changes)

    assert step.outcome == "rejected"
    assert error in errors(step)
    assert step.state.attempt.answered.tried == (changes.digest,)
    assert step.state.attempt.answered.avoid
    assert step.state.attempt.spent.reasons


@pytest.mark.parametrize(
    ("path", "encoding", "code"),
    [
        ("m.py", "latin-1", "# coding: latin-1\ndef {}():\n    return 'ü'\n"),
        ("m.py", "cp1252", "# vim: set fileencoding=cp1252 :\ndef {}():\n    return '€'\n"),
        ("m.js", "utf-16", "function {}() {{\n  return 1;\n}}\n"),  # with a byte-order mark
    ],
)
@pytest.mark.parametrize(("name", "found"), [("tschüß", []), ("tschüss", ["Untouched"])])
async def test_names_in_other_encodings(
    path: str, encoding: str, code: str, name: str, found: list[str]
) -> None:
    """A name with other letters than ASCII is found in a file of any encoding."""
    changes = ChangeSet({path: Write(code.format(name).encode(encoding))})

    step = await judge(changes, "- [ ] Add a function `tschüß()`\n")

    assert errors(step) == found


@pytest.mark.parametrize(
    ("roadmap", "found"),
    [
        ("# my_app roadmap\n\nIn TypeScript, for GitHub.\n\n- [ ] Be quick\n", []),
        ("- [ ] Store notes in PostgreSQL\n", []),
        ("- [ ] Upgrade to Node.js 22\n", []),
        ("- [ ] Add shout(text)\n", ["Untouched"]),
        ("- [ ] Write `shout.py`\n", ["Untouched"]),
        ("- [ ] Keep the old name of `old.py`\n", ["Untouched"]),
    ],
)
async def test_what_an_answer_has_to_touch(roadmap: str, found: list[str]) -> None:
    """Files and definitions, there or named as code; not every word of such a form."""
    assert errors(await judge(writing(a="A = 1\n"), roadmap)) == found


@pytest.mark.parametrize(
    ("roadmap", "code", "found"),
    [
        (
            "- [ ] `test_o` in `test_old.py` is to be quick\n",
            "def test_o():\n    return 1\n",
            ["Untouched"],
        ),
        ("- [ ] `test_o` in `test_old.py` is to be quick\n", "from test_old import test_o\n", []),
        ("- [ ] `test_o` is to be quick\n", "def test_o():\n    return 1\n", []),
    ],
)
async def test_another_one_of_the_same_name_is_not_what_is_named(
    roadmap: str, code: str, found: list[str]
) -> None:
    """Where a task says in which file its function stands, a new file cannot make it."""
    assert errors(await judge(writing(b=code), roadmap)) == found


async def test_what_a_person_may_overrule_is_asked_with_all_that_they_want_to_know() -> None:
    """Approving it must not let a destructive operation through that nobody was shown."""
    changes = ChangeSet({"drop.sql": Write(b"DROP TABLE users;\n")})
    state = run_state("- [ ] Add shout(text)\n", pause_destructive=True)
    state = at("validate_code", state, answers=1, changes=changes, asked=("Untouched",))
    step = await validate_code(state, deps(repository=MemoryRepository(BASE)), TaskWork())

    assert step.outcome == "approve"
    assert step.state.attempt.proposal is not None
    assert [one.partition(":")[0] for one in step.state.attempt.proposal.evidence] == [
        "drop.sql, line 1",
        "The task names `shout`, and the answer changes none of it, no file that it loads and no "
        "file that loads it.",
    ]


def test_what_the_model_is_to_do_is_said_to_the_model_alone() -> None:
    """People read what is wrong with an answer."""
    complaint = Complaint("", "StubBody", "`f` does nothing yet.", advice="Write it.")

    assert refusal_in_log(complaint).endswith("StubBody: `f` does nothing yet.")
    assert complaint.for_model == "`f` does nothing yet. Write it."


async def test_complaints_about_the_answer_count() -> None:
    """An answer that was not understood is rejected though the files it has are right."""
    complaint = Complaint("", "UnreadableAnswer", "no file")
    step = await judge(writing(a="A = 1\n"), complaints=(complaint,))

    assert (step.outcome, errors(step)) == ("rejected", ["UnreadableAnswer"])


@pytest.mark.parametrize("changes", [ChangeSet(), writing(old="O = 1\n"), writing(gone=None)])
async def test_an_empty_change(changes: ChangeSet) -> None:
    """What changes nothing is never verified: it goes afresh."""
    step = await judge(changes)

    assert (step.outcome, errors(step)) == ("afresh", ["EmptyAnswer"])


async def test_the_same_answer() -> None:
    """What was tried before is never verified again."""
    changes = writing(a="A = 1\n")
    step = await judge(changes, tried=(changes.digest,))

    assert (step.outcome, errors(step)) == ("afresh", ["SameAnswer"])


async def test_no_call_is_left() -> None:
    """After the last call a fault ends the attempt."""
    state = at("validate_code", run_state(PLAIN), answers=5, changes=writing(a="(\n"))
    step = await validate_code(state, deps(repository=MemoryRepository(BASE)), TaskWork())

    assert step.outcome == "exhausted"


async def test_weakened_tests() -> None:
    """Once tests were red, deleting one is refused."""
    red = Verification("t", ())
    step = await judge(writing(a="A = 1\n", test_old=None), verification=red)

    assert "WeakenedTest" in errors(step)


@pytest.mark.parametrize(
    "roadmap",
    [
        "- [ ] Write it\n  - Files: `src/a.py`\n",
        "- [ ] Move `b.py`\n  - Files: b.py, src/a.py\n",
    ],
)
async def test_a_listed_file_must_be_made(roadmap: str) -> None:
    """A file that the task lists and nobody makes is a fault."""
    step = await judge(writing(b="# as src/a.py\n"), roadmap)

    assert errors(step) == ["MissingFile"]


@pytest.mark.parametrize(
    "roadmap",
    [
        "- [ ] Write `a.py`\n",
        "- [ ] Write `lib/a.py`\n",
        "- [ ] Make it use `os.path` for `application/json` of `owner/name`\n",
        "- [ ] Make `docs/`\n",
        "- [ ] Make `a.py`\n  - it reads `data/prices.csv`, like (`x/y.py`)\n",
        "- [ ] Make `a.py` for a file `x.ini`, `y.ini` or `z.ini`\n",
    ],
)
async def test_names_that_ask_for_nothing_more(roadmap: str) -> None:
    """Made files, the same name elsewhere, folders, and what is read or only looks like a path."""
    assert errors(await judge(writing(a="A = 1\n"), roadmap)) == []


async def test_a_named_file_may_be_deleted() -> None:
    """A task that says to delete a file can be done."""
    step = await judge(writing(old=None), "- [ ] Delete `old.py`\n")

    assert (step.outcome, errors(step)) == ("ok", [])


async def test_mending_notes_are_kept() -> None:
    """What is put right without a model is written down."""
    step = await judge(writing(a="```python\nA = 1\n```\n"))
    attempt: Attempt = step.state.attempt

    assert bool(attempt.answered.auto_repairs) == (step.outcome == "ok")


async def test_paths_that_people_want_to_be_asked_about() -> None:
    """They wait for a person in every mode; what was agreed to is not asked again."""
    changes = ChangeSet({"a.py": Write(b"A = 1\n")})
    state = at("validate_code", run_state(pause_protected=("/a.py",)), changes=changes)
    ports = deps(repository=MemoryRepository({"ROADMAP.md": ROADMAP}))

    asked = await validate_code(state, ports, TaskWork())
    agreed = await validate_code(with_attempt(state, approved=changes.digest), ports, TaskWork())

    assert (asked.outcome, agreed.outcome) == ("approve", "ok")
    assert asked.state.attempt.failure
    assert "a.py" in asked.state.attempt.failure.message


async def test_what_is_never_written_is_not_asked_about() -> None:
    """``protect`` wins: no person can approve the path."""
    changes = ChangeSet({"a.py": Write(b"A = 1\n")})
    options = {"pause_protected": ("/a.py",), "protect": ("/a.py",)}
    state = at("validate_code", run_state(**options), changes=changes)

    step = await validate_code(
        state, deps(repository=MemoryRepository({"ROADMAP.md": ROADMAP})), TaskWork()
    )

    assert step.outcome != "approve"
    assert step.state.attempt.checked.complaints[0].error == "ProtectedPath"


def test_a_path_of_an_answer_stays_within_its_line() -> None:
    """Whatever an agent called a file, the log says no line of its own."""
    said = refusal_in_log(Complaint("a\n::error::x\u202e", "UnsafePath", "It is odd."))

    assert said == "UnsafePath: It is odd. (a ::error::x\ufffd)"
