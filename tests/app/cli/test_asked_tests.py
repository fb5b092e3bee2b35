"""A test that is asked for apart, where nothing shows that a change does its task."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.app.cli.test_evidence import CALC, DIVIDE, TEST_ZERO, ZERO
from tests.marks import MORE
from tests.model_server import Fault
from tests.scenarios.projects import answer

RIGHT = answer({"calc/divide.py": ZERO})
DOCSTRING = answer({"calc/divide.py": DIVIDE.replace(":\n", ':\n    """Divide."""\n', 1)})
ASKED = "tests/test_divide_as_asked.py"
TEST = answer({ASKED: TEST_ZERO})
WRONG = answer({ASKED: TEST_ZERO.replace("== 0", "== 7")})


async def ended(here: Checkout, *, arguments: tuple[str, ...] = ()) -> dict[str, object]:
    """Run the first task; return its line of the report."""
    said = await here.cairn("run", "--max-tasks", "1", *arguments)
    assert said.code == 0, said.out + said.err
    (line,) = here.left("report.json")["timeline"]
    assert isinstance(line, dict)
    return line


async def test_a_test_asked_for_apart_shows_the_change(tmp_path: Path) -> None:
    """It sees the task and signatures, not the change; it is committed, and the box is ticked."""
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(RIGHT).gives_tests(TEST)
        line = await ended(here)
        (asked,) = here.model.apart

        assert (line["verdict"], line["answers"]) == ("shown", 1)
        assert "def divide(a, b)" in asked.prompt
        assert "return 0 for a divisor of 0" in asked.prompt
        assert "if b else 0" not in asked.prompt
        assert here.git("show", f"HEAD:{ASKED}") == TEST_ZERO.strip()
        assert (
            "by a test that was asked for separately"
            in (here.folder / ".executor/report.json").read_text()
        )
        assert "- [x] 1.1" in here.git("show", "HEAD:ROADMAP.md")
        asked_at = [each["node"] for each in map(here.left, ["runs/*/agent-2.json"])]
        assert asked_at == ["verify_task"]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param("NONE", id="none"),
        pytest.param("I cannot do that.", id="words", marks=MORE),
        pytest.param(
            answer({ASKED: TEST_ZERO.replace("(6, 0) == 0", "(6, 3) == 2")}),
            id="vacuous",
            marks=MORE,
        ),
        pytest.param(
            answer({ASKED: TEST_ZERO, "calc/divide.py": ZERO}), id="it writes code", marks=MORE
        ),
        pytest.param(
            answer({"tests/conftest.py": "import calc.divide\n"}), id="a conftest", marks=MORE
        ),
        pytest.param(
            answer({ASKED: f"{TEST_ZERO}\n\ndef divide(a, b):\n    return 0\n"}),
            id="its own code",
            marks=MORE,
        ),
        pytest.param(
            answer({ASKED: TEST_ZERO.replace("divide(6, 0) == 0", "other(6) == 0")}),
            id="a name that nobody has",
            marks=MORE,
        ),
        pytest.param(
            answer(
                {
                    ASKED: "from calc import divide\n\n\ndef test_zero(monkeypatch):\n"
                    "    monkeypatch.setattr(divide, 'divide', lambda a, b: 0)\n"
                    "    assert divide.divide(6, 0) == 0\n"
                }
            ),
            id="it replaces the code",
            marks=MORE,
        ),
        pytest.param(Fault.http_status(400, "no"), id="refused", marks=MORE),
    ],
)
async def test_what_is_no_usable_test_changes_nothing(tmp_path: Path, given: str) -> None:
    """The change is committed as it would be without it, and the reason is told."""
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(RIGHT).gives_tests(given)
        line = await ended(here)

        assert (line["verdict"], line["answers"]) == ("unbroken", 1)
        assert here.git("show", "--stat", "--format=", "HEAD").count("|") == 1


async def test_a_change_that_leaves_the_test_as_it_was_is_refused(tmp_path: Path) -> None:
    """The test fails as on the base: the author hears of it, and the right answer is shown."""
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(DOCSTRING, RIGHT).gives_tests(TEST)
        line = await ended(here)

        assert (line["verdict"], line["answers"]) == ("shown", 2)
        assert "Somebody who saw the task" in here.model.requests[1].prompt
        assert TEST_ZERO.strip() in here.model.requests[1].prompt
        assert "ZeroDivisionError" in here.model.requests[1].prompt


@pytest.mark.nightly("test_one_that_disagrees_stands_in_the_text_alone")
async def test_a_wrong_test_is_told_once_and_never_a_gate(tmp_path: Path) -> None:
    """The author stays with the code: it is committed without the test, and not called shown."""
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(RIGHT, RIGHT).gives_tests(WRONG)
        line = await ended(here)

        assert (line["verdict"], line["answers"]) == ("unbroken", 2)
        assert here.git("show", "HEAD:calc/divide.py") == ZERO.strip()
        assert ASKED not in here.git("ls-tree", "-r", "--name-only", "HEAD")
        report = (here.folder / ".executor/report.md").read_text()
        assert "A test that was written from the task alone fails with this change" in report


@pytest.mark.nightly("test_one_that_disagrees_stands_in_the_text_alone")
async def test_a_wrong_test_that_no_change_turns_is_no_gate_either(tmp_path: Path) -> None:
    """It fails in the same way with and without the change: the same answer again is taken."""
    always = answer({ASKED: TEST_ZERO.replace("divide(6, 0) == 0", "divide(6, 3) == 3")})
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(RIGHT, RIGHT).gives_tests(always)
        line = await ended(here)

        assert (line["verdict"], line["answers"]) == ("unbroken", 2)
        assert here.git("show", "HEAD:calc/divide.py") == ZERO.strip()


@pytest.mark.nightly("test_who_has_the_last_word_after_a_test_apart")
async def test_a_repair_that_the_test_accepts_takes_the_place_of_the_change(tmp_path: Path) -> None:
    """The first answer does half of it, in another way than the base."""
    half = answer({"calc/divide.py": ZERO.replace("else 0", "else None")})
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(half, RIGHT).gives_tests(TEST)
        line = await ended(here)

        assert (line["verdict"], line["answers"]) == ("shown", 2)
        assert here.git("show", "HEAD:calc/divide.py") == ZERO.strip()


@pytest.mark.sample(0, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    "files",
    [
        pytest.param({".github/cairn.yml": b"verify:\n  ask: false\n"}, id="switched off"),
        pytest.param(
            {
                "ROADMAP.md": CALC["ROADMAP.md"]
                + b"- [ ] 1.2 Write tests of `calc/divide.py` in `tests/test_divide.py`\n"
            },
            id="another task declares the tests",
        ),
    ],
)
async def test_nobody_is_asked_where_that_is_not_wanted(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    """By the configuration, or because another open task brings the tests."""
    async with checkout(tmp_path / "here", CALC | files) as here:
        here.model.says(RIGHT)
        line = await ended(here)

        assert line["verdict"] == "unbroken"
        assert here.model.apart == []
