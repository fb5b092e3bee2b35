"""How the other test runners are called: for real where they are here, else by a stand-in that
leaves what the real one left (tests/data/test_reports).
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from runner.errors import TaskError
from runner.state.findings import Level
from runner.verify import tools_of, verify
from runner.verify.judging import Tool
from runner.verify.tools.ruby import _EACH
from tests.runner.verify.box import open_box
from tests.runner.verify.test_recorded import FOLDER

# writes a recorded report where the real tool was told to, in this workspace's own paths
_LEAVE = """#!/bin/sh
echo "$(basename "$0") $*" > ../called
sed "s#/workspace#$(pwd -P)#g" "{recorded}" {where}
exit {code}
"""
_NEXT = '"$(echo "$@" | grep -o "/tmp/cairn-[^ ]*" | head -1)"'


def leaving(name: str, *, where: str = "", code: int = 1, before: str = "") -> str:
    """A program that leaves a recorded report and ends with a code."""
    script = _LEAVE.format(recorded=FOLDER / name, where=f"> {where}" if where else "", code=code)
    return script.replace("\nsed", f"\n{before}\nsed", 1)


def tool_of(files: dict[str, str]) -> Tool:
    """The one tool whose tests a tree has."""
    (tool,) = tools_of(files, {path: text.encode() for path, text in files.items()}.get)
    return tool


async def ran_by(
    folder: Path, files: dict[str, str], only: tuple[str, ...] = (), **programs: str
) -> tuple[Level, str]:
    """The tool's level in a box with these programs, and how the program was called."""
    box, workspace = await open_box(folder, files, programs)
    level = await tool_of(files).run(box, timeout=60, only=only)
    called = workspace.parent / "called"
    return level, called.read_text().strip() if called.exists() else ""


GO = {"go.mod": "module example.com/shop\n\ngo 1.19\n", "calc/calc_test.go": ""}
JAVA = {"pom.xml": "<project/>", "src/test/java/CalcTest.java": ""}
SPECS = {"spec/calc_spec.rb": ""}
MINI = {"test/test_calc.rb": ""}
PHP = {"tests/CalcTest.php": ""}
DOTNET = {"Shop.sln": "", "tests/Shop.Tests/CalcTests.cs": ""}
_TRX = f"{_NEXT}/sandbox.trx"
MAVEN_REPORT = "target/surefire-reports/TEST-CalcTest.xml"


@pytest.mark.parametrize(
    ("files", "only", "program", "script", "called", "failed"),
    [
        (GO, (), "go", leaving("go.txt"), "go test -json ./...", "calc/calc_test.go"),
        (
            GO,
            ("calc::TestTable/one", "calc::TestAdd"),
            "go",
            leaving("go.txt"),
            "go test -json -run ^(TestAdd|TestTable)$ ./...",
            "calc/calc_test.go",
        ),
        (
            GO,
            ("calc/calc_test.go", "main_test.go"),
            "go",
            leaving("go.txt"),
            "go test -json ./ ./calc",
            "calc/calc_test.go",
        ),
        (
            JAVA,
            (),
            "mvn",
            leaving("surefire.xml", where=MAVEN_REPORT, before="mkdir -p target/surefire-reports"),
            "mvn -B -o -ntp --fail-at-end test",
            "src/test/java/CalcTest.java",
        ),
        (
            JAVA,
            ("src/test/java/com/shop/CalcTest.java::adds",),
            "mvn",
            leaving("surefire.xml", where=MAVEN_REPORT, before="mkdir -p target/surefire-reports"),
            "mvn -B -o -ntp --fail-at-end test -Dtest=com.shop.CalcTest "
            "-Dsurefire.failIfNoSpecifiedTests=false",
            "src/test/java/CalcTest.java",
        ),
        (
            JAVA,
            (),
            "mvn",
            leaving("maven-not-compiled.txt"),
            "mvn -B -o -ntp --fail-at-end test",
            "src/main/java/Calc.java",
        ),
        (
            SPECS,
            ("spec/calc_spec.rb::calc adds",),
            "rspec",
            leaving("rspec.json", where=_NEXT),
            "rspec --format progress --format json --out REPORT spec/calc_spec.rb",
            "spec/calc_spec.rb",
        ),
        (
            MINI,
            (),
            "ruby",
            leaving("minitest.txt"),
            f"ruby -Ilib -Itest -e {_EACH} test/test_calc.rb",
            "test/test_calc.rb",
        ),
        (
            PHP,
            (),
            "phpunit",
            leaving("phpunit.xml", where=_NEXT, code=2),
            "phpunit --log-junit REPORT tests",
            "tests/CalcTest.php",
        ),
        (
            PHP,
            ("tests/CalcTest.php::testAdd", "tests/Cart/CartTest.php"),
            "phpunit",
            leaving("phpunit.xml", where=_NEXT, code=2),
            r"phpunit --log-junit REPORT --filter=/(^|\W)(CalcTest|CartTest)::/ tests",
            "tests/CalcTest.php",
        ),
        (
            DOTNET,
            (),
            "dotnet",
            leaving("dotnet.trx", where=_TRX, before=f"mkdir -p {_NEXT}"),
            "dotnet test --logger trx --results-directory REPORT",
            "tests/Shop.Tests/CalcTests.cs",
        ),
        (
            DOTNET,
            ("tests/Shop.Tests/CalcTests.cs::CalcTests.Divides",),
            "dotnet",
            leaving("dotnet.trx", where=_TRX, before=f"mkdir -p {_NEXT}"),
            "dotnet test --logger trx --results-directory REPORT "
            "--filter FullyQualifiedName~CalcTests",
            "tests/Shop.Tests/CalcTests.cs",
        ),
    ],
)
async def test_a_red_run_is_read_from_where_it_was_left(
    tmp_path: Path,
    files: dict[str, str],
    only: tuple[str, ...],
    program: str,
    script: str,
    called: str,
    failed: str,
) -> None:
    """The command is the tool's own, and its failures name files of the workspace."""
    level, said = await ran_by(tmp_path, files, only, **{program: script})

    words = ["REPORT" if word.startswith("/tmp/cairn-") else word for word in said.split(" ")]
    assert " ".join(words) == called
    assert level.result == "failed"
    assert level.failures[0].file == failed


async def test_a_test_of_go_is_named_by_its_file(tmp_path: Path) -> None:
    """Events name packages only; what a change concerns, and who uses it, are files."""
    functions = "package calc\n\nfunc TestFine(t *testing.T) {}\nfunc TestAdd(t *testing.T) {}\n"
    files = {"go.mod": GO["go.mod"], "calc/fine_test.go": functions, "main_test.go": ""}
    level, _ = await ran_by(tmp_path, files, (), go=leaving("go.txt"))

    assert "calc/fine_test.go::TestFine" in level.found
    assert "calc/fine_test.go" in level.green
    assert "calc/fine_test.go::TestAdd" in {failure.test for failure in level.failures}


@pytest.mark.parametrize(
    ("files", "program", "says"),
    [
        (GO, "go", "go test"),
        (JAVA, "mvn", "BUILD SUCCESS"),
        (SPECS, "rspec", "3 examples, 0 failures"),
        (MINI, "ruby", "ok"),
        (PHP, "phpunit", "OK (3 tests, 3 assertions)"),
        (DOTNET, "dotnet", "Passed!  - Failed: 0, Passed: 3"),
    ],
)
async def test_a_green_end_without_a_report_proves_nothing(
    tmp_path: Path, files: dict[str, str], program: str, says: str
) -> None:
    """Exit code 0 alone is what code under test can end with."""
    level, _ = await ran_by(tmp_path, files, **{program: f"#!/bin/sh\necho '{says}'\n"})

    assert level.result == "failed"
    assert "the test process ended early" in level.reason


@pytest.mark.parametrize(
    ("files", "hint"),
    [
        (GO, "go is not"),
        ({"Cargo.toml": "", "a.rs": ""}, "cargo is not"),
        (PHP, "composer install"),
        (SPECS, "bundle install"),
        ({"build.gradle": "", "src/test/java/ATest.java": ""}, "gradle is not"),
    ],
)
async def test_a_tool_that_is_not_there_is_an_environment_error(
    tmp_path: Path, files: dict[str, str], hint: str
) -> None:
    """Nothing else has tests here: the message says what to install."""
    absent = dict.fromkeys(
        ("go", "cargo", "gradle", "phpunit", "rspec"), "#!/bin/sh\nexit 127\n"
    )  # also where it is
    box, _ = await open_box(tmp_path, files, absent)
    encoded = {path: text.encode() for path, text in files.items()}
    with pytest.raises(TaskError, match=hint) as caught:
        await verify(box, tree="t", paths=files, changed=(), read=encoded.get, timeout=60)

    assert caught.value.kind == "environment"
    assert "on this machine" in caught.value.message
    assert "sandbox.setup" in caught.value.message


@pytest.mark.parametrize(
    ("files", "program", "says", "hint"),
    [
        (GO, "go", "no required module provides package x", "go mod download"),
        (JAVA, "mvn", "Cannot access central in offline mode", "dependency:go-offline"),
        (DOTNET, "dotnet", "error NU1301: Unable to load the service index", "dotnet restore"),
        (
            {"Cargo.toml": "", "a.rs": ""},
            "cargo",
            "error: no matching package named `serde` found",
            "cargo fetch",
        ),
        (
            {"Cargo.toml": "", "a.rs": ""},
            "cargo",
            "error: rustup could not choose a version of cargo to run",
            "rustup default",
        ),
    ],
)
async def test_what_the_network_would_bring_is_an_environment_error(
    tmp_path: Path, files: dict[str, str], program: str, says: str, hint: str
) -> None:
    """Packages that setup did not install are no failing test."""
    script = f"#!/bin/sh\necho '{says}'\nexit 1\n"
    with pytest.raises(TaskError, match=hint):
        await ran_by(tmp_path, files, **{program: script})


CRATE = {
    "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n",
    "tests/whole.rs": "#[test]\nfn adds() {\n    assert_eq!(calc::add(1, 2), 3);\n}\n",
}


def real_cargo() -> str:
    """A script that starts the toolchain's own cargo: the box has a home without one."""
    found = (
        shutil.which("rustup")
        and subprocess.run(
            ["rustup", "which", "cargo"], capture_output=True, text=True, check=False
        ).stdout.strip()
    )
    cargo = found or shutil.which("cargo")
    if not cargo:
        pytest.skip("cargo is not installed")
    folder = Path(cargo).parent
    return f'#!/bin/sh\nPATH="{folder}:$PATH" exec "{cargo}" "$@"\n'


async def test_rust_for_real(tmp_path: Path) -> None:
    """A crate is compiled and tested: green, then red with the values."""
    cargo = real_cargo()
    (tmp_path / "red").mkdir()
    green, _ = await ran_by(tmp_path, CRATE, cargo=cargo)
    wrong = CRATE | {"src/lib.rs": CRATE["src/lib.rs"].replace("+", "-")}
    red, _ = await ran_by(tmp_path / "red", wrong, cargo=cargo)
    (failure,) = red.failures

    assert green.result == "passed"
    assert (failure.test, failure.file, failure.line) == (
        "tests/whole.rs::adds",
        "tests/whole.rs",
        3,
    )
    assert "left: -1" in failure.message


async def test_rust_that_does_not_compile(tmp_path: Path) -> None:
    """The compiler's error is the failure, where it points."""
    wrong = CRATE | {"src/lib.rs": CRATE["src/lib.rs"].replace("a + b", "a + c")}
    level, _ = await ran_by(tmp_path, wrong, cargo=real_cargo())
    (failure,) = level.failures

    assert (failure.file, failure.line) == ("src/lib.rs", 2)
    assert "cannot find value `c`" in failure.message


@pytest.mark.parametrize(("recipe", "result"), [("@true", "passed"), ("@exit 3", "failed")])
async def test_make_counts_by_its_exit_code(tmp_path: Path, recipe: str, result: str) -> None:
    """The makefile's own target is run where nothing else has tests."""
    level, _ = await ran_by(tmp_path, {"Makefile": f"test:\n\t{recipe}\n"})

    assert (level.tool, level.result) == ("make", result)


@pytest.mark.parametrize(("line", "result"), [("", "passed"), ("assert 1 == 2\n", "failed")])
async def test_a_script_counts_by_its_exit_code(tmp_path: Path, line: str, result: str) -> None:
    """``python runtests.py`` is run where nothing else has tests."""
    level, _ = await ran_by(tmp_path, {"runtests.py": f"print('ran')\n{line}"})

    assert (level.tool, level.result) == ("script", result)
    assert "ran" in level.output


async def test_a_program_that_make_cannot_find_is_no_red_test(tmp_path: Path) -> None:
    """The runner could not do its work, which is told apart from tests that fail."""
    level, _ = await ran_by(tmp_path, {"Makefile": "test:\n\tcairn_no_such_program --all\n"})

    assert level.result == "failed"
    assert level.broken.startswith("`make test` starts a program that is not there: ")
    assert "cairn_no_such_program" in level.broken
