"""What shows a task to be done, seen by ``cairn run``: tests that turn, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.app.checkout import checkout
from tests.marks import MORE
from tests.scenarios.projects import answer

DIVIDE = "def divide(a, b):\n    return a / b\n"
MUL = "def mul(a, b):\n    return a * b\n"
TEST_MUL = "from calc.mul import mul\n\n\ndef test_mul():\n    assert mul(2, 3) == 6\n"
CALC = {
    "ROADMAP.md": b"- [ ] 1.1 Make `divide` in `calc/divide.py` return 0 for a divisor of 0\n",
    "calc/__init__.py": b"",
    "calc/divide.py": DIVIDE.encode(),
    "calc/mul.py": MUL.encode(),
    "tests/test_mul.py": TEST_MUL.encode(),
    "tests/test_divide.py": b"from calc.divide import divide\n\n\ndef test_divide():\n"
    b"    assert divide(6, 3) == 2\n",
}
ZERO = "def divide(a, b):\n    return a / b if b else 0\n"
TEST_ZERO = "from calc.divide import divide\n\n\ndef test_zero():\n    assert divide(6, 0) == 0\n"


async def ended(
    folder: Path, files: dict[str, bytes], *answers: str, arguments: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Run the first task of a checkout; return its line of the report."""
    async with checkout(folder / "here", files) as here:
        here.model.says(*answers)
        said = await here.cairn("run", "--max-tasks", "1", *arguments)
        assert said.code == 0, said.out
        (line,) = here.left("report.json")["timeline"]
        assert isinstance(line, dict)
        verdict = here.git("log", "-1", "--format=%(trailers:key=Cairn-Verdict,valueonly)")
        assert verdict.strip() == line["verdict"]
        return line


async def test_a_task_starts_pytest_as_often_as_it_has_questions(tmp_path: Path) -> None:
    """Do they start, do they pass, did they before, lines, without the code, two faults: seven."""
    started = tmp_path / "started"
    conftest = f"with open({str(started)!r}, 'a') as file:\n    file.write('.')\n"
    files = {**CALC, "ROADMAP.md": b"- [ ] 1.1 Add `calc/sub.py` with `sub(a, b)`\n"}
    code = "def sub(a, b):\n    return a - b\n"
    test = "from calc.sub import sub\n\n\ndef test_sub():\n    assert sub(3, 2) == 1\n"

    line = await ended(
        tmp_path,
        {**files, "conftest.py": conftest.encode()},
        answer({"calc/sub.py": code, "tests/test_sub.py": test}),
    )

    assert line["verdict"] == "shown"
    assert started.read_text() == 7 * "."


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(
            {"calc/divide.py": DIVIDE.replace(":\n", ':\n    """Divide."""\n', 1)}, id="docstring"
        ),
        pytest.param(
            {"calc/divide.py": f"{DIVIDE}\n\ndef _safe(a, b):\n    return 0\n"},
            id="dead code",
            marks=MORE,
        ),
        pytest.param(
            {
                "calc/divide.py": ZERO,
                "tests/conftest.py": "import calc.divide\n\ncalc.divide.divide = lambda a, b: 2\n",
            },
            id="a conftest that replaces the function",
            marks=MORE,
        ),
    ],
)
async def test_what_no_test_shows_is_unbroken(tmp_path: Path, files: dict[str, str]) -> None:
    """The old tests still pass, as they would for anything."""
    line = await ended(tmp_path, CALC, answer(files))

    assert (line["verdict"], line["verified"]) == ("unbroken", False)


OLD = """from calc.divide import divide


def test_divide():
    numbers = {"six": 6}
    assert divide(numbers["six"], 3) == 2
"""


@pytest.mark.parametrize(
    ("code", "test", "verdict"),
    [
        pytest.param(
            ZERO,
            OLD.replace("6}", '6, "none": 0}') + '    assert divide(6, numbers["none"]) == 0\n',
            "shown",
            id="it asks for more",
            marks=MORE,
        ),
        pytest.param(
            "def divide(a, b):\n    return 0\n",
            OLD.replace("6}", '6, "none": 0}').replace("== 2", "== 0"),
            "unbroken",
            id="it is turned to fit",
            marks=MORE,
        ),
    ],
)
async def test_an_edited_old_test_is_evidence_if_it_passes_as_it_stood(
    tmp_path: Path, code: str, test: str, verdict: str
) -> None:
    """What it asked for holds with the change too: it is no test that was bent to the answer."""
    files = {"calc/divide.py": code, "tests/test_divide.py": test}
    line = await ended(tmp_path, CALC | {"tests/test_divide.py": OLD.encode()}, answer(files))

    assert line["verdict"] == verdict


async def test_an_old_failure_beside_the_test_that_turns_is_listed(tmp_path: Path) -> None:
    """It is in the same file and imports what changed, but runs nothing of it: one answer."""
    both = f"{TEST_ZERO}\n\ndef test_tool():\n    assert divide and False, 'no such tool'\n"
    line = await ended(
        tmp_path,
        CALC | {"tests/test_zero.py": both.encode()},
        answer({"calc/divide.py": ZERO}),
    )

    assert (line["verdict"], line["turned"]) == ("shown", ["tests/test_zero.py::test_zero"])
    assert line["unchanged"] == ["tests/test_zero.py::test_tool"]


@pytest.mark.nightly("test_a_task_starts_pytest_as_often_as_it_has_questions")
async def test_tests_that_come_with_the_code_show_it(tmp_path: Path) -> None:
    """They fail on the code as it was, by what it returned."""
    line = await ended(
        tmp_path, CALC, answer({"calc/divide.py": ZERO, "tests/test_zero.py": TEST_ZERO})
    )

    assert (line["verdict"], line["turned"]) == ("shown", [])


@pytest.mark.nightly("test_what_failed_and_passed_on_one_tree_shows_nothing")
async def test_a_new_test_that_turns_by_chance_shows_nothing(tmp_path: Path) -> None:
    """It passes with the change twice, fails without it, and passes there when it is run again."""
    test = (
        "from pathlib import Path\n\nfrom calc.divide import divide\n\n\ndef test_zero():\n"
        f"    runs = Path({str(tmp_path / 'runs')!r})\n"
        "    count = len(runs.read_text()) if runs.exists() else 0\n"
        "    runs.write_text('x' * (count + 1))\n"
        "    assert divide(6, 3) == 2 and count != 2\n"
    )
    docstring = DIVIDE.replace(":\n", ':\n    """Divide."""\n', 1)
    line = await ended(
        tmp_path, CALC, answer({"calc/divide.py": docstring, "tests/test_zero.py": test})
    )

    assert (line["verdict"], line["turned"]) == ("unbroken", [])


@pytest.mark.parametrize(
    ("fails", "verdict", "turned"),
    [
        pytest.param("count == 2", "unbroken", False, id="once", marks=MORE),
        pytest.param("not after", "shown", True, id="each time without the change", marks=MORE),
    ],
)
async def test_an_old_test_that_turns_by_chance_shows_nothing(
    tmp_path: Path, fails: str, verdict: str, *, turned: bool
) -> None:
    """It loads nothing of the change, passes with it, and fails without it: is that so again?"""
    test = (
        "from pathlib import Path\n\n\ndef test_now_and_then():\n"
        f"    runs = Path({str(tmp_path / 'runs')!r})\n"
        "    count = len(runs.read_text()) + 1 if runs.exists() else 1\n"
        "    runs.write_text('x' * count)\n"
        "    after = 'Divide.' in '\\n'.join(p.read_text() for p in Path('calc').iterdir()"
        " if p.is_file())\n"
        f"    assert not ({fails})\n"
    )
    docstring = DIVIDE.replace(":\n", ':\n    """Divide."""\n', 1)
    line = await ended(
        tmp_path,
        CALC | {"tests/test_now_and_then.py": test.encode()},
        answer({"calc/divide.py": docstring}),
    )

    name = "tests/test_now_and_then.py::test_now_and_then"
    assert (line["verdict"], line["turned"]) == (verdict, [name] * turned)
    assert len((tmp_path / "runs").read_text()) == 3


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        pytest.param("assert mul(3, 4) == 12", "shown", id="a check"),
        pytest.param("mul(3, 4)\n    assert mul is not None", "unbroken", id="hollow", marks=MORE),
    ],
)
async def test_tests_alone_have_to_notice_that_the_code_is_gone(
    tmp_path: Path, test: str, verdict: str
) -> None:
    """What they test is emptied, and one of them must fail."""
    roadmap = b"- [ ] 1.1 Write more tests of `calc/mul.py` in `tests/test_more.py`\n"
    more = f"from calc.mul import mul\n\n\ndef test_more():\n    {test}\n"
    line = await ended(
        tmp_path, CALC | {"ROADMAP.md": roadmap}, answer({"tests/test_more.py": more})
    )

    assert line["verdict"] == verdict


async def test_a_file_that_a_task_names_without_back_ticks_has_to_be_made(tmp_path: Path) -> None:
    """The test of it lacks the name that stands in the task: anything else is refused."""
    files = CALC | {
        "ROADMAP.md": b"- [ ] FG-1 Create calc/clamp.py with clamp(value, low, high)\n",
        "tests/test_clamp.py": b"from calc.clamp import clamp\n\n\ndef test_clamp():\n"
        b"    assert clamp(5, 0, 3) == 3\n",
    }
    clamp = "def clamp(value, low, high):\n    return max(low, min(value, high))\n"
    beside = answer({"calc/mul.py": MUL.replace("return", "print(a)\n    return")})
    line = await ended(tmp_path, files, beside, answer({"calc/clamp.py": clamp}))

    assert (line["answers"], line["verdict"]) == (2, "shown")
    assert line["turned"] == ["tests/test_clamp.py::test_clamp"]


COMMAND_LINES = [
    pytest.param("python3 -m pytest -q", id="pytest", marks=MORE),
    pytest.param("sh check.sh", id="a script that names no tests"),
    pytest.param("echo begin; python3 -m pytest -q tests/", id="a line", marks=MORE),
]
HOLLOW = "from calc.divide import divide\n\n\ndef test_zero():\n    assert divide\n"


@pytest.mark.parametrize("line", COMMAND_LINES)
@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        pytest.param(TEST_ZERO, "shown", id="a check"),
        pytest.param(HOLLOW, "unbroken", id="hollow", marks=MORE),
    ],
)
async def test_a_configured_command_shows_what_the_tests_it_runs_show(
    tmp_path: Path, line: str, test: str, verdict: str
) -> None:
    """It is run on the code as it was with the new test laid over it, like the tests found."""
    files = CALC | {
        ".github/cairn.yml": f"verify:\n  commands: [{line!r}]\n".encode(),
        "check.sh": b"python3 -m pytest -q > /dev/null || { echo Error: some failed; exit 3; }\n",
    }
    given = answer({"calc/divide.py": ZERO, "tests/test_zero.py": test})
    asked = 1 if verdict == "shown" else 2  # for a better test
    told = await ended(tmp_path, files, *[given] * asked)

    assert told["verdict"] == verdict


@pytest.mark.nightly("test_a_command_that_names_no_tests_is_one_test")
async def test_a_command_that_names_no_test_is_not_asked_about_new_ones(tmp_path: Path) -> None:
    """Where another one does: it passes without the change, and no test of it proves nothing."""
    files = CALC | {
        ".github/cairn.yml": b"verify:\n  commands: [sh layout.sh, python3 -m pytest -q tests/]\n",
        "layout.sh": b"test -f calc/__init__.py\n",
    }
    given = answer({"calc/divide.py": ZERO, "tests/test_zero.py": TEST_ZERO})
    told = await ended(tmp_path, files, given)
    report = (tmp_path / "here/.executor/report.md").read_text()

    assert told["verdict"] == "shown"
    assert "new tests prove nothing" not in report


@pytest.mark.parametrize(
    ("repair", "left"),
    [
        pytest.param(
            "def divide(a, b):\n    return 0\n", True, id="it breaks something", marks=MORE
        ),
        pytest.param(ZERO, True, id="the same again", marks=MORE),
        pytest.param(
            ZERO.replace("a / b", "7 if a == 1 else a / b"), False, id="it is repaired", marks=MORE
        ),
    ],
)
async def test_a_repair_for_an_old_failure_never_costs_what_is_shown(
    tmp_path: Path, repair: str, left: bool
) -> None:
    """The author is shown once what failed before; the change is kept meanwhile."""
    old = "\n\ndef test_old():\n    assert divide(1, 2) == 7\n"
    files = CALC | {
        "tests/test_zero.py": TEST_ZERO.encode(),
        "tests/test_divide.py": CALC["tests/test_divide.py"] + old.encode(),
    }
    first, second = (answer({"calc/divide.py": code}) for code in (ZERO, repair))
    line = await ended(tmp_path, files, first, second)

    assert line["verdict"] == "shown"
    assert line["unchanged"] == ["tests/test_divide.py::test_old"] * left
    assert (tmp_path / "here/calc/divide.py").read_text() == (ZERO if left else repair)


@pytest.mark.nightly("test_what_failed_and_passed_on_one_tree_shows_nothing")
async def test_a_command_that_passes_when_it_is_run_again_is_unsteady(tmp_path: Path) -> None:
    """It fails once with the change, and nothing is repaired; it shows nothing either."""
    runs = tmp_path / "runs"
    files = CALC | {
        ".github/cairn.yml": b"verify:\n  commands: [sh check.sh]\n",
        "check.sh": f"echo run >> {runs}; [ $(wc -l < {runs}) != 1 ]\n".encode(),
    }
    told = await ended(tmp_path, files, answer({"calc/divide.py": ZERO}))

    assert (told["verdict"], told["answers"]) == ("unbroken", 1)


async def test_an_old_failure_in_the_way_is_put_before_a_person(tmp_path: Path) -> None:
    """It fails as before after a repair, and nothing is shown: approval excuses it from then on."""
    old = "\n\ndef test_old():\n    assert divide(1, 2) == 7\n"
    files = CALC | {
        "ROADMAP.md": CALC["ROADMAP.md"] + b"- [ ] 1.2 Say more in `calc/divide.py`\n"
        b"  - depends on: 1.1\n",
        "tests/test_divide.py": CALC["tests/test_divide.py"] + old.encode(),
    }
    said_more = answer({"calc/divide.py": f"{ZERO}\n\ndef _more():\n    return divide(1, 1)\n"})
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(*[answer({"calc/divide.py": ZERO})] * 2, said_more)
        asked = await here.cairn("run")
        assert "an old failure stands in the way" in " ".join(asked.out.split())

        shown = " ".join((await here.cairn("show", "1.1")).out.split())
        assert "if nothing new fails, ticks the task's box, because your approval says" in shown
        assert "These old failures will not stop anything in the rest of the run." in shown

        assert (await here.cairn("approve", "--resume")).code == 0
        assert (here.folder / "ROADMAP.md").read_text().startswith("- [x] 1.1")
        assert "completed (not shown)" in (await here.cairn("status")).out
        for line in here.left("report.json")["timeline"]:
            assert line["verdict"] == "unbroken"
            assert line["unchanged"] == ["tests/test_divide.py::test_old"]


SIZE = "def size(text):\n    return sum(int(part) for part in text.split())\n"
KIT = {
    "ROADMAP.md": b"- [ ] 1.1 Let `size` in `kit/size.py` leave out lines that begin with `#`\n",
    "kit/__init__.py": b"",
    "kit/size.py": SIZE.encode(),
    "tests/samples/numbers.txt": b"1\n2\n",
    "tests/samples/size.txt": b"3",
    "tests/test_size.py": b"from pathlib import Path\n\nfrom kit.size import size\n\n"
    b"SAMPLES = Path(__file__).parent / 'samples'\n\n\ndef test_size():\n"
    b"    expected = int((SAMPLES / 'size.txt').read_text())\n"
    b"    assert size((SAMPLES / 'numbers.txt').read_text()) == expected\n",
}
SKIPS = """\
def size(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return sum(map(int, lines))
"""


@pytest.mark.parametrize(
    ("files", "verdict"),
    [
        pytest.param(
            {"kit/size.py": SKIPS, "tests/samples/numbers.txt": "# two\n1\n2\n"},
            "shown",
            id="asks for more",
        ),
        pytest.param(
            {"kit/size.py": SIZE.replace("sum(", "1 + sum("), "tests/samples/size.txt": "4\n"},
            "unbroken",
            id="turned to fit the answer",
            marks=MORE,
        ),
    ],
)
async def test_a_sample_that_an_old_test_loads_is_as_good_as_its_own_text(
    tmp_path: Path, files: dict[str, str], verdict: str
) -> None:
    """It fails on the base with the sample alone; with the old sample it has to pass as well."""
    line = await ended(tmp_path, KIT, answer(files))

    assert line["verdict"] == verdict


@pytest.mark.long("runs real tests several times")
@pytest.mark.parametrize(
    ("mul", "told"),
    [
        pytest.param(MUL.replace("a * b", "b * a"), True, id="something else"),
        pytest.param(MUL, False, id="what the test runs", marks=MORE),
    ],
)
async def test_what_nothing_leads_to_is_listed_first(tmp_path: Path, mul: str, told: bool) -> None:
    """A definition that no path of the task and no test that shows it leads to."""
    imported = f"from calc.mul import nothing\n\n\n{ZERO.replace('else 0', 'else nothing()')}"
    files = {
        "calc/divide.py": imported,
        "calc/mul.py": f"{mul}\n\ndef nothing():\n    return 0\n",
        "tests/test_zero.py": TEST_ZERO,
    }
    line = await ended(tmp_path, CALC, answer(files))
    report = (tmp_path / "here/.executor/report.md").read_text()
    first = report.partition("## Worth a look\n\n")[2].partition("\n")[0]

    assert line["verdict"] == "shown"
    assert ("The change also edits `mul` in `calc/mul.py`: the task names" in first) is told
