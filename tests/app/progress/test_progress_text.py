"""What the progress comment says, and that GitHub can take and draw it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.progress.text import GAP, progress_text, progress_texts
from app.progress.waiting import Turn
from runner.money import Usage
from runner.people.run_view import view_of
from runner.state.findings import Level, Verification
from runner.state.proposal import Proposal, ProposalPlace
from runner.state.run_state import Decided, Failure, Status
from runner.text.fit import MOST_STORED, fit
from tests.runner.states import at, run_state, with_status

PASSED = Verification("t", (Level("tests", "passed"),))
UNSEEN = Verification("t", (Level("tests", "skipped", reason="there are none"),))
TWO = "- [ ] 1.1 Add one\n- [ ] 1.2 Add two\n- [ ] 1.3 Add three\n"


def text(state=None, *, status="running", detail="", turn=None):
    return progress_text("r1", status, detail, state, turn)


def balanced(said):
    """No code fence and no folded part is left open."""
    outside = re.sub(r"^(`{3,})[^`\n]*\n.*?^\1`*\s*$", "", said, flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"^ {0,3}```", outside, re.MULTILINE), said[-300:]
    assert outside.count("<details>") == outside.count("</details>")


def test_a_queued_run_says_its_turn():
    """Position, how long, and how to leave."""
    said = text(status="queued", turn=Turn(3, 130.0))

    assert said.startswith("### Cairn run `r1` is queued\n")
    assert "at position 3 in the queue; about 3 min to wait" in said
    assert "`/execute cancel`" in said


def test_without_a_measure_there_is_no_estimate():
    """A time that nobody knows is not told."""
    said = text(status="queued", turn=Turn(2, None))

    assert "at position 2 in the queue. It starts" in said


def test_the_task_and_node_in_hand_are_named():
    """The comment says where the run is."""
    assert "Now at **1.1** Add a.py, `validate_code`." in text(at("validate_code"))


@pytest.mark.parametrize(
    ("found", "says"),
    [(PASSED, "| completed |"), (UNSEEN, "| completed (not shown): there are none |")],
)
def test_completed_is_not_called_verified_unless_tests_said_so(found, says):
    """What no test has seen is told so."""
    assert says in text(with_status(run_state(), Status.COMPLETED, verification=found))


def test_the_warnings_of_an_accepted_change_are_marked():
    """A reviewer sees them beside the pull request; those of a failed task say nothing."""
    warned = {"url": "https://github.test/pull/7", "warnings": ("`wrap` | is gone <!-- x",)}
    said = text(with_status(run_state(), Status.COMPLETED, **warned))
    [row] = [line for line in said.split("\n") if "pull/7" in line]

    assert "⚠️ `wrap` \\| is gone" in row
    assert "<!-- x" not in said
    assert "⚠️" not in text(with_status(run_state(), Status.FAILED, **warned))


def test_a_pull_request_is_linked_and_a_failure_explained():
    """Each task that was touched has its pull request or its reason."""
    state = with_status(run_state(), Status.COMPLETED, url="https://github.test/pull/7")
    failure = Failure("x", "It | cannot\nbe done @all", "verify_task")
    said = text(with_status(state, Status.FAILED, number=1, failure=failure))

    assert "| https://github.test/pull/7 |" in said
    assert "It \\| cannot be done @\u200ball |" in said


def test_the_graph_shows_what_builds_on_what():
    """A task hangs on the branch it was built on; done, failed and now look different."""
    state = run_state(TWO)
    state = with_status(state, Status.COMPLETED, branch="cairn/r1/1")
    state = with_status(state, Status.FAILED, number=1, below="cairn/r1/1")
    state = at("execute_task", state, number=2, below="cairn/r1/1")

    lines = [line.strip() for line in progress_texts.graph(view_of(state)).split("\n")]
    assert 't1["1.1 Add one"]:::done' in lines
    assert 't2["1.2 Add two"]:::failed' in lines
    assert 't3["1.3 Add three"]:::now' in lines
    assert {"b0 --> t1", "t1 --> t2", "t1 --> t3"} <= set(lines)


def test_a_title_cannot_leave_its_label():
    """Whatever a title holds, the graph stays the one we drew, in its fence."""
    state = at("plan_task", run_state('- [ ] Add `a"] --> x; click` ```` %%{init}%% <b>#35;\n'))

    (label,) = re.findall(r't1\["(.*)"\]:::now', progress_texts.graph(view_of(state)))
    assert not set(label) & set('"[]{}`<>#%;')
    balanced(text(state))


@given(st.text(alphabet=st.sampled_from(list('`~<>/|# adetils!-\n"]')), max_size=60))
def test_foreign_text_opens_nothing(hostile):
    """Titles, reasons and details leave no fence and no fold open behind them."""
    state = at("plan_task")
    task = replace(state.tasks[0], title=hostile)
    state = replace(state, roadmap=replace(state.roadmap, tasks=(task, *state.tasks[1:])))

    said = text(state, status="paused")
    assert said.count("<details>") == said.count("</details>") == 1
    assert len([line for line in said.split("\n") if line.startswith("| ⏳")]) == 1


@pytest.mark.long("writes the comment of a very long roadmap")
def test_a_long_roadmap_fits():
    """Of ten thousand long tasks so many are shown as GitHub takes, what was touched first."""
    tasks = "".join(f"- [ ] {n}.1 {'long `title` | ' * 15}\n" for n in range(10_000))
    state = at("execute_task", run_state(tasks), number=9_000, usage={"execute_task": Usage(1.0)})

    said = text(state)
    assert len(said) < MOST_STORED + 100
    assert "| ⏳ | **9000.1**" in said
    assert "more of 10,000 tasks" in said
    assert said.rstrip().endswith("<!-- cairn:progress:r1 -->")
    balanced(said)


def test_a_long_detail_is_closed_where_it_is_cut():
    """A listing or problem of any length leaves room for the rest and stays in its fence."""
    said = text(at("plan_task"), detail="```\n" + "x\n" * 50_000)

    assert len(said) < MOST_STORED + 100
    assert "Now at" in said
    balanced(said)


@given(
    st.lists(st.sampled_from(["```", "````", "~~~", "<details>", "</details>", "word " * 20])),
    st.integers(200, 900),
)
def test_a_cut_text_is_short_and_closed(lines, most):
    """Wherever it is cut, the text keeps its limit; a text that fits is not touched."""
    whole = "\n".join(lines)
    short = fit(whole, most)

    assert len(short) <= most
    assert len(whole) > most or short == whole


def test_a_fold_is_closed_behind_a_fence():
    """What was opened last is closed first."""
    short = fit("<details>\n\n```\n" + "x\n" * 500, 300)

    assert short.endswith("```\n\n</details>\n\n… cut here: the text was too long for GitHub.")


def test_what_the_report_has_is_in_the_comment_with_references():
    """Success rate, errors, decisions and changes of the roadmap are folded away, each linked."""
    state = with_status(run_state(TWO), Status.COMPLETED, commit="c" * 40, url="https://git.test/1")
    failure = Failure("missing_file", "a.py | is\nnot there <details>", node="validate_code")
    proposal = Proposal(
        state.tasks[1].key, "recovery", "skip", "unknown", "why", "- [ ] 1.2 Add two"
    )
    proposal = replace(proposal, place=ProposalPlace(7, "https://git.test/7"))
    decided = Decided("reject", "mallory", "reply", "", "@all no")
    state = with_status(
        state, Status.FAILED, number=1, failure=failure, proposal=proposal, decision=decided
    )
    said, running = text(state, status="ended"), text(state)

    assert "\nSuccess rate: 50 % of the tasks it took up.\n" in said
    assert f"missing path (error): a.py \\| is not there <{GAP}details> https://git.test/7" in said
    assert "- **1.2** skip: rejected by mallory: @\u200ball no https://git.test/7" in said
    assert "- **1.1** tick in line 1 https://git.test/1" in said
    assert "Success rate" not in running
    assert "- **1.2** skip: reject" in running
    balanced(said)


def test_of_many_errors_the_newest_are_told():
    """The comment stays short; how many are left out is said."""
    state = run_state("".join(f"- [ ] 1.{n} Add {n}\n" for n in range(30)))
    for number in range(30):
        failure = Failure("test", f"red {number}", node="verify_task")
        state = with_status(state, Status.FAILED, number=number, failure=failure)
    said = text(state, status="ended").partition("**Errors**")[2]

    assert "- … 20 more, see the run's report" in said
    assert "red 29" in said
    assert "red 19 " not in said


def test_recoveries_are_counted():
    """What each strategy led to stands under the tasks; without any there is no such table."""
    plain = progress_text("r1", "ended", "", run_state())
    retried = with_status(run_state(), Status.COMPLETED)
    again = replace(next(iter(retried.attempts.values())), number=2)

    assert "| recovery |" not in plain
    assert "| defer | 1 | 1 | 1 |" in progress_text("r1", "ended", "", retried.put(again))


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (with_status(run_state(), Status.COMPLETED), "is done"),
        (with_status(run_state(), Status.FAILED), "has ended"),
        (run_state(), "has ended"),
        (None, "has ended"),
    ],
    ids=["completed", "failed", "nothing begun", "no roadmap"],
)
def test_only_a_run_whose_tasks_are_done_is_called_done(state, says):
    """What ended otherwise says no more than that; the lines below say why."""
    assert text(state, status="ended", detail="why").startswith(f"### Cairn run `r1` {says}\n")
