"""Rows about what a run reports: numbers, files, times."""

from __future__ import annotations

from datetime import datetime

from tests.scenarios.projects import answer, note
from tests.scenarios.promised.left import Left
from tests.scenarios.promised.scenario import Scenario, to

SMALL = {
    "ROADMAP.md": b"- [ ] 1.1 Add `one.py` with `ONE`\n- [ ] 1.2 Add `two.py` with `TWO`\n"
    b"- [ ] 1.3 Add `tests/test_all.py` for both\n",
    "tests/test_nothing.py": b"def test_nothing():\n    assert True\n",
    "conftest.py": b"",
}


def _metrics(left: Left) -> None:
    nodes, usage = left.report["nodes"], left.report["model_usage"]
    exchanges, apart = left.files("agent"), nodes["verify_task"]["calls"]
    assert len(left.prompts) == 3
    assert len(exchanges) == usage["calls"] == 3 + apart
    assert apart > 0, "nothing shows the first two tasks to be done, so tests are asked for"
    tokens = sum(each["prompt_tokens"] + each["completion_tokens"] for each in exchanges)
    assert tokens == usage["tokens"] == sum(node["tokens"] for node in nodes.values()) > 0
    assert nodes["execute_task"]["calls"] == 3
    for node in ("execute_task", "verify_task", "checkpoint"):
        assert nodes[node]["seconds"] > 0 or not left.timed, node
    rows = [
        line.strip("| ").split(" | ") for line in left.text.split("\n") if line.startswith("| ")
    ]
    panel = {row[0]: row[1:] for row in rows if row[0] in nodes}
    busy = {node for node, used in nodes.items() if used["calls"] or used["tokens"]}
    assert busy <= panel.keys() <= nodes.keys()
    assert abs(sum(float(row[1]) for row in panel.values()) - 100) < 0.5
    assert {node: int(row[0].replace(",", "")) for node, row in panel.items()} == {
        node: nodes[node]["tokens"] for node in panel
    }


METRICS = Scenario(
    id="metrics",
    files=SMALL,
    answers=(
        answer({"one.py": "ONE = 1\n"}),
        answer({"two.py": "TWO = 2\n"}),
        answer(
            {
                "tests/test_all.py": "from one import ONE\nfrom two import TWO\n\n\n"
                "def test_all():\n    assert ONE + TWO == 3\n"
            }
        ),
    ),
    check=_metrics,
)

BAD = "one.json\n```json\n{\n```\n"


def _report(left: Left) -> None:
    assert left.statuses == {"1.1": "awaiting_approval", "1.2": "completed"}
    report = left.report
    assert (report["success_rate"], report["tasks"]["total"]) == (0.5, 2)
    assert report["recoveries"]["by_strategy"] == {
        "escalate": {"attempted": 1, "applied": 0, "successful": 0}
    }
    (error,) = report["errors"]
    assert error["type"] == "syntax"
    assert error["message"]
    for reference in error["references"]:
        assert (left.folder / reference).exists()
    start, end = (datetime.fromisoformat(report[f"{at}_at"]) for at in ("started", "completed"))
    assert start <= end
    assert 0 <= report["duration_seconds"] < 120
    assert sum(line["seconds"] for line in report["timeline"]) <= report["duration_seconds"] + 120
    assert "1 of 2 tasks done" in left.text
    assert "| 1.1 Write one.json | awaiting approval | 3 |" in left.text
    assert "| escalate | 1 | 0 | 0 |" in left.text


REPORT = Scenario(
    id="report",
    files={"ROADMAP.md": b"- [ ] 1.1 Write `one.json`\n- [ ] 1.2 Write `two.md`\n"},
    answers=(
        to("A programmer could not finish", says=("unknown\nNobody can say.",)),
        to("one.json", says=(BAD,), without=("two.md`\n\nIt",), again=True),
        note("two.md"),
    ),
    check=_report,
    code=3,
    ends="is waiting",
)
ROWS = (METRICS, REPORT)
