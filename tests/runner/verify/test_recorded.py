"""What real test runners left is read into tests, places and messages (tests/data/test_reports)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from runner.state.findings import TestFailure
from runner.verify.junit import SuiteReport, plain, read_report, surefire, vitest
from runner.verify.tools.cargo import read_cargo
from runner.verify.tools.dotnet import read_trx
from runner.verify.tools.go import read_go
from runner.verify.tools.jvm import placed
from runner.verify.tools.node import read_jest, read_mocha, read_node
from runner.verify.tools.ruby import read_minitest, read_rspec

DOTNET = (
    "./src/Shop/Cart.cs",
    "./tests/Shop.Tests/CalcTests.cs",
    "./tests/Shop.Tests/CartTests.cs",
)
FOLDER = Path(__file__).parents[2] / "data/test_reports"
Reader = Callable[[bytes], SuiteReport]
Place = tuple[str, str, int | None]


def of_text(read: Callable[[str], SuiteReport]) -> Reader:
    """A reader of output as a reader of bytes."""
    return lambda content: read(content.decode())


READERS: dict[str, Reader] = {
    "node.jsonl": read_node,
    "jest.json": read_jest,
    "vitest.xml": lambda xml: read_report(xml, vitest),
    "mocha.json": read_mocha,
    "cargo.txt": of_text(read_cargo),
    "cargo-not-compiled.txt": of_text(read_cargo),
    "go.txt": of_text(lambda text: read_go(text, module="example.com/shop")),
    "go-not-compiled.txt": of_text(lambda text: read_go(text, module="example.com/shop")),
    "surefire.xml": lambda xml: read_report(xml, surefire),
    "rspec.json": read_rspec,
    "rspec-load-error.json": read_rspec,
    "minitest.txt": of_text(read_minitest),
    "minitest-files.txt": of_text(read_minitest),
    "phpunit.xml": lambda xml: read_report(xml, plain),
    "dotnet.trx": lambda xml: read_trx([xml], "", DOTNET),
}


def read(name: str) -> SuiteReport:
    """Read a recorded report as its tool's runner does: without the workspace's own folder."""
    content = (FOLDER / name).read_bytes().replace(b"/workspace/", b"")
    return READERS[name](content)


@pytest.mark.parametrize(
    ("name", "passed", "skipped", "places"),
    [
        (
            "node.jsonl",
            2,
            2,
            [
                ("early.test.js", "early.test.js", None),
                ("test/ok.test.js::wrong", "test/ok.test.js", 4),
                ("test/ok.test.js::deep", "test/ok.test.js", 5),
                ("test/ok.test.js::group > inner", "test/ok.test.js", 6),
                ("test/ok.test.js::msg", "test/ok.test.js", 7),
                ("test/ok.test.js::sub > child", "test/ok.test.js", 8),
                ("test/user.test.js", "src/user.js", 1),
            ],
        ),
        (
            "jest.json",
            1,
            1,
            [
                ("t/a.test.js::group > adds", "t/a.test.js", 3),
                ("t/b.test.js", "t/b.test.js", 1),
            ],
        ),
        (
            "vitest.xml",
            1,
            1,
            [
                ("v/a.test.js::group > adds", "v/a.test.js", 3),
                ("v/a.test.js::group > throws", "v/a.test.js", 3),
                ("v/b.test.js", "v/b.test.js", 1),
            ],
        ),
        (
            "mocha.json",
            1,
            1,
            [
                ("m/a.test.js::group adds", "m/a.test.js", 2),
                ("m/a.test.js::group throws", "m/a.test.js", 2),
            ],
        ),
        (
            "cargo.txt",
            1,
            1,
            [
                ("src/lib.rs::tests::adds", "src/lib.rs", 12),
                ("src/lib.rs::tests::panics", "src/lib.rs", None),
                ("tests/whole.rs::res", "tests/whole.rs", None),
                ("tests/whole.rs::whole", "tests/whole.rs", 3),
                ("src/lib.rs::src/lib.rs - add (line 3)", "src/lib.rs", 5),
            ],
        ),
        ("cargo-not-compiled.txt", 0, 0, [("src/lib.rs", "src/lib.rs", 6)]),
        (
            "go.txt",
            2,
            1,
            [
                ("calc::TestAdd", "calc/calc_test.go", 7),
                ("calc::TestTable/one", "calc/calc_test.go", 16),
                ("calc::TestPanic", "calc/calc_test.go", 22),
                ("broken/b.go", "broken/b.go", 3),
            ],
        ),
        ("go-not-compiled.txt", 0, 0, [("limit_test.go", "limit_test.go", 6)]),
        (
            "surefire.xml",
            1,
            1,
            [
                ("CalcTest.java::adds", "CalcTest.java", 4),
                ("CalcTest.java::boom", "CalcTest.java", 6),
            ],
        ),
        (
            "rspec.json",
            1,
            1,
            [
                ("spec/calc_spec.rb::calc adds", "spec/calc_spec.rb", 3),
                ("spec/calc_spec.rb::calc raises", "spec/calc_spec.rb", 6),
            ],
        ),
        ("rspec-load-error.json", 0, 0, [("spec/broken_spec.rb", "spec/broken_spec.rb", 1)]),
        (
            "minitest.txt",
            1,
            1,
            [
                ("TestCalc#test_add", "test/test_calc.rb", 4),
                ("TestCalc#test_boom", "test/test_calc.rb", 7),
            ],
        ),
        (
            "minitest-files.txt",
            2,
            1,
            [("test/test_calc.rb::TestCalc#test_add", "test/test_calc.rb", 4)],
        ),
        (
            "phpunit.xml",
            2,
            1,
            [
                ("tests/CalcTest.php::testAdd", "tests/CalcTest.php", 5),
                ("tests/CalcTest.php::testBoom", "tests/CalcTest.php", 8),
                ('tests/CalcTest.php::testRows with data set "two"', "tests/CalcTest.php", 10),
            ],
        ),
        (
            "dotnet.trx",
            1,
            1,
            [
                (
                    "tests/Shop.Tests/CalcTests.cs::CalcTests.Divides",
                    "tests/Shop.Tests/CalcTests.cs",
                    12,
                ),
                ("tests/Shop.Tests/CartTests.cs::CartTests.Throws", "src/Shop/Cart.cs", 5),
            ],
        ),
    ],
)
def test_counts_ids_and_places(name: str, passed: int, skipped: int, places: list[Place]) -> None:
    """Every failing test has its id, the file and the line where it went wrong."""
    report = read(name)

    assert (report.passed, report.skipped) == (passed, skipped)
    assert [(f.test, f.file, f.line) for f in report.failures] == places


@pytest.mark.parametrize(
    ("name", "index", "words"),
    [
        ("node.jsonl", 1, ["AssertionError: 2 == 3"]),
        ("node.jsonl", 2, ["+     2", "-     3"]),
        ("node.jsonl", 4, ["custom message", "expected: true", "actual: false"]),
        ("node.jsonl", 6, ["Cannot find module 'helpers.js' imported from src/user.js"]),
        ("jest.json", 0, ["Expected: 4\nReceived: 3"]),
        ("jest.json", 1, ["Cannot find module '../nowhere/x' from 't/b.test.js'"]),
        ("vitest.xml", 0, ["expected 3 to be 4", "- 4\n+ 3"]),
        ("mocha.json", 0, ["3 !== 4"]),
        ("cargo.txt", 0, ["assertion `left == right` failed", "left: 4", "right: 5"]),
        ("cargo.txt", 1, ["test did not panic as expected"]),
        ("cargo-not-compiled.txt", 0, ["error[E0425]: cannot find value `c` in this scope"]),
        ("go.txt", 0, ["Add(1, 2) = -1, want 3"]),
        ("go.txt", 2, ["nil pointer dereference"]),
        ("go.txt", 3, ["undefined: undefined"]),
        ("go-not-compiled.txt", 0, ["undefined: Limit"]),
        ("surefire.xml", 0, ["expected: <5> but was: <-1>"]),
        ("rspec.json", 0, ["expected: 3", "got: -1"]),
        ("rspec.json", 1, ["ArgumentError: boo"]),
        ("minitest.txt", 0, ["Expected: 3", "Actual: -1"]),
        ("phpunit.xml", 0, ["Failed asserting that -1 is identical to 3."]),
        ("dotnet.trx", 0, ["Expected: 2\nActual:   3"]),
    ],
)
def test_messages_say_what_was_expected(name: str, index: int, words: list[str]) -> None:
    """The message has the tool's own words, with expected and actual where it has them."""
    message = read(name).failures[index].message

    assert [word for word in words if word not in message] == []


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("jest.json", "t/a.test.js::group > fine"),
        ("vitest.xml", "v/a.test.js::group > fine"),
        ("mocha.json", "m/a.test.js::group fine"),
        ("cargo.txt", "src/lib.rs::tests::fine"),
        ("dotnet.trx", "tests/Shop.Tests/CalcTests.cs::CalcTests.Adds(a: 1, b: 2)"),
    ],
)
def test_tests_that_passed_are_named_like_those_that_failed(name: str, test: str) -> None:
    """So that the same test can be found in two runs."""
    assert read(name).names == (test,)


@pytest.mark.parametrize("name", READERS)
def test_messages_carry_no_stack(name: str) -> None:
    """Frames of the tool itself are not what a repair needs."""
    frames = [f for f in read(name).failures if "\n    at " in f.message or "\tat " in f.message]

    assert frames == []


def test_minitest_names_what_passed_with_its_file() -> None:
    """Also an example without a class."""
    assert sorted(read("minitest-files.txt").names) == [
        "test/test_calc.rb::TestCalc#test_fine",
        "test/test_calc.rb::calc thing#test_0001_adds well",
    ]


def test_classes_of_java_and_kotlin_are_found_among_the_sources() -> None:
    """A report names classes; a class that two modules have keeps its name."""
    xml = "".join(
        f'<testcase name="adds" classname="{name}">{text}</testcase>'
        for name, text in (
            ("com.shop.CartTest", ""),
            ("com.shop.BothTest", ""),
            ("com.shop.TotalTest", "<failure>java.lang.AssertionError: x</failure>"),
        )
    )
    report = read_report(f"<testsuite>{xml}</testsuite>".encode(), surefire)
    sources = [
        "./src/test/java/com/shop/CartTest.java",
        "./web/src/test/kotlin/com/shop/TotalTest.kt",
        *(f"./{module}/src/test/java/com/shop/BothTest.java" for module in "ab"),
    ]
    found = placed(report, sources)

    assert found.names == (
        "src/test/java/com/shop/CartTest.java::adds",
        "com/shop/BothTest.java::adds",
    )
    assert [(f.test, f.file) for f in found.failures] == [
        (
            "web/src/test/kotlin/com/shop/TotalTest.kt::adds",
            "web/src/test/kotlin/com/shop/TotalTest.kt",
        )
    ]


def test_a_package_of_java_is_part_of_the_path() -> None:
    """A class in a package has its file below the folders of the package."""
    frame = "java.lang.Error: x\n\tat com.shop.CartTest.adds(CartTest.java:9)\n"
    xml = (
        '<testsuite><testcase name="adds" classname="com.shop.CartTest">'
        f'<error type="java.lang.Error">{frame}</error></testcase></testsuite>'
    )

    assert read_report(xml.encode(), surefire).failures == (
        TestFailure(
            "com/shop/CartTest.java::adds", "java.lang.Error: x", "com/shop/CartTest.java", 9
        ),
    )


def test_what_the_compiler_of_dotnet_refuses_is_the_failure() -> None:
    """Nothing is tested then; each error is told once, for all the projects that it breaks."""
    line = "src/Shop/Cart.cs(5,9): error CS0103: The name 'x' does not exist [/p/src/Shop.csproj]"
    (failure,) = read_trx([], f"{line}\n{line}\n", DOTNET).failures

    assert (failure.test, failure.file, failure.line) == ("src/Shop/Cart.cs", "src/Shop/Cart.cs", 5)
    assert failure.message == "CS0103: The name 'x' does not exist"


def test_a_host_of_dotnet_that_ends_early_proves_nothing() -> None:
    """The tests before it passed; those after it are not in the report."""
    report = (FOLDER / "dotnet.trx").read_bytes()
    info = b'<RunInfos><RunInfo outcome="Error"><Text>Test host crashed</Text></RunInfo></RunInfos>'
    report = report.replace(b"</ResultSummary>", info + b"</ResultSummary>")

    assert read_trx([report], "", DOTNET).broken == "Test host crashed"


def test_a_test_of_rust_is_named_by_the_file_of_its_module() -> None:
    """Cargo names only the root of what it built; modules lead to the file."""
    text = (
        "     Running unittests src/lib.rs (target/debug/deps/a-1)\n"
        "test words::tests::five ... ok\n"
        "test words::deep::tests::six ... ok\n"
        "test tests::top ... ok\n"
        "     Running tests/whole.rs (target/debug/deps/whole-1)\n"
        "test helpers::seven ... ok\n"
        "test result: ok. 4 passed; 0 failed; 0 ignored\n"
    )
    files = {"src/lib.rs", "src/words.rs", "src/words/deep/mod.rs", "tests/whole/helpers.rs"}

    assert read_cargo(text, files).names == (
        "src/words.rs::words::tests::five",
        "src/words/deep/mod.rs::words::deep::tests::six",
        "src/lib.rs::tests::top",
        "tests/whole/helpers.rs::helpers::seven",
    )
