"""In which order the runs go that wait: one number for each, whoever asks for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import sqlalchemy as sa

from app.store.database import Store
from app.store.schema import journal
from app.store.schema import wakeups as table


@dataclass(frozen=True, slots=True)
class Waiting:
    """A wakeup that waits; ``place`` is the lowest one that it was told to have.

    Its run has ``begun`` if it was worked on before.
    """

    id: str
    run: str
    repository_id: int
    priority: int
    place: int | None = None
    begun: bool = False


def in_order(waiting: Sequence[Waiting], served: Mapping[int, float]) -> list[Waiting]:
    """Priority first; among equals the repositories in turn, those served longest ago first.

    ``waiting`` are in the order in which they were made, ``served`` is when a repository last was.
    """
    last = dict(served)
    latest = max(last.values(), default=0.0)
    lines: dict[int, dict[int, deque[tuple[int, Waiting]]]] = {}
    for age, each in enumerate(waiting):
        urgent = lines.setdefault(-each.priority, {})
        urgent.setdefault(each.repository_id, deque()).append((age, each))
    order: list[Waiting] = []
    for _, line in sorted(lines.items()):
        next_ones = [(last.get(id, 0.0), ones[0][0], id) for id, ones in line.items()]
        heapify(next_ones)
        while next_ones:
            *_, id = heappop(next_ones)
            order.append(line[id].popleft()[1])
            last[id] = latest + len(order)
            if line[id]:
                heappush(next_ones, (last[id], line[id][0][0], id))
    return order


@dataclass(frozen=True)
class WaitingLine:
    """Every method raises ``Outage`` when the database fails."""

    _store: Store

    async def places(self, tell: Collection[str] = ()) -> dict[str, tuple[int, Waiting]]:
        """Return the place of each run that waits: 1 goes next. A place only falls.

        Whoever comes in between later, because of a priority or a fair share, changes no number
        that was told: it stays until those in front are fewer. ``tell`` are the runs whose places
        are going to be told.
        """

        order = await self._store.read(order_of)
        places = {each.id: min(n, each.place or n) for n, each in enumerate(order, 1)}
        lower = [
            {"of": each.id, "now": places[each.id]}
            for each in order
            if each.run in tell and (each.place is None or places[each.id] < each.place)
        ]
        if lower:
            here = table.c.id == sa.bindparam("of")
            change = sa.update(table).where(here).values(place=sa.bindparam("now"))
            await self._store.write(lambda connection: connection.execute(change, lower))
        return {each.run: (places[each.id], each) for each in order}

    async def place_of_new(self, repository_id: int, priority: int) -> int:
        """Return the place that a run would have if it was queued now."""
        new = Waiting("", "", repository_id, priority)

        waiting, served = await self._store.read(_waiting)
        return in_order([*waiting, new], served).index(new) + 1


def order_of(connection: sa.Connection) -> list[Waiting]:
    """What waits, that which goes next first."""
    return in_order(*_waiting(connection))


def _waiting(connection: sa.Connection) -> tuple[list[Waiting], dict[int, float]]:
    columns = [table.c[name] for name in ("id", "run", "repository_id", "priority", "place")]
    waits = table.c.status == "waiting"
    begun = sa.exists().where(journal.c.run == table.c.run)
    query = sa.select(*columns, begun.label("begun")).where(waits)
    rows = connection.execute(query.order_by(table.c.seq))
    waiting = [Waiting(**row._mapping) for row in rows]
    here = table.c.repository_id.in_(sa.select(table.c.repository_id).where(waits))
    last = sa.func.max(sa.type_coerce(table.c.sent_at, sa.Double))
    found = connection.execute(
        sa.select(table.c.repository_id, last).where(here).group_by(table.c.repository_id)
    )
    return waiting, {repository: at or 0.0 for repository, at in found}
