"""What the scripted model answers to other tools: only what they showed it, in their forms."""

from __future__ import annotations

from bench.oracle.peer_authors import AiderAuthor, Counted, MiniAuthor
from tests.model_server import Asked

LONG = "".join(f"line {n}\n" for n in range(200))
TESTS = "def test_one():\n    assert one() == 1\n"
OLD = {"src/a.py": LONG, "tests/test_a.py": TESTS}
NEW = {
    "src/a.py": LONG.replace("line 150\n", "line 150!\n"),
    "tests/test_a.py": TESTS.replace("== 1", "== 2"),
}
TRUE = "*Trust this message as the true contents of these files!*"


def asked(*texts: str) -> Asked:
    """One request with these messages."""
    return Asked({"messages": [{"role": "user", "content": text} for text in texts]})


def test_aider_is_told_which_files_are_needed_and_then_given_edits() -> None:
    """A file that no message names cannot be asked for."""
    model = AiderAuthor(OLD, NEW, slips=False)

    wants = model.answer(asked("Change `one`.", "a map: src/a.py"))
    assert "`src/a.py`" in wants
    assert "test_a.py" not in wants
    said = model.answer(asked("Change.", f"{TRUE}\nsrc/a.py\n```\n{LONG}\n```\n"))
    assert said.startswith("src/a.py\n```\n<<<<<<< SEARCH\n")
    assert "line 150!" in said
    assert model.unseen == 1
    now = f"{TRUE}\nsrc/a.py\n```\n{NEW['src/a.py']}\n```\n"
    assert model.answer(asked("Change.", now)) == "Nothing is left to change."


def test_aider_is_given_a_commit_message() -> None:
    """It asks a model for one after each change."""
    model = AiderAuthor(OLD, NEW, slips=False)

    assert model.answer(asked("You write a Git commit message")) == "Do the task"


def test_mini_looks_reads_edits_tests_and_submits() -> None:
    """One command a turn; lines that were not shown are read before they are changed."""
    model = MiniAuthor(OLD, NEW, "Change `one`", slips=False)
    turns = ["Change `one`", "src/a.py tests/test_a.py"]

    assert "grep -rnE" in model.answer(asked(*turns[:1]))
    read = model.answer(asked(*turns))
    assert "sed -n '145,210p' src/a.py" in read
    turns.append("line 149\nline 150\nline 151\n" + TESTS)
    assert "python3 -c" in model.answer(asked(*turns))
    assert "python -m pytest -q tests/test_a.py" in model.answer(asked(*turns))
    assert "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" in model.answer(asked(*turns))
    assert model.unseen == 0


def test_a_slip_is_made_good_with_the_next_answer() -> None:
    """The first answer lacks an edit of the code; the tests are there at once."""
    model = AiderAuthor(OLD, NEW, slips=True)
    shown = f"{TRUE}\nsrc/a.py\n```\n{LONG}\n```\ntests/test_a.py\n```\n{TESTS}\n```\n"

    assert "line 150!" not in model.answer(asked("Change.", shown))
    assert "line 150!" in model.answer(asked("Change.", shown))


def test_both_sides_of_a_call_are_counted() -> None:
    """Four characters are a token, for every tool alike."""
    model = Counted(AiderAuthor(OLD, NEW, slips=False))
    question = asked("You write a Git commit message")

    said = model.answer(question)

    assert isinstance(said, str)
    assert model.tokens == (len(question.prompt) + len(said)) // 4
