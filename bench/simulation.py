"""An organisation's day in virtual time: 10,000 repositories, 100 workers, and what breaks first.

Who goes next is decided as ``app/store/wakeups.py`` decides it (``tests/bench/test_simulation.py``
plays both). What the database has to do in the busiest hour is measured: the rows of that day are
written into a PostgreSQL, and each kind of transaction is timed on them.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import heapify, heappop, heappush
from itertools import count
from math import cos, pi
from operator import methodcaller
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.jobs.engine import SHARED_POLL
from app.jobs.member import BEAT, DEAD_AFTER
from app.store.database import Store, open_store
from app.store.line import WaitingLine
from app.store.queue import Queue
from app.store.schema import runs, wakeups, workers
from app.store.wakeups import Wakeups
from bench.finding import Finding, Line, Unmeasured
from bench.run_requests import run_request
from runner.ports import SystemClock
from tests.postgresql import is_installed, postgresql

_REPOSITORIES, _SLOTS = 10_000, 2
_WORKERS = _REPOSITORIES // 100
_DAY, _HOUR = 86_400.0, 3_600.0
_PRIORITIES = {0: 0.9, 50: 0.09, 100: 0.01}
_TASKS, _MINUTES, _NODES, _DEATHS = 3.0, 4.0, 12, 24
_TIMES = 40


@dataclass(eq=False, slots=True)
class Work:
    """A run: when it was asked for, and the seconds that each of its tasks takes.

    It is ``alone`` if its repository had no other unfinished run then.
    """

    repository: int
    priority: int = 0
    asked: float = 0.0
    tasks: list[float] = field(default_factory=list)
    begun: bool = False
    alone: bool = True


class Rule:
    """Who goes next, as ``_NEXT`` of ``app/store/wakeups.py``; each repository has one roadmap.

    A run between two tasks keeps its repository. ``waiting`` counts runs without a place.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._number = count(1)
        self._served: dict[int, int] = defaultdict(int)
        self._lines: dict[tuple[int, int], deque[tuple[int, Work]]] = defaultdict(deque)
        self._heap: list[tuple[int, int, int, int]] = []
        self._holder: dict[int, Work] = {}
        self.waiting = 0
        self.at_work = 0

    def ask(self, work: Work) -> None:
        """Put a run into the line."""
        self.waiting += 1
        self._lines[work.repository, work.priority].append((next(self._number), work))
        self._offer(work.repository, work.priority)

    def _offer(self, repository: int, priority: int) -> None:
        if line := self._lines[repository, priority]:
            heappush(self._heap, (-priority, self._served[repository], line[0][0], repository))

    def _first(self) -> tuple[int, int] | None:
        """The line of the run that goes next; what is no longer true is dropped on the way."""
        while self._heap:
            negative, served, oldest, repository = self._heap[0]
            line = self._lines[repository, -negative]
            true = line and (self._served[repository], line[0][0]) == (served, oldest)
            if true and self._holder.get(repository) in (None, line[0][1]):
                return repository, -negative
            heappop(self._heap)
        return None

    def next(self) -> Work | None:
        """Give the next one a place, if there is one for it."""
        first = self._first() if self.at_work < self._places else None
        if first is None:
            return None
        work = self._lines[first].popleft()[1]
        self._served[work.repository] = next(self._number)
        self._holder[work.repository] = work
        self.waiting -= 1
        self.at_work += 1
        return work

    def give_way(self, work: Work) -> bool:
        """Between two tasks: True if another one takes the place."""
        if self._first() is None:
            return False
        self.at_work -= 1
        self.waiting += 1
        line = self._lines[work.repository, work.priority]
        line.appendleft((next(self._number), work))
        self._offer(work.repository, work.priority)
        return True

    def end(self, work: Work) -> None:
        """The run is over: the others of its repository may go."""
        self.at_work -= 1
        del self._holder[work.repository]
        for priority in sorted(each for id, each in self._lines if id == work.repository):
            self._offer(work.repository, priority)


@dataclass
class Day:
    """What happened: how often what was done, by hour; waits in seconds by priority.

    Runs that had to wait for another one of their own repository are counted, not timed.
    """

    waits: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    hours: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    most_waiting: int = 0
    others_first: int = 0

    def busiest(self, what: str) -> float:
        """How many a second in the hour that had most."""
        return max(self.hours[what].values(), default=0) / _HOUR


def simulate(per_repository: float, *, repositories: int = _REPOSITORIES, seed: int = 1) -> Day:
    """Play a day on which a repository asks for so many runs on average, most of them by day.

    There is a worker for every hundred repositories.
    """
    draw, number = random.Random(seed), count()  # noqa: S311 - a day, not a secret
    rule, day = Rule(repositories // 100 * _SLOTS), Day()
    unfinished: Counter[int] = Counter()
    todo: list[tuple[float, int, str, Work | None]] = [
        (work.asked, next(number), "asked", work)
        for work in _asked(draw, per_repository, repositories)
    ]
    todo += [(draw.random() * _DAY, next(number), "death", None) for _ in range(_DEATHS)]
    heapify(todo)
    while todo:
        now, _, what, work = heappop(todo)
        if work is None:  # what its worker did since the last saved node is done again
            at_work = [place for place, each in enumerate(todo) if each[2] == "task"]
            for place in draw.sample(at_work, min(_SLOTS, len(at_work))):
                again = DEAD_AFTER + draw.random() * 60 * _MINUTES / _NODES
                todo[place] = (todo[place][0] + again, *todo[place][1:])
            heapify(todo)
            continue
        if what == "task":
            what = "end" if not work.tasks else "way" if rule.give_way(work) else "border"
        day.hours[what][int(now // _HOUR)] += 1
        if what == "asked":
            work.alone = not unfinished[work.repository]
            unfinished[work.repository] += 1
            rule.ask(work)
        elif what == "end":
            unfinished[work.repository] -= 1
            rule.end(work)
        elif what == "border":
            heappush(todo, (now + work.tasks.pop(), next(number), "task", work))
        while (going := rule.next()) is not None:
            if not going.begun:
                going.begun = True
                if going.alone:
                    day.waits[going.priority].append(now - going.asked)
                else:
                    day.others_first += 1
            heappush(todo, (now + going.tasks.pop(), next(number), "task", going))
        day.most_waiting = max(day.most_waiting, rule.waiting)
    return day


def _asked(draw: random.Random, per_repository: float, repositories: int) -> Iterator[Work]:
    """The runs of the day: few repositories ask for most, and few tasks take long."""
    weights = [1 / (rank + 100) for rank in range(repositories)]
    number = int(repositories * per_repository)
    for repository in draw.choices(range(repositories), weights, k=number):
        (priority,) = draw.choices(list(_PRIORITIES), list(_PRIORITIES.values()))
        tasks = min(10, 1 + int(draw.expovariate(1 / (_TASKS - 1))))
        seconds = [60 * _MINUTES * draw.lognormvariate(0, 0.8) for _ in range(tasks)]
        yield Work(repository, priority, _moment(draw), seconds)


def _moment(draw: random.Random) -> float:
    """When somebody asks: nine times as often at noon as at midnight."""
    while True:
        at = draw.random()
        if draw.random() * 1.8 < 1 - 0.8 * cos(2 * pi * at):
            return at * _DAY


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """A day that the places are enough for, and one that asks for more at noon than they can do."""
    for per_repository in (1.0, 1.5):
        day = simulate(per_repository)
        what = f"{per_repository:g} runs a repository and day"
        for priority, waits in sorted(day.waits.items()):
            half, most = median(waits) / 60, quantiles(waits, n=100)[98] / 60
            yield Finding(
                what=f"{what}: priority {priority} waits", value=half, unit="minutes (median)"
            )
            yield Finding(
                what=f"{what}: priority {priority} waits", value=most, unit="minutes (p99)"
            )
        later = 100 * day.others_first / sum(day.hours["asked"].values())
        yield Finding(what=f"{what}: wait for their own repository's", value=later, unit="%")
        yield Finding(what=f"{what}: wait at the worst moment", value=day.most_waiting, unit="runs")
    if not is_installed():
        yield Unmeasured("what the database does on that day", "PostgreSQL is not installed")
        return
    with postgresql("") as cluster:
        async for line in _database(cluster.database(), day):
            yield line


async def _database(url: str, day: Day) -> AsyncIterator[Line]:
    """Time what the busiest hour is made of, on the rows of that day."""
    store = await open_store(url)
    queue = Queue(store, SystemClock(), Wakeups(SystemClock(), _sent, at_once=None))
    try:
        await _fill(store, day)
        seconds = {
            "asked": await _timed(lambda n: queue.start(run_request(f"new{n}", repository_id=n))),
            "way": await _timed(lambda n: queue.give_way(f"work{n}-0", f"work{n}")),
            "end": await _timed(
                lambda n: queue.settle(f"work{n + _TIMES}-0", f"work{n + _TIMES}", "ended")
            ),
        }
        told = await _timed(lambda _: WaitingLine(store).places())
    finally:
        await store.close()
    for what, each in {**seconds, "all places told": told}.items():
        yield Finding(
            what=f"one transaction on that day's rows: {what}", value=1e3 * each, unit="ms"
        )
    writes = sum(day.busiest(what) * each for what, each in seconds.items())
    yield Finding(
        what="busiest hour: the queue's one writer is at work",
        value=100 * writes,
        unit="%",
        goal="< 50 %",
        ok=writes < 0.5,
    )
    saves = _NODES * sum(day.busiest(what) for what in ("way", "end", "border"))
    looks = _WORKERS / SHARED_POLL + _WORKERS / BEAT
    yield Finding(what="busiest hour: nodes saved", value=saves, unit="a second")
    yield Finding(
        what="always: looks into the queue and signs of life", value=looks, unit="a second"
    )


async def _fill(store: Store, day: Day) -> None:
    """Write runs that ended, those at work, and those that wait at the worst moment."""
    now, places = datetime.now(UTC), _WORKERS * _SLOTS
    number = sum(day.hours["asked"].values())
    groups = (
        ("old", number, "ended", "done", 3),
        ("work", places, "running", "sent", 1),
        ("wait", day.most_waiting, "queued", "waiting", 1),
    )

    def fill(connection: Connection) -> None:
        row = {"id": "w", "slots": places, "version": "1", "beat": now, "dead": False}
        connection.execute(sa.insert(workers).values(row))
        for name, size, status, sent, turns in groups:
            requests = [
                run_request(f"{name}{n}", repository_id=n % _REPOSITORIES) for n in range(size)
            ]
            asked = [
                {
                    **each.columns,
                    "status": status,
                    "created_at": now,
                    "updated_at": now,
                    "reason": "",
                }
                for each in requests
            ]
            turned = [
                {
                    "id": f"{each.id}-{turn}",
                    "run": each.id,
                    "repository_id": each.repository.id,
                    "roadmap": each.roadmap,
                    "priority": 0,
                    "status": sent,
                    "made_at": now,
                    "sent_at": None if sent == "waiting" else now - timedelta(minutes=turn),
                }
                for each in requests
                for turn in range(turns)
            ]
            connection.execute(sa.insert(runs), asked)
            connection.execute(sa.insert(wakeups), turned)

    await store.write(fill)
    await store.write(methodcaller("execute", sa.text("ANALYZE")))


def _sent(_connection: Connection, _wakeup: str) -> None:
    """The engine's own row is not part of this."""


async def _timed(work: Callable[[int], Awaitable[object]]) -> float:
    """The median of many, in seconds."""
    seconds = []
    for number in range(_TIMES):
        began = perf_counter()
        await work(number)
        seconds.append(perf_counter() - began)
    return median(seconds)
