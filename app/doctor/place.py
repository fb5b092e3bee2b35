"""Checks of the folder: configuration, git, roadmap. Nothing is written."""

from __future__ import annotations

from collections.abc import Mapping

from app.composition.checkout import checkout_in
from app.doctor import texts
from app.doctor.values import Finding, Patient, ok, problem, skipped, warning
from app.roadmap.files import beside
from runner.config import CONFIG_PATH, RepositoryConfig, config_entry, not_a_file, parse_config
from runner.errors import PortError
from runner.ports import Repository
from runner.problems import ON_A_CHECKOUT, missing_roadmap
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap
from runner.snapshot import EXECUTABLE, FILE, Entry


async def configuration(patient: Patient) -> Finding:
    """The settings, and the repository's own configuration as it is committed."""
    if patient.problems:
        return problem(" ".join(str(each) for each in patient.problems), texts.SETTINGS)
    content = await _configuration(patient)
    if content is None:
        return ok(texts.settings_read(server=patient.app))
    parse_config(content)
    return ok(texts.settings_read(server=patient.app, configured=True))


async def git(patient: Patient) -> Finding:
    """Whether a run could commit here: a branch, a commit, no uncommitted changes."""
    checkout = await checkout_in(patient.folder)
    if checkout is None:
        return skipped(texts.NO_CHECKOUT) if patient.app else warning(*texts.PLAIN_FOLDER)
    stack = await checkout.stack()
    try:
        await checkout.check_clean()
    except PortError as dirty:
        return warning(dirty.message, "")
    return ok(texts.on_branch(stack.branch, stack.tip))


async def roadmap(patient: Patient) -> Finding:
    """Whether the roadmap is there and has tasks to work on."""
    path = (await configured(patient)).roadmap.path
    content = await _content(patient, path)
    if content is None:
        if patient.app and await checkout_in(patient.folder) is None:
            return skipped(texts.NO_CHECKOUT)
        return problem(missing_roadmap(path, ON_A_CHECKOUT, await _paths(patient)))
    return _read(path, parse_roadmap(path, content))


async def configured(patient: Patient) -> RepositoryConfig:
    """The repository's configuration; the defaults where there is none. Raises ``ConfigError``."""
    content = await _configuration(patient)
    return RepositoryConfig() if content is None else parse_config(content)


async def _configuration(patient: Patient) -> bytes | None:
    """The configuration's content. Raises ``ConfigError`` when it is not a file."""
    checkout = await checkout_in(patient.folder)
    if checkout is not None:
        config_entry(await _entries(checkout))
    elif (patient.folder / CONFIG_PATH).is_dir():
        raise not_a_file("a folder")
    return await _content(patient, CONFIG_PATH)


def _read(path: str, found: Roadmap) -> Finding:
    work = [task for task in found.tasks if task.kind == "work"]
    left = sum(not task.checked for task in work)
    if found.asks:
        return problem(f"{path}: {found.asks}")
    if not work:
        return warning(*texts.no_tasks(path))
    return ok(texts.tasks(path, left, len(work)))


async def _content(patient: Patient, path: str) -> bytes | None:
    """A file of the newest commit, of the folder where git is not; None when there is none."""
    checkout = await checkout_in(patient.folder)
    if checkout is None:
        file = patient.folder / path
        return file.read_bytes() if file.is_file() else None
    entry = (await _entries(checkout)).get(path)
    if entry is None or entry.mode not in (FILE, EXECUTABLE):
        return None
    return (await checkout.blobs([entry.sha]))[entry.sha]


async def _paths(patient: Patient) -> list[str]:
    """The files a roadmap could be: all of the commit, those near the top of a plain folder."""
    checkout = await checkout_in(patient.folder)
    if checkout is None:
        return beside(patient.folder)
    return list(await _entries(checkout))


async def _entries(checkout: Repository) -> Mapping[str, Entry]:
    """The newest commit's files; none where there is no commit yet, which the check of git says."""
    try:
        return (await checkout.snapshot((await checkout.stack()).tip)).entries
    except PortError:
        return {}
