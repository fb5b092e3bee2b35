"""``cairn bench``: make the tasks once, play those that have no result yet, and report."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.bench.box import copy_project, opened_box
from app.bench.play import Bench, Contestant
from app.bench.report import as_table, report_of, stored, write_report
from app.bench.suites import SuiteName, exercism, hidden, release, toy
from app.bench.tasks import BenchTask
from app.bench.texts import bench_texts
from app.interrupts import CODE, KIND, Interrupts
from app.local.command import check_key, telling
from app.local.files import take
from app.local.report import OutputFormat, speaker
from app.logs import mask_for, secrets_of
from app.settings import RunSettings
from app.show.watching import watching
from runner.errors import Outage, PortError
from runner.files.durable import write_file
from runner.model.budget import Budget
from runner.people.history_sentences import as_lines
from runner.ports import Events, Fanout

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """What is measured: ``model`` and ``sandbox`` are '' where the settings say which.

    ``project`` is a folder or an installed package, ``newer`` its next version; ``most`` tasks are
    played, and all together may cost ``max_cost`` (USD).
    """

    suite: SuiteName
    model: str
    agent: str
    project: str
    newer: str
    most: int
    max_cost: float | None
    sandbox: str
    output: Path


def command(asked: BenchOptions, output: OutputFormat) -> int:
    """Play and report: 0 all were played, 4 something keeps the bench from going on."""

    def work(settings: RunSettings) -> int:
        check_key(settings)
        control, mask = Interrupts(bench_texts.cut), mask_for(secrets_of(settings))
        write = speaker(settings, output)
        try:
            with watching(mask) as listener:
                told = Fanout() if output.json else listener
                report, stopped = control.run(_played(asked, settings, told, control))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(bench_texts.cut()) from None
        write(json.dumps(report) if output.json else "\n".join(as_lines(as_table(report))))
        if stopped is None:
            return 0
        log.error("%s", bench_texts.stopped(stopped))
        return CODE if stopped.kind == KIND else 4

    return telling(work, output)


async def _played(
    asked: BenchOptions, settings: RunSettings, listener: Events, control: Interrupts
) -> tuple[dict[str, Any], Outage | None]:
    """Return the report and what stopped the bench, if something did."""
    _check(asked)
    place = asked.output.resolve()
    mine = take(place)
    try:
        tasks = await _tasks(asked, settings)
        who = Contestant(model=asked.model or settings.cairn_model, agent=asked.agent)
        bench = Bench(place / "project", place / "runs" / who.folder, who, asked.sandbox, settings)
        stopped = None
        try:
            for number, task in enumerate(tasks, 1):
                file = bench.place / f"{task.name}.json"
                if not file.exists():
                    result = await bench.play(task, _left(asked, bench.place), listener, control)
                    write_file(file, json.dumps(asdict(result)).encode())
                    log.info("%s", bench_texts.played(number, len(tasks), result))
        except Outage as outage:
            stopped = outage
        report = report_of(asked.suite, asked.project, stored(place / "runs"))
        write_report(place, report)
        return report, stopped
    finally:
        os.close(mine)


def _check(asked: BenchOptions) -> None:
    """Raise ``PortError`` for a suite without what it needs, or with what it does not use."""
    given = {"--project": asked.project, "--newer": asked.newer}
    needed = {"toy": (), "releases": ("--project", "--newer")}.get(asked.suite, ("--project",))
    if missing := [name for name in needed if not given[name]]:
        raise PortError("file", bench_texts.needs(asked.suite, missing[0]))
    if unused := [name for name, value in given.items() if value and name not in needed]:
        raise PortError("file", bench_texts.unused(asked.suite, unused[0]))


def _left(asked: BenchOptions, place: Path) -> Budget:
    """What the next task may cost. Raises ``Outage`` where nothing is left."""
    if asked.max_cost is None:
        return Budget()
    spent = sum(each.cost or 0.0 for each in stored(place.parent, place.name))
    if spent >= asked.max_cost:
        raise Outage("budget", bench_texts.spent(asked.max_cost), advised=True)
    return Budget(asked.max_cost, before=spent)


async def _tasks(asked: BenchOptions, settings: RunSettings) -> Sequence[BenchTask]:
    """The tasks of the folder; made now where it has too few. Raises ``PortError``."""
    place = asked.output.resolve()
    wanted = {"suite": asked.suite, "project": asked.project, "newer": asked.newer}
    kept = place / "suite.json"
    if kept.exists():
        data = json.loads(kept.read_text(encoding="utf-8"))
        if {name: data[name] for name in wanted} != wanted:
            raise PortError("file", bench_texts.other_suite(asked.output, data))
        if data["most"] >= asked.most:
            return [BenchTask(**each) for each in data["tasks"][: asked.most]]
    if asked.suite == "toy":
        tasks = list(toy())
    elif asked.suite == "exercism":
        tasks = list(exercism(Path(asked.project)))
    else:
        project, newer = place / "project", place / "newer"
        await copy_project(asked.project, project)
        async with opened_box(project, asked.sandbox, settings) as box:
            if asked.suite == "hidden":
                tasks = [task async for task in hidden(box, project, asked.most, log.info)]
            else:
                await copy_project(asked.newer, newer)
                async with opened_box(newer, asked.sandbox, settings) as other:
                    tasks = [await release(project, box, newer, other)]
    if not tasks:
        raise PortError("file", bench_texts.no_tasks(asked.suite, asked.project))
    rows = [asdict(task) for task in tasks[: asked.most]]
    write_file(kept, json.dumps({**wanted, "most": asked.most, "tasks": rows}).encode())
    return tasks[: asked.most]
