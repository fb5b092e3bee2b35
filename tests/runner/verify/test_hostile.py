"""Reports come from code nobody trusts: they are read or refused, in bounded time."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.verify.junit import UnreadableReport, frames, plain, read_report, surefire, vitest
from tests.runner.verify.test_recorded import FOLDER, READERS

LARGE = 1 << 20
HOURS = pytest.mark.timeout(60)
"""An expression that goes back over a megabyte takes hours; all of these are done in a moment."""
WORDS = (
    *("testResults", "assertionResults", "status", "failures", "passes", "pending", "err"),
    *("tests", "examples", "summary", "exception", "messages", "result", "line", "Action"),
)
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=9)
ANY_JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)
    ),
    max_leaves=12,
)


def check_refused_or_read(name: str, content: bytes) -> None:
    """Read what may be anything; only a refusal is allowed."""
    with suppress(UnreadableReport):
        READERS[name](content)


@pytest.mark.parametrize("name", READERS)
@given(content=st.binary(max_size=300).filter(lambda b: b.decode("utf-8", "ignore").encode() == b))
def test_any_bytes(name: str, content: bytes) -> None:
    """Nothing but ``UnreadableReport`` is raised."""
    check_refused_or_read(name, content)


@pytest.mark.parametrize("name", ["node.jsonl", "jest.json", "mocha.json", "rspec.json", "go.txt"])
@given(said=ANY_JSON)
def test_any_json(name: str, said: object) -> None:
    """A report of the right form with wrong content is refused or read."""
    check_refused_or_read(name, json.dumps(said).encode())


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_any_cut(name: str, data: st.DataObject) -> None:
    """A report that was cut off is refused or read."""
    whole = (FOLDER / name).read_text()
    check_refused_or_read(name, whole[: data.draw(st.integers(0, len(whole)))].encode())


def test_a_cut_report_of_node_is_no_report() -> None:
    """Without its last line the run was not finished, whatever passed before."""
    with pytest.raises(UnreadableReport, match="no complete test report"):
        READERS["node.jsonl"](b'{"result":"passed"}\n')


@pytest.mark.sample(40, "each output and each text")
@HOURS
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("piece", ["a", " ", "\n", ":", "1:", "a.b:1", "{", "at ", "---- ", "| "])
def test_one_long_text_takes_no_time(name: str, piece: str) -> None:
    """A megabyte of one thing is done at once: no expression goes back over it."""
    text = (piece * LARGE)[:LARGE]
    check_refused_or_read(name, text.encode())
    for wrapped in (
        {"testResults": [{"name": text, "message": text, "status": "failed"}]},
        {"tests": [], "failures": [{"file": text, "title": text, "err": {"stack": text}}]},
    ):
        check_refused_or_read(name, json.dumps(wrapped).encode())


@HOURS
@pytest.mark.parametrize("dialect", [plain, surefire, vitest])
@pytest.mark.parametrize("piece", ["a", "a.b:1 ", "/", ".", "\n"])
def test_a_long_trace_takes_no_time(dialect, piece: str) -> None:
    """The same in a report of XML."""
    case = f'<testcase name="n" classname="c"><failure>{piece * LARGE}</failure></testcase>'
    (failure,) = read_report(f"<testsuite>{case}</testsuite>".encode(), dialect).failures

    assert len(failure.message) < 3_000
    assert len(failure.test) <= 500


def test_many_failures_are_bounded() -> None:
    """Of thousands only the first are listed, most of them in short, and that is said."""
    line = '{"result":"failed","test":"t%d","message":"m"}\n'
    report = READERS["node.jsonl"](
        ("".join(line % i for i in range(5000)) + '{"result":"complete"}\n').encode()
    )

    assert len(report.failures) == 3000
    assert report.broken == "more than 3,000 tests failed"


def test_frames_are_told_by_their_form() -> None:
    """A place is a file with an ending and a line, in whatever stands around it."""
    text = "at add (src/calc.js:3:9)\n  lib/a.rb:7:in `b'\n\t(A.java:1)\nno:1\nhttp://x:80\n"

    assert list(frames(text)) == [("src/calc.js", 3), ("lib/a.rb", 7), ("A.java", 1)]
