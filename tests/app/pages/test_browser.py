"""The pages in a real browser: dark and light, on a phone, by keyboard, without scripts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from aiohttp.test_utils import TestServer

from app.store.database import open_store
from app.store.history import StoredHistory
from runner.state.events import RunChanged
from tests.app.pages.histories import executions
from tests.app.pages.pages_bench import TOKEN, Bench
from tests.app.pages.story import happened
from tools.pictures.browser import browser, installed

pytestmark = pytest.mark.skipif(
    installed() is None, reason="needs Chromium, which is not installed (apt-get install chromium)"
)
LONG = pytest.mark.long("a browser looks at every page")
CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
HISTORY = "/repositories/octocat/hello/history"
OVERLAPS = """
    [...document.querySelectorAll('.plot .value')].filter(value => {
        const label = value.previousElementSibling.getBoundingClientRect();
        const box = value.getBoundingClientRect();
        return label.bottom > box.top && label.top < box.bottom && label.right > box.left;
    }).map(value => value.textContent)
"""
"""Words of plots that stand on other words."""


@pytest.fixture
async def bench(tmp_path):
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    yield Bench(store, tmp_path / "executor")
    await store.close()


@pytest.fixture
async def front(bench):
    async with TestServer(bench.app()) as server:
        yield str(server.make_url("")).rstrip("/")


@pytest.fixture
async def page():
    async with browser(width=1280, scale=1) as page:
        yield page


async def addresses(bench, front):
    """Every page of a run with a task of each kind, as who has the link sees them."""
    state = await happened(bench)
    tasks = [f"{front}/runs/r1/tasks/{task.key}" for task in state.tasks]
    return [f"{front}{bench.link('r1')}", *tasks]


async def remembered(bench):
    """A history of the repository of the run."""
    history, row = StoredHistory(bench.store), await bench.runs.get("r1")
    for each in executions(bench.clock.now().timestamp()):
        place = replace(each.place, repository_id=row.repository.id)
        await history.record(replace(each, place=place))


async def opened_all(page):
    """Unfold what is folded, so that everything is looked at."""
    await page.asked("document.querySelectorAll('details').forEach(each => each.open = true)")


@LONG
@pytest.mark.parametrize(
    ("width", "scheme"),
    [(360, "light"), (360, "dark"), (1030, "light"), (1280, "light"), (1280, "dark")],
)
async def test_every_page_can_be_read(bench, front, page, width, scheme):
    """Text stands out at 4.5:1 or more, nothing scrolls sideways, and nothing complains."""
    await page.look(width=width, scheme=scheme)
    for address in await addresses(bench, front):
        await page.show(address)
        await opened_all(page)
        faint = await page.asked(CONTRAST)
        wide = await page.asked("[document.documentElement.scrollWidth, innerWidth]")

        assert faint == []
        assert wide[0] <= wide[1] == width
        assert await page.asked("matchMedia('(prefers-color-scheme: dark)').matches") == (
            scheme == "dark"
        )
    await remembered(bench)
    for path in ("/runs", "/runs/nothing", "/login", HISTORY, "/history?days=0"):
        await page.show(f"{front}{path}", Authorization=f"Bearer {TOKEN}")
        await opened_all(page)
        assert await page.asked(CONTRAST) == []
        assert await page.asked("document.documentElement.scrollWidth") <= width
        assert await page.asked(OVERLAPS) == []

    assert [said for said in page.complaints if "/runs/nothing" not in said] == []


async def test_a_run_can_be_read_without_scripts(bench, front, page):
    """Every task, its picture and its page are there without JavaScript."""
    first, *_ = await addresses(bench, front)
    await page.scripts(run=False)
    await page.show(first)

    assert "key=" not in await page.asked("location.href")
    assert await page.asked("document.querySelectorAll('svg .bar').length") == 9
    assert await page.asked("document.querySelector('svg').getBoundingClientRect().width") > 600
    await page.press("Tab")
    assert await page.asked("document.activeElement.textContent") == "Skip to the content"
    await page.asked("document.querySelector('summary').click()")
    assert await page.asked("document.querySelector('details').open")
    assert page.complaints == []


@LONG
async def test_headings_and_landmarks_are_in_order(bench, front, page):
    """A screen reader finds one title, no level left out, one main part, and named regions."""
    for address in await addresses(bench, front):
        await page.show(address)
        await opened_all(page)
        levels = await page.asked(
            "[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(each => +each.tagName[1])"
        )
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert await page.asked("document.querySelectorAll('main').length") == 1
        unnamed = "section:not([aria-labelledby], [aria-label]), svg:not([aria-label])"
        assert await page.asked(f"document.querySelectorAll('{unnamed}').length") == 0
        doubled = (
            "(ids => ids.filter((id, at) => ids.indexOf(id) !== at))"
            "([...document.querySelectorAll('[id]')].map(each => each.id))"
        )
        assert await page.asked(doubled) == []


async def test_the_whole_way_by_keyboard(bench, front, page):
    """From the login to a task's exchange with Tab and Enter alone; one sees where one is."""
    await happened(bench)
    await page.show(f"{front}/runs")
    await page.until("document.activeElement.id === 'token'")  # after loading, in its own time
    await page.write(TOKEN)
    await page.press("Enter")
    await _loaded(page, "Runs")
    await _follow(page, "r1")
    await _loaded(page, "Run r1")
    await _follow(page, "1.1 Add")
    await _loaded(page, "Task 1.1")
    await _reach(page, "1. gpt-test, as Cairn asks the model for code")
    await page.press("Enter")

    assert await page.asked("document.activeElement.parentElement.open")
    assert page.complaints == []


async def _loaded(page, title):
    """Wait for a whole page: one that is still loading may not act on keys yet."""
    whole = "document.readyState === 'complete'"
    await page.until(f"{whole} && document.title.startsWith('{title}')")


async def _follow(page, words):
    await _reach(page, words)
    await page.press("Enter")


async def _reach(page, words):
    """Press Tab up to the element with these words; each stop on the way is visible."""
    for _ in range(60):
        await page.press("Tab")
        text, outline = await page.asked(
            "[document.activeElement.textContent.trim().slice(0, 200), "
            "getComputedStyle(document.activeElement).outlineStyle]"
        )
        assert outline != "none", text
        if text.startswith(words):
            return
    raise AssertionError(f"Tab never comes to {words!r}")


async def test_what_happens_is_shown_at_once(bench, front, page):
    """The page follows the run; what a reader opened stays open, and the keyboard where it is."""
    first, *_ = await addresses(bench, front)
    await page.show(first)
    await page.asked("document.getElementById('steps').open = true")
    await page.asked("document.querySelector('#tasks ~ table a').focus()")
    here = await page.asked("document.activeElement.id")
    await bench.let("r1", "paused", reason="The model is away")
    await bench.hub.emit(RunChanged("r1", "", "paused", "The model is away"))
    await page.until("document.body.textContent.includes('The model is away')")

    assert await page.asked("document.getElementById('steps').open")
    assert await page.asked("document.activeElement.id") == here != ""
    assert page.complaints == []
