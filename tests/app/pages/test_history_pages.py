"""The pages of the history: the digits of the command line, and pictures of them."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from app.store.database import open_store
from app.store.history import StoredHistory
from runner.analysis.recorded import analyse
from runner.analysis.today import TodaysSettings
from runner.history.inquiry import asked, at_most
from runner.history.statistics import as_json, statistics_of
from runner.people.analysis_sentences import Topic
from runner.people.analysis_sentences import as_json as as_lessons
from runner.people.analysis_sentences import tables as lesson_tables
from runner.people.cost_sentences import run_cost
from runner.people.history_sentences import as_lines, as_markdown, summary, tables
from tests.app.pages.histories import HOSTILE, executions
from tests.app.pages.pages_bench import BEARER, PAGE, Bench
from tests.runner.analysis.histories import flawed

HERE, LEARNED = "/repositories/octo/shop/history", "/repositories/octo/shop/learned"


@pytest.fixture
async def bench(tmp_path):
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    bench = Bench(store, tmp_path)
    await bench.queue("r1", repository="octo/shop", repository_id=5)
    await bench.queue("r2", repository="octo/other", repository_id=6)
    yield bench
    await store.close()


@pytest.fixture
async def client(aiohttp_client, bench):
    return await aiohttp_client(bench.app())


async def remember(bench, **changes):
    history = StoredHistory(bench.store)
    for each in executions(bench.clock.now().timestamp(), **changes):
        await history.record(each)
    return history


async def page(client, path):
    answer = await client.get(path, headers=PAGE)
    assert answer.status == 200
    return await answer.text()


def words(html):
    """The text of a page's cells and paragraphs."""
    plain = re.sub(r"<[^>]+>", "", html)
    return plain.replace("&#39;", "'").replace("&amp;", "&")


async def test_the_same_digits_in_every_place(client, bench):
    """Page, JSON, terminal and comment say the same, cell by cell."""
    history = await remember(bench)
    query = asked(now=bench.clock.now().timestamp(), days=30, repository_id=5)
    statistics = statistics_of(await history.totals(query), query)
    shown = words(await page(client, HERE))
    told = await (await client.get(HERE, headers=BEARER)).json()

    assert told["statistics"] == as_json(statistics)
    for sentence in summary(statistics):
        assert sentence in shown
    for table in tables(statistics):
        terminal, comment = "\n".join(as_lines(table)), as_markdown(table)
        for cell in (cell for row in table.rows for cell in row):
            assert cell in shown
            assert cell in terminal
            assert cell in comment.replace("\\", "")
    cost = run_cost((await history.of_run("run01")).executions)
    assert cost is not None
    for cell in (cost.title, *(cell for row in cost.rows for cell in row)):
        assert cell in shown


async def test_what_is_drawn_is_what_is_counted(client, bench):
    """Success by day, tokens, ends, nodes, repairs and models each have a picture."""
    await remember(bench)
    shown = await page(client, HERE)

    captions = re.findall(r'aria-label="([^".]*)\. ', shown)
    assert captions[:3] == [
        "Completed attempts, of those that are over",
        "Tokens of an attempt",
        "Cost of an attempt",
    ]
    assert {
        "Completed attempts by model",
        "Where attempts ended",
        "Time by node",
        "Attempts with repairs that completed their task",
        "Errors",
    } <= set(captions)
    assert shown.count("<svg") == len(captions)
    assert 'aria-label="Completed attempts by model. large: 8 of 12 (67 %)' in shown


async def test_one_repository_does_not_show_another(client, bench):
    """Each page has its own repository; the installation's has all, and leads to each."""
    await remember(bench)
    other = words(await page(client, "/repositories/octo/other/history"))
    whole = await page(client, "/history")

    assert "Nothing is recorded yet" in other
    assert "12 attempts at tasks" in words(whole)
    assert 'href="/repositories/octo/other/history"' in whole


@pytest.mark.parametrize(
    ("path", "status"), [(f"{HERE}?days=8", 400), (HERE[:-9] + "x/history", 404)]
)
async def test_what_nobody_can_mean_is_refused(client, path, status):
    """A period or a repository that is not there is told."""
    assert (await client.get(path, headers=PAGE)).status == status


@pytest.mark.parametrize("path", ["/history", HERE])
async def test_the_history_is_the_operators(client, path):
    """Strangers are sent to the login."""
    answer = await client.get(path, headers={"Accept": "text/html"}, allow_redirects=False)

    assert answer.headers["Location"] == f"/login?next={path}"


async def test_foreign_words_in_the_history_stay_words(client, bench):
    """Titles, models and messages add no element."""
    await remember(bench, title=HOSTILE, model=HOSTILE)
    shown = await page(client, HERE)

    assert "<script>alert" not in shown
    assert "hunter2" not in shown


async def test_a_period_can_be_chosen(client, bench):
    """What is older than the period is left out."""
    await remember(bench)
    bench.clock.forward(40 * 86_400)

    assert "Nothing is recorded" in words(await page(client, f"{HERE}?days=30"))
    assert "12 attempts" in words(await page(client, f"{HERE}?days=90"))


async def test_the_newest_attempts_lead_to_their_runs(client, bench):
    """From a number to what happened is one step."""
    history = await remember(bench)
    query = at_most(asked(now=bench.clock.now().timestamp(), repository_id=5), 1)
    (newest,) = (await history.recent(query)).executions

    assert f'<a href="/runs/{newest.key.run}">' in await page(client, HERE)


async def test_what_a_history_taught(client, bench):
    """The flaw of a model, with the digits of the command line; text of others is only text."""
    now, history = bench.clock.now().timestamp(), StoredHistory(bench.store)
    for each in flawed(now, repository_id=5):
        await history.record(each, details=False)
    newest = {"model": flawed(now, repository_id=5)[-1].models.writing}
    found = analyse(flawed(now, repository_id=5), TodaysSettings(levels=newest))
    shown = words(await page(client, LEARNED))
    told = await (await client.get(LEARNED, headers=BEARER)).json()

    assert LEARNED in await page(client, HERE)
    for topic in get_args(Topic):
        assert told[topic] == as_lessons(topic, found)
        for table in lesson_tables(topic, found):
            for text in (*(s.replace("`", "") for s in table.sentences), *sum(table.rows, ())):
                assert text in shown
    for each in executions(now, model=HOSTILE):
        await history.record(each)
    assert "<script>alert" not in await page(client, LEARNED)
    assert (await client.get("/repositories/octo/none/learned", headers=PAGE)).status == 404


async def test_readers_of_the_repository_see_its_history_by_a_link(client, bench):
    """The link opens this history, and neither another one nor runs."""
    await remember(bench)
    link = bench.links.history("octo/shop", private=False).removeprefix("https://cairn.test")
    browser = {"Accept": "text/html"}
    shown = await client.get(link, headers=browser)
    text = await shown.text()
    other = await client.get(link.replace("shop", "other"), headers=browser)
    run = await client.get("/runs/r1", headers=browser, allow_redirects=False)

    assert (shown.status, shown.url.query_string) == (200, "")
    assert "12 attempts at tasks" in text
    assert "Log out" not in text
    assert 'href="/runs' not in text
    assert (other.status, run.status) == (403, 303)
