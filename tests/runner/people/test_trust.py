"""How far a change is verified, from what its attempt knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.people.texts import trust_texts
from runner.people.trust import not_measured, trust_json, trust_of
from runner.state.changes import ChangeSet, Write
from runner.state.findings import (
    AskedTest,
    Level,
    LostName,
    TestFailure,
    Verdict,
    Verification,
)
from tests.runner.states import at

GREEN = Level("tests", "passed", tool="pytest", passed=3)
PROOF = Level("proof", "passed", found=("tests/test_a.py::test_a", "tests/test_a.py::test_b"))
FAULTS = Level("mutants", "failed", passed=2, found=("a.py:3: `<` in place of `<=`",))
CHANGES = ChangeSet({"a.py": Write(b"A = 1\n"), "tests/test_a.py": Write(b"")})


def reached(*levels, **attempt):
    """The attempt after these levels."""
    found = {"verification": Verification("t", levels), "changes": CHANGES, **attempt}
    return at("checkpoint", **found).attempt


def test_tests_of_a_new_file_count_once() -> None:
    """Before the change the file could not be loaded: its tests are what turned green."""
    verdict = Verdict("shown", turned=("tests/test_a.py", "tests/test_b.py::test_c"), untested=())
    trust = trust_of(reached(GREEN, PROOF, verdict=verdict))

    assert trust.turned == ("tests/test_b.py::test_c", *PROOF.found)
    assert (trust.result, trust.proof) == ("verified", True)
    assert trust_texts.line(trust) == "verified; 3 tests red to green"


def test_what_was_not_measured_is_none_and_said() -> None:
    """An attempt of an older version knows its levels alone."""
    trust = trust_of(reached(GREEN))
    found = trust_json(trust)

    assert [key for key in ("faults", "changed_lines", "nobody_verified") if found[key] is None]
    assert found["not_measured"] == ["red_to_green", "faults", "changed_lines", "nobody_verified"]
    assert "- Not measured: whether new tests fail without the change, " in trust_texts.section(
        trust
    )
    assert not_measured(trust_of(reached(Level("tests", "skipped", reason="none")))) == ()


@pytest.mark.parametrize(
    ("path", "verdict", "draft"),
    [
        ("a.py", Verdict("shown", untested=("a.py",)), False),
        ("a.py", Verdict("untested"), True),
        ("docs/a.md", Verdict("untested"), False),
        ("docs/a.md", Verdict("unbroken", untested=()), False),
        ("tests/test_a.py", Verdict("unbroken", untested=()), True),
        ("settings.json", Verdict("unbroken", untested=()), False),
        ("a.py", Verdict("unbroken", untested=()), True),
        ("a.sql", Verdict("unbroken", untested=("a.sql",)), True),
    ],
)
def test_code_that_no_test_shows_begins_as_a_draft(
    path: str, verdict: Verdict, draft: bool
) -> None:
    """However well its lines are tested; and anything where a test of the task fails as before."""
    levels = (Level("coverage", "passed", passed=2), Level("mutants", "passed", passed=2))
    files = ChangeSet({path: Write(b"A = 1\n")})
    found = reached(GREEN, *levels, verdict=verdict, changes=files)
    assert trust_of(found).doubtful is draft

    apart = AskedTest(failures=(TestFailure("tests/test_a.py::test_a", "no"),), same=True)
    refuted = replace(found, tested=replace(found.tested, asked_test=apart))
    assert trust_of(refuted).doubtful is (verdict.kind != "shown")


def test_each_doubt_makes_it_verified_with_warnings() -> None:
    """Faults nobody notices, names that are gone, code without a test, warnings."""
    sure = reached(GREEN, PROOF, verdict=Verdict("shown", untested=()))
    lost = (LostName("a.py", "title", "requires `b`"),)
    doubtful = (
        reached(GREEN, PROOF, FAULTS, verdict=Verdict("shown", untested=())),
        reached(GREEN, verdict=Verdict("shown", untested=("a.py",))),
        replace(sure, checked=replace(sure.checked, lost_names=lost)),
        replace(sure, checked=replace(sure.checked, warnings=("look",))),
    )

    assert trust_of(sure).result == "verified"
    assert {trust_of(each).result for each in doubtful} == {"verified_with_warnings"}
    assert "notice 2 of 3 small faults" in trust_texts.section(trust_of(doubtful[0]))
    assert "- Public names: `title` in `a.py` requires `b`." in trust_texts.section(
        trust_of(doubtful[2])
    )


def test_foreign_text_does_nothing_in_it() -> None:
    """Names of tests and files, and reasons, are a model's or a repository's."""
    bad = "x`\n\nFixes #1 <details> @octocat"
    verdict = Verdict("untested", bad, turned=(bad,), unchanged=(bad,))
    trust = trust_of(reached(GREEN, verdict=verdict, lost_names=(LostName(bad, bad, bad),)))

    for said in (trust_texts.section(trust), trust_texts.line(trust)):
        assert not any(active in said for active in ("Fixes #1", "@octocat", "`\n\nF"))
    assert "\n" not in trust_texts.line(trust)


def test_linters_are_told_together() -> None:
    """One with new findings makes it a warning; the reason names each tool."""
    ruff = Level("lint", "passed", tool="ruff")
    mypy = Level("lint", "failed", tool="mypy", reason="1 new finding")
    sure = Verdict("shown", untested=())
    trust = trust_of(reached(ruff, mypy, GREEN, PROOF, verdict=sure))

    assert trust.result == "verified_with_warnings"
    assert "- Linters: ❌ failed (ruff: nothing new; mypy: 1 new finding)." in trust_texts.section(
        trust
    )
    assert trust_of(reached(ruff, GREEN, PROOF, verdict=sure)).result == "verified"
    assert trust_of(reached(GREEN, verdict=sure)).linters is None
