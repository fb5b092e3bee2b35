"""A model's answer about a roadmap: what it cannot quote is dropped, the rest becomes boxes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.normalise.claimed import ClaimedTask, read_answer, write_claims
from runner.roadmap.normalise.propose import keeps_words, lines_of
from tests.runner.roadmap.texts import files

PROSE = """# Plan

First we build the parser.
Then, when that is done, we
build the printer.

Ideas:

- a linter
  - with rules
- an editor
"""
LINES = lines_of(PROSE.encode())
PARSER = {"title": "Build the parser", "source_lines": [3, 3], "quote": "we build the parser"}
PRINTER = {"title": "Build the printer", "source_lines": [4, 5], "quote": "we  build the printer."}
EDITOR = {"title": "An editor", "source_lines": [11, 11], "quote": "an editor"}


def claims_of(*entries: object) -> tuple[ClaimedTask, ...]:
    """The claims that hold."""
    return read_answer(json.dumps(entries), LINES).held


def written(*entries: object, text: str = PROSE) -> str:
    """The file with the claimed tasks."""
    proposal = write_claims("PLAN.md", text.encode(), claims_of(*entries))
    assert proposal.verdict == "proposed", proposal.why
    return proposal.new.decode()


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps([PARSER]),
        f"Here it is [as asked]:\n\n```json\n{json.dumps([PARSER], indent=1)}\n```\nGood luck.",
        json.dumps({"tasks": [PARSER]}),
    ],
)
def test_an_answer_is_found_in_what_stands_around_it(answer: str) -> None:
    """The list is read wherever it stands in the answer."""
    assert [claim.title for claim in read_answer(answer, LINES).held] == ["Build the parser"]


@pytest.mark.parametrize(
    "answer", ["", "I cannot do that.", "{}", "[1, 2]", "[" * 100_000, '[{"a"']
)
def test_an_answer_without_a_list(answer: str) -> None:
    """Such an answer is a problem, not an empty list."""
    assert read_answer(answer, LINES).problem != ""


def test_an_empty_list_is_an_answer() -> None:
    """A file may name no work."""
    assert read_answer("[]", LINES) == read_answer("Nothing: []", LINES)
    assert read_answer("[]", LINES).problem == ""


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"quote": "we build the lexer"}, "is not in lines 3 to 3"),
        ({"source_lines": [5, 5]}, "is not in lines 5 to 5"),
        ({"source_lines": [3, 300]}, "lines 3 to 300 are not in the file"),
        ({"source_lines": [3, 2]}, "lines 3 to 2 are not in the file"),
        ({"source_lines": "3"}, "source_lines"),
        ({"quote": "  .  "}, "is not in"),
        ({"title": ""}, "title"),
        ({"title": "Build\nthe parser"}, "has several lines"),
        ({"title": "Build <!-- hidden --> the parser"}, "comment"),
        ({"title": "# Build"}, "a heading"),
        ({"acceptance": ["- [ ] one more task"]}, "a list"),
        ({"done": "perhaps"}, "done"),
    ],
)
def test_what_does_not_hold_is_dropped_and_told(change: dict[str, object], why: str) -> None:
    """An entry that is malformed, hidden or not in the file is named with the reason."""
    read = read_answer(json.dumps([PARSER | change, EDITOR]), LINES)

    assert [claim.title for claim in read.held] == ["An editor"]
    [dropped] = read.dropped
    assert dropped.startswith("entry 1")
    assert why in dropped


def test_prose_stays_and_tasks_come_behind_it() -> None:
    """A task about prose follows its paragraph; an item gets the box itself; nothing else moves."""
    assert written(PARSER, PRINTER, EDITOR) == PROSE.replace(
        "build the printer.\n",
        "build the printer.\n\n- [ ] Build the parser\n\n\n- [ ] Build the printer\n\n",
    ).replace("- an editor", "- [ ] an editor")


def test_acceptance_and_dependencies_are_nested() -> None:
    """The new file read again has them; a dependency is the title of a task before it."""
    printer = PRINTER | {"depends_on": ["build the parser"], "acceptance": ["it prints"]}
    editor = EDITOR | {"depends_on": ["Build the printer", "Make coffee"]}
    proposal = write_claims("PLAN.md", PROSE.encode(), claims_of(PARSER, printer, editor))
    first, second, third = proposal.tasks

    assert [task.title for task in proposal.tasks] == [
        "Build the parser",
        "Build the printer",
        "an editor",
    ]
    assert second.depends_on == (first.key,)
    assert third.depends_on == (second.key,)
    assert second.acceptance == ("it prints",)
    assert ["Make coffee" in line for line in proposal.dropped] == [True]


def test_done_needs_a_word_in_the_file() -> None:
    """What a model takes for done is done only if its lines say so; a note tells either way."""
    text = "# Plan\n\nThe parser is done.\n\nThe printer is next.\n"
    lines = lines_of(text.encode())
    entries = [
        {"title": "Parser", "done": True, "source_lines": [3, 3], "quote": "parser is done"},
        {"title": "Printer", "done": True, "source_lines": [5, 5], "quote": "printer is next"},
    ]
    proposal = write_claims("P.md", text.encode(), read_answer(json.dumps(entries), lines).held)

    assert [task.checked for task in proposal.tasks] == [True, False]
    assert [note.line for note in proposal.notes] == [3, 5]


_claims = st.lists(
    st.builds(
        ClaimedTask.model_construct,
        title=st.sampled_from(["a task", "1.1 numbered", "`code`"]),
        done=st.booleans(),
        acceptance=st.lists(st.just("it holds"), max_size=1),
        depends_on=st.lists(st.sampled_from(["a task", "nothing"]), max_size=1),
        source_lines=st.tuples(st.integers(1, 20), st.integers(1, 20)).map(sorted).map(tuple),
        quote=st.just("quote"),
    ),
    max_size=5,
)


@given(files, _claims)
def test_writing_never_raises_and_loses_nothing(content: bytes, claims: list[ClaimedTask]) -> None:
    """Whatever the file and the lines, a proposal keeps every word, or there is none."""
    lines = lines_of(content)
    held = sorted((c for c in claims if c.source_lines[1] <= len(lines)), key=_place)
    proposal = write_claims("R.md", content, held)

    assert keeps_words(lines, lines_of(proposal.new))
    if proposal.verdict != "proposed":
        assert proposal.new == content


def _place(claim: ClaimedTask) -> tuple[int, int]:
    return claim.source_lines
