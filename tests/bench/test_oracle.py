"""The parts of the oracle bench: hunks of a change, the catalogue, and what its model may know."""

from __future__ import annotations

import pytest

from bench.oracle.author import Author
from bench.oracle.catalogue import Change, tasks
from bench.oracle.fetching import NoSource
from bench.oracle.hunks import applied, hunks
from bench.oracle.wrong import made_wrong
from tests.model_server import Asked

OLD = {"a.py": b"one\ntwo\nthree\nfour\nfive\n", "gone.py": b"x\n"}
NEW = {"a.py": b"one\n2\nthree\nfour\nfive\nsix\n", "new.py": b"n\n"}
PATHS = ["a.py", "gone.py", "new.py"]


def test_all_hunks_together_are_the_change() -> None:
    """Edits, a deletion and a new file."""
    found = hunks(OLD, NEW, PATHS)

    assert [hunk.id for hunk in found] == ["a.py#0", "a.py#1", "gone.py#0", "new.py#0"]
    assert applied(OLD, found) == NEW


def test_one_hunk_can_be_applied_alone() -> None:
    """The others leave no trace."""
    second = hunks(OLD, NEW, PATHS)[1]

    assert applied(OLD, [second]) == {**OLD, "a.py": OLD["a.py"] + b"six\n"}


def test_every_task_of_the_catalogue_says_what_and_how_it_is_proved() -> None:
    """A title, hunks of code and tests, a patch or a commit, the test that turns green, hashes."""
    found = list(tasks())

    assert len({task.id for task in found}) == len(found) > 0
    for task in found:
        assert task.title
        assert "::" in task.turns
        if task.project.kind == "git":
            assert (len(task.project.old), len(task.project.new)) == (40, 40)
            assert not task.hunks
            continue
        assert len(task.project.old_sha256) == 64
        if task.patch:
            assert task.hunks == ()
            assert task.project.patches
            continue
        of_tests = [hunk for hunk in task.hunks if "test" in hunk.rpartition("/")[0]]
        assert 0 < len(of_tests) < len(task.hunks)
        assert len(task.project.new_sha256) == 64


CODE = {
    "shop.py": b"def fee(total):\n    return 1\n\n\ndef tax(total):\n    return 2\n",
    "tests/test_shop.py": b"",
}
CHANGED = {
    "shop.py": b"def fee(total):\n    return total + 1\n\n\ndef tax(total):\n    return 3\n",
    "tests/test_shop.py": b"def test_fee():\n    assert fee(2) == 3\n",
}


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("tests", CODE["shop.py"]),
        ("less", CHANGED["shop.py"].replace(b"return 3", b"return 2")),
        ("empty", CHANGED["shop.py"].replace(b"    return", b"    return\n    return")),
    ],
)
def test_a_change_is_made_wrong_in_its_code_only(kind: str, code: bytes) -> None:
    """Its tests stay what they are, so that they notice."""
    wrong = made_wrong(Change(CODE, CHANGED, tuple(CODE)), kind)

    assert wrong.after == {**CHANGED, "shop.py": code}


def test_a_fault_is_one_line_and_a_change_of_tests_has_none() -> None:
    """What cannot be made wrong is not played."""
    wrong = made_wrong(Change(CODE, CHANGED, tuple(CODE)), "fault").after["shop.py"]
    lines = zip(wrong.splitlines(), CHANGED["shop.py"].splitlines(), strict=True)

    assert sum(now != was for now, was in lines) == 1
    with pytest.raises(NoSource):
        made_wrong(Change(CODE, CHANGED, ("tests/test_shop.py",)), "fault")


def question(text: str) -> Asked:
    """One request with this text."""
    return Asked({"messages": [{"role": "user", "content": text}]})


LONG = "".join(f"line {n}\n" for n in range(200))
AUTHOR = ({"a.py": LONG}, {"a.py": LONG.replace("line 150\n", "line 150!\n")})


def test_what_was_not_shown_is_not_changed() -> None:
    """Neither by heart nor by chance: the model says that it did not see it."""
    model = Author(*AUTHOR)

    assert model.answer(question("a.py\nline 1\nline 2")) == "I was not shown what to change."
    assert model.unseen == 1


def test_it_asks_to_see_where_that_is_offered_and_edits_what_it_sees() -> None:
    """One look, then one edit."""
    model = Author(*AUTHOR)
    offer = "a.py\nanswer with lines like these:\nREAD path/to/file:from-to"

    assert model.answer(question(offer)) == "READ a.py:145-210"
    said = model.answer(question(f"{offer}\nREAD a.py:145-210\nline 149\nline 150\nline 151"))
    assert "+line 150!" not in said
    assert "line 150!" in said
    assert said.startswith("a.py\n```\n<<<<<<< SEARCH\n")
    assert dict(model.kinds) == {"look": 1, "answer": 1}
