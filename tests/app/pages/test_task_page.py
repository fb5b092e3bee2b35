"""The page of one task and the files of a run: all that a person needs, and nothing that acts."""

from __future__ import annotations

import json
import re

import pytest

from app.store.database import open_store
from tests.app.pages.pages_bench import BEARER, PAGE, Bench
from tests.app.pages.story import HOSTILE, happened

BROWSER = {"Accept": "text/html"}


@pytest.fixture
async def bench(tmp_path):
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    yield Bench(store, tmp_path / "executor")
    await store.close()


@pytest.fixture
async def client(aiohttp_client, bench):
    return await aiohttp_client(bench.app())


async def page(client, path):
    answer = await client.get(path, headers=PAGE)
    assert answer.status == 200
    return await answer.text()


async def data(client, path):
    answer = await client.get(path, headers=BEARER)
    assert answer.status == 200
    return await answer.json()


async def tasks(client, bench):
    """The addresses of the three tasks' pages."""
    await happened(bench)
    return [task["page"] for task in (await data(client, "/runs/r1"))["tasks"]]


async def test_a_task_in_full(client, bench):
    """Text, diff, the verification of each answer, and every question with its reply."""
    first, *_ = await tasks(client, bench)
    seen = await data(client, first)
    shown = await page(client, first)

    assert [each["passed"] for each in seen["verifications"]] == [False, False, True, True, True]
    assert [each["node"] for each in seen["exchanges"]] == ["execute_task", "repair_test"]
    assert '<span class="removed">-    return cents</span>' in shown
    assert '<span class="added">+    return f&#34;{cents / 100:.2f} &lt;b&gt;EUR' in shown
    assert '<span class="removed">-gone = True</span>' in shown
    assert "<code>python -m pytest -q</code>" in shown
    assert "tests/test_price.py::test_euros" in shown
    assert shown.count("<details") == shown.count("</details>") == 6
    assert "another task" not in shown


async def test_what_tests_said_stands_with_its_answer(client, bench):
    """Runs without the change, and runs again, are no answers; no level is shown twice."""
    first, *_ = await tasks(client, bench)
    verification = (await page(client, first)).partition('<h2 id="verification">')[2]
    headings = re.findall(r"<h[34]>(.*?)</h[34]>", verification.partition("<h2")[0])

    assert [
        re.sub(r"<.*?>", "", heading).rpartition(" ")[0] or heading for heading in headings
    ] == [
        "Answer",
        "With the change: failed",
        "What fails:",
        "Again, only what failed: failed",
        "Before the change: passed",
        "Answer",
        "With the change: passed",
        "Proof of the new tests: passed",
    ]
    assert verification.count(">proof<") == 1
    assert (await data(client, first))["answers"] == 2


async def test_nobody_approves_blind(client, bench):
    """A proposal is shown with its evidence, what takes the task's place, and where to decide."""
    _, second, _ = await tasks(client, bench)
    seen = (await data(client, second))["proposal"]
    shown = await page(client, second)

    assert seen["evidence"][0] == "assert 3 == 2"
    assert f"<code>{seen['id']}</code>: DECOMPOSE" in shown
    assert "It is waiting for a decision." in shown
    assert "an empty cart costs 0" in shown
    assert f"/approve {seen['id']}" in shown
    assert 'href="https://github.test/octo/hello/pull/7"' in shown


async def test_a_task_at_work_has_a_page_already(client, bench):
    """What is not there yet is said."""
    *_, third = await tasks(client, bench)
    shown = await page(client, third)

    assert "No answer has been tested." in shown
    assert "Nothing so far." in shown


async def test_a_change_whose_base_is_gone_is_not_made_up(client, bench):
    """Without the commit below, no diff is shown, and why."""
    first, *_ = await tasks(client, bench)
    bench.before = None

    assert "is not on this server any more" in await page(client, first)
    assert (await data(client, first))["diff"] is None


async def test_foreign_text_stays_text_and_secrets_hidden(client, bench):
    """Nothing of model, repository and people becomes an element; no secret is shown."""
    for path in ["/runs/r1", *await tasks(client, bench)]:
        shown = await page(client, path)
        assert "<script>alert" not in shown
        assert "<img" not in shown
        assert "hunter2" not in shown
        assert not re.search(r'\son\w+="', shown)
        assert 'style="' not in shown


async def test_the_files_of_a_run(client, bench):
    """Each exchange and verification, and the report, as data that no browser takes for a page."""
    await happened(bench)
    listed = (await data(client, "/runs/r1"))["artifacts"]

    names = [each["name"] for each in listed]
    assert names[:3] == ["report.md", "report.json", "todos.json"]
    assert {"agent-1.json", "agent-3.json", "verification-2.json", "iteration-1.json"} <= set(names)
    for each in listed:
        answer = await client.get(each["url"], headers=PAGE)
        assert answer.status == 200
        assert answer.content_type in ("application/json", "text/plain")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        text = await answer.text()
        assert "hunter2" not in text
        if answer.content_type == "application/json":
            json.loads(text)
    assert HOSTILE in (await data(client, "/runs/r1/artifacts/agent-1.json"))["prompt"]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "..%2f..%2fcairn.db",
            "..%2Fr2%2Fagent-1.json",
            "%2e%2e",
            "agent-1.json%00",
            "agent-0.json",
        ),
        *(
            "agent-1.json.",
            "agent-99.json",
            ".gitignore",
            "memory.json",
            "%2Fetc%2Fpasswd",
            "report.txt",
        ),
    ],
)
async def test_no_other_file_is_reached(client, bench, name):
    """Only names of files that a run writes are names of files."""
    await happened(bench)
    answer = await client.get(f"/runs/r1/artifacts/{name}", headers=BEARER)

    assert answer.status == 404


@pytest.mark.parametrize(
    "path", ["/runs/r1/tasks/none", "/runs/r2/tasks/x", "/runs/r2/artifacts/report.md"]
)
async def test_what_is_not_there_is_404(client, bench, path):
    """The page says so, and what to do."""
    await happened(bench)
    answer = await client.get(path, headers=PAGE)

    assert answer.status == 404
    assert "page lists its" in await answer.text()


async def test_the_runs_link_opens_its_tasks_and_files(client, bench):
    """Whoever has the link sees all of the run; of another run nothing."""
    first, *_ = await tasks(client, bench)
    await happened(bench, run="r2")
    await client.get(bench.link("r1"), headers=BROWSER)

    opened = [
        (await client.get(path, headers=BROWSER, allow_redirects=False)).status
        for path in (first, "/runs/r1/artifacts/agent-1.json", first.replace("r1", "r2"))
    ]
    assert opened == [200, 200, 303]
