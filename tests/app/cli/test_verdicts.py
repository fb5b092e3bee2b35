"""What ``cairn run`` calls done: never what no test has shown to work without saying so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.checkout import checkout
from tests.scenarios.projects import ADD, ADD_MODULE, ADD_WRONG, answer

ROADMAP = b"# Roadmap\n\n- [ ] 1.1 Add `add(a, b)` to `calc/add.py`\n"
CALC = {
    "ROADMAP.md": ROADMAP,
    "calc/__init__.py": b"",
    "calc/half.py": b"def half(a):\n    return a / 2\n",
    "tests/test_half.py": b"from calc.half import half\n\n\ndef test_half():\n"
    b"    assert half(4) == 2\n",
}
REPORTED = (
    b"def pytest_runtest_logreport(report):\n    if report.when == 'call':\n"
    b"        raise ValueError('cannot report')\n"
)
CONFTEST = b"import a_plugin_that_is_not_here\n"


@pytest.mark.nightly("test_what_breaks_the_runner_is_never_excused")
async def test_a_change_is_not_done_where_the_test_runner_itself_fails(tmp_path: Path) -> None:
    """It fails without the change, too, so that nothing can be verified; no test failed before."""
    async with checkout(tmp_path / "here", CALC | {"conftest.py": REPORTED}) as here:
        here.model.says(ADD_WRONG)
        said = await here.cairn("run")

        report = here.left("report.json")
        assert said.code == 1
        assert here.log() == ["a commit"]
        assert report["tasks"]["completed"] == 0
        (error,) = report["errors"]
        assert error["reason"] == "environment_issue"
        assert "cannot verify the change" in error["message"]
        assert "ValueError: cannot report" in error["message"]


@pytest.mark.nightly("test_what_breaks_the_runner_is_never_excused")
async def test_a_change_that_breaks_the_test_runner_is_repaired(tmp_path: Path) -> None:
    """Without the change the runner works: it is the change's fault, and the model is told how."""
    breaking = ADD + answer({"conftest.py": CONFTEST.decode()})
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(breaking, answer({"conftest.py": "# nothing\n"}))
        said = await here.cairn("run")

        assert said.code == 0, said.out
        assert "No module named 'a_plugin_that_is_not_here'" in here.model.requests[1].prompt


@pytest.mark.nightly("test_a_run_of_nothing_is_not_green")
async def test_a_change_after_which_no_test_runs_is_not_green(tmp_path: Path) -> None:
    """Tests ran before: code that has them all skipped has taken them away."""
    both = "def half(a):\n    return a / 2\n\n\ndef add(a, b):\n    return a + b\n"
    hides = f"import pytest\n\npytest.skip('later', allow_module_level=True)\n\n\n{both}"
    roadmap = {"ROADMAP.md": b"- [ ] 1.1 Add `add(a, b)` to `calc/half.py`\n"}
    async with checkout(tmp_path / "here", CALC | roadmap) as here:
        here.model.says(answer({"calc/half.py": hides}), answer({"calc/half.py": both}))
        said = await here.cairn("run")

        assert said.code == 0, said.out
        assert "no test runs with this change" in here.model.requests[1].prompt


async def test_what_no_test_uses_is_not_called_verified(tmp_path: Path) -> None:
    """The tests pass, and none of them imports the new file: every place says so."""
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(ADD_MODULE)
        said = await here.cairn("run")

        why = "no test uses what changed"
        assert said.code == 0
        assert f"| in review: {why}" in said.out
        assert here.git("log", "-1", "--format=%(trailers:key=Cairn-Verified)").strip() == (
            f"Cairn-Verified: no ({why})"
        )
        (line,) = here.left("report.json")["timeline"]
        assert (line["verdict"], line["verified"]) == ("unbroken", False)
        assert line["not_verified_because"] == why


@pytest.mark.parametrize(
    ("mode", "why"), [("off", "verification is off"), ("syntax", "only syntax is verified")]
)
async def test_a_switched_off_verification_is_not_called_verified(
    tmp_path: Path, mode: str, why: str
) -> None:
    """It is off because somebody wanted it so; the result says that all the same."""
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(ADD)
        said = await here.cairn("run", "--verify-mode", mode)

        assert said.code == 0
        assert f"| in review: {why}" in said.out
        assert f"Cairn-Verified: no ({why}" in here.git("log", "-1", "--format=%B")


async def test_tests_that_wait_for_later_tasks_are_unchanged(tmp_path: Path) -> None:
    """Tests of all tasks are there and red: the first task is verified by its own."""
    files = {
        "ROADMAP.md": b"- [ ] 1.1 Add `kit/case.py` with `upper(s)`\n"
        b"- [ ] 1.2 Add `kit/words.py` with `count(s)`\n",
        "tests/test_case.py": b"from kit.case import upper\n\n\ndef test_upper():\n"
        b"    assert upper('a') == 'A'\n",
        "tests/test_words.py": b"from kit.words import count\n\n\ndef test_count():\n"
        b"    assert count('a b') == 2\n",
    }
    async with checkout(tmp_path / "here", files) as here:
        upper = "def upper(s):\n    return s.upper()\n"
        here.model.says(answer({"kit/__init__.py": "", "kit/case.py": upper}))
        said = await here.cairn("run", "--max-tasks", "1")

        assert said.code == 0
        assert "Cairn-Verified: yes" in here.git("log", "-1", "--format=%B")
        (line,) = here.left("report.json")["timeline"]
        assert line["verified"] is True
        assert line["turned"] == ["tests/test_case.py::test_upper"]
        assert line["unchanged"] == ["tests/test_words.py"]


CLICK = {
    "ROADMAP.md": b"- [ ] 1.1 Add `unwound(error)` to `src/click/core.py`\n",
    "src/click/__init__.py": b"",
    "src/click/types.py": b"class ParamType:\n    pass\n",
    "src/click/core.py": b"def run():\n    return 1\n",
}
CORE = (
    "from types import TracebackType\n\n\ndef run():\n    return 1\n\n\n"
    "def unwound(error) -> TracebackType | None:\n    return error.__traceback__\n"
)


async def test_a_module_named_like_one_of_the_standard_library_confuses_nobody(
    tmp_path: Path,
) -> None:
    """``types`` is Python's own, although the package has a file of that name."""
    async with checkout(tmp_path / "here", CLICK) as here:
        here.model.says(answer({"src/click/core.py": CORE}))
        said = await here.cairn("run")

        assert said.code == 0, said.out
        assert "completed (not shown): the project has no tests" in said.out


@pytest.mark.nightly("test_what_the_project_uses_already_is_no_invention")
async def test_an_import_that_the_base_has_already_stops_nobody(tmp_path: Path) -> None:
    """What is not installed here was not installed before the change either."""
    files = CLICK | {"src/click/core.py": b"import our_own_company_lib\n\n\ndef run(): return 1\n"}
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(answer({"src/click/core.py": f"import our_own_company_lib\n{CORE}"}))
        said = await here.cairn("run")

        assert said.code == 0, said.out


@pytest.mark.nightly(
    "test_an_import_that_seems_to_lead_nowhere_does_no_harm_where_tests_load_the_file"
)
async def test_an_import_that_leads_nowhere_is_a_hint_where_tests_load_it(tmp_path: Path) -> None:
    """A test that passes has the last word; a reviewer is told what looked wrong."""
    stands_in = b"import sys\nimport types\n\nsys.modules['host_program'] = types.ModuleType('x')\n"
    used = answer(
        {
            "calc/add.py": "import host_program\n\n\ndef add(a, b):\n    return a + b\n",
            "tests/test_add.py": "from calc.add import add\n\n\n"
            "def test_add():\n    assert add(2, 3) == 5\n",
        }
    )
    async with checkout(tmp_path / "here", CALC | {"conftest.py": stands_in}) as here:
        here.model.says(used)
        said = await here.cairn("run")

        assert said.code == 0, said.out
        (warning,) = here.left("report.json")["warnings"]
        assert warning["message"].startswith(
            "calc/add.py, line 1: ModuleNotFoundError: No module named 'host_program'"
        )


@pytest.mark.nightly("the row import-path of test_promised")
async def test_an_import_that_leads_nowhere_is_repaired_where_no_test_loads_it(
    tmp_path: Path,
) -> None:
    """The tests pass without it, and show nothing about it."""
    wrong = {"calc/add.py": "from half import half\n\n\ndef add(a, b):\n    return a + b\n"}
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(answer(wrong), ADD_MODULE)
        said = await here.cairn("run")

        assert said.code == 0, said.out
        assert "No module named 'half'" in here.model.requests[1].prompt
        assert "from the repository's root it is calc.half" in here.model.requests[1].prompt


@pytest.mark.nightly("test_a_new_finding_is_a_warning_in_the_pull_request")
async def test_a_new_finding_of_a_linter_is_a_warning_in_the_report(tmp_path: Path) -> None:
    """The model corrects nothing. The terminal and the reports name the rule and the line."""
    ruff = {"ruff.toml": b'lint.select = ["F"]\n'}
    async with checkout(tmp_path / "here", CALC | ruff) as here:
        unused = ADD.replace("def add(a, b):", "import os\n\n\ndef add(a, b):")
        here.model.says(unused, unused)
        said = await here.cairn("run")

        found = "ruff newly reports calc/add.py, line 1: F401 `os` imported but unused"
        (trust,) = here.left("report.json")["trust"]
        assert said.code == 0, said.out
        assert found in said.out
        assert found in (here.folder / ".executor" / "report.md").read_text()
        assert (trust["result"], trust["linters"]["result"]) == ("verified_with_warnings", "failed")
