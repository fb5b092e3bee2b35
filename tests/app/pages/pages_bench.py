"""A server with pages on a real database, whose journals are what a test says."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from app.pages.door import Door
from app.pages.history import HistoryPages
from app.pages.operations import Operations
from app.pages.site import Pages, routes
from app.pages.view import Listing
from app.progress.waiting import WaitEstimate
from app.runs.live import Hub
from app.server.http import Access, build_app
from app.server.links import RunLinks
from app.server.metrics import RunMetrics
from app.store.counts import Counting
from app.store.deliveries import Deliveries
from app.store.history import StoredHistory
from app.store.line import WaitingLine
from app.store.runs import StoredJournal, StoredRuns
from runner.files.kept import KeptFiles
from runner.files.results import RunFiles
from runner.people.task_detail import detail_of
from tests.app.server.webhooks import SECRET, always
from tests.app.store.conftest import HandClock
from tests.app.store.rows import put_run, set_run
from tests.app.store.test_runs import asked

TOKEN = "correct horse battery"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
PAGE = {**BEARER, "Accept": "text/html"}


class Bench:
    """A server with pages; ``states`` stands for the journals of its runs."""

    def __init__(self, store, folder=Path("nothing")):
        self.folder = folder
        self.before = {}
        self.metrics = RunMetrics()
        self.clock = HandClock()
        self.store = store
        self.runs = StoredRuns(store, self.clock)
        self.hub = Hub(self.clock)
        self.states = {}
        self.links = RunLinks("pem", base="https://cairn.test", which="public", clock=self.clock)

    def link(self, run, *, private=False):
        """The path of a signed link."""
        return self.links.link(run, private=private).removeprefix("https://cairn.test")

    async def recall(self, run):
        return self.states.get(run.id)

    async def detail(self, run, state, key):
        """A task whose change is of new files."""
        kept = KeptFiles(self.folder)
        exchanges, verifications = (
            kept.exchanges(run.id, key),
            kept.verifications(run.id, key),
        )
        return detail_of(state, key, self.before, exchanges, verifications)

    def files(self):
        """Writes what a run leaves behind, as the loop's events say."""
        return RunFiles(self.folder, mask=lambda text: text.replace("hunter2", "***"))

    def app(self, token=TOKEN, *, secure=False):
        sources = Pages(
            stored=self.runs,
            listing=Listing(self.store, page=2),
            waiting=WaitEstimate(self.runs, WaitingLine(self.store), at_once=2, clock=self.clock),
            hub=self.hub,
            recall=self.recall,
            steps=StoredJournal(self.store, self.clock).steps,
            kept=self._kept,
            detail=self.detail,
            server_url="https://github.test",
            mask=lambda text: text.replace("hunter2", "***"),
        )
        access = Access(SecretStr(token) if token else None, secure=secure, clock=self.clock)
        door = Door(access, self.links)
        app = build_app(
            secret=SECRET,
            deliveries=Deliveries(self.store, self.clock),
            on_delivery=lambda: None,
            handles=always,
            readiness={},
            routes=[
                *routes(sources, door, heartbeat=0.01),
                *self._operations().routes(door),
                *self._histories(sources).routes(door),
            ],
        )
        app.on_shutdown.append(lambda _: self.hub.close())
        return app

    async def _kept(self, run):
        return KeptFiles(self.folder)

    def _operations(self):
        return Operations(
            counting=Counting(self.store),
            metrics=self.metrics,
            waiting=WaitEstimate(self.runs, WaitingLine(self.store), at_once=2, clock=self.clock),
            clock=self.clock,
        )

    def _histories(self, sources):
        history = StoredHistory(self.store)
        return HistoryPages(history, sources.listing, self.clock, sources.mask)

    async def queue(self, *ids, **changes):
        for id in ids:
            await put_run(self.store, self.clock, asked(id, **changes))

    async def let(self, id, status, **values):
        """Let a run stand so."""
        await set_run(self.store, id, status, **values)
