"""Copies a run of a server here, so that it can be played again as a run of a checkout is.

Nothing of the server changes: its database and its data folder are only read, GitHub is not asked.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from app.local.files import hide_from_git
from app.local.options import FOLDER
from app.local.runs import named
from app.settings import ServerSettings, load_server_settings
from app.store.database import Store, StoreError, open_current
from app.store.files import StoredFiles
from app.store.proposals import StoredDecisions
from app.store.runs import Run, StoredAnswers, StoredJournal, StoredRuns
from app.texts import checkout_texts as texts
from runner.errors import PortError
from runner.files.decisions import FileDecisions, FileRuns, KnownRun
from runner.files.durable import translating_errors, write_file
from runner.files.journal import AnswerFiles, FileJournal
from runner.git.command import hermetic
from runner.loop.journal import references
from runner.ports import SystemClock

_AT_WORK = ("queued", "running", "pausing", "cancelling")
_MOST = 6


async def copy_of(wanted: str, kept: Path) -> Path:
    """Copy the run whose id begins so to a folder of its own below ``kept``; return that.

    Doing it again adds what is new. Raises ``PortError`` and ``SettingsError``.
    """
    settings = load_server_settings()
    try:
        store = await open_current(settings.database_url.get_secret_value())
    except StoreError as error:
        raise PortError("file", str(error)) from error
    try:
        found = await StoredRuns(store, SystemClock()).named(wanted, most=_MOST)
        id = named([KnownRun(run.id) for run in found], wanted, texts.nor_on_server()).id
        run = next(run for run in found if run.id == id)
        if run.status in _AT_WORK:
            raise PortError("file", texts.still_works(id))
        folder = kept / "server" / id
        with translating_errors(f"copy run {id} to {folder}"):
            await _copy_commits(run, settings, folder)
            hide_from_git(kept)
            await _copy_rows(run, store, folder / FOLDER)
            _copy_files(settings.cairn_data_dir, run, folder / FOLDER)
            await StoredFiles(store, run.repository.id, folder / FOLDER).fetch(id)
    finally:
        await store.close()
    return folder


async def _copy_rows(run: Run, store: Store, kept: Path) -> None:
    """Copy what happened, what was answered and what was decided."""
    clock, id = SystemClock(), run.id
    journal, stored = FileJournal(kept / "journal"), StoredJournal(store, clock)
    there: dict[str, bytes] = {}
    for row in await stored.every(id):
        for sha in references(row.data) - there.keys():
            there[sha] = await stored.content(sha)
        await journal.save(row, {sha: there[sha] for sha in references(row.data)})
    await journal.close()
    answers = AnswerFiles(kept / "journal")
    for question, answer in (await StoredAnswers(store, clock).every(id)).items():
        await answers.keep(id, question, answer)
    decisions = FileDecisions(kept / "decisions.jsonl")
    for step, decision in await StoredDecisions(store).taken(id):
        decisions.store(id, decision)
        await decisions.take(id, decision.task, step)
    FileRuns(kept / "journal").put(
        KnownRun(id, roadmap=run.roadmap, state="ended", began=run.created_at.timestamp())
    )


async def _copy_commits(run: Run, settings: ServerSettings, folder: Path) -> None:
    """Make a repository that also has what is in the server's mirror, and knows where it is from.

    A mirror has single commits without the history behind them (https://git-scm.com/docs/shallow).
    """
    here, own = run.repository, folder / ".git"
    if not own.exists():
        names = ("--template=", f"--initial-branch={here.default_branch}")
        await hermetic().output("init", "--quiet", *names, str(folder))
        url = f"{settings.github_server_url.rstrip('/')}/{here.full_name}.git"
        await hermetic("-C", str(folder)).output("remote", "add", "origin", url)
    mirror = (settings.cairn_data_dir / "mirrors" / str(here.id)).absolute()
    lent = f"{mirror}/objects\n" if (mirror / "objects").exists() else ""
    write_file(own / "objects/info/alternates", lent.encode())
    ends = {
        line
        for file in (mirror / "shallow", own / "shallow")
        if file.exists()
        for line in file.read_text().splitlines(keepends=True)
    }
    if ends:
        write_file(own / "shallow", "".join(sorted(ends)).encode())


def _copy_files(data: Path, run: Run, kept: Path) -> None:
    """Copy what was asked and tested."""
    left = f"runs/{run.id}"
    here = data / "executor" / str(run.repository.id) / left
    if here.exists():
        shutil.copytree(here, kept / left, dirs_exist_ok=True)
