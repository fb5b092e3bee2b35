"""``cairn init``: propose a ``.github/cairn.yml`` with which the tests of a repository start."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from app.doctor.compose import looked_at
from app.interrupts import CODE, Interrupts
from app.local.compose import checkout_in
from app.logs import PLAIN, mask_for, set_up_logging
from app.settings import SettingsError, settings_without_model
from app.show.watching import watching
from app.terminal import any_encoding, is_live, say
from app.texts import doctor_texts as texts
from app.version import schema_line
from runner.config.model import CONFIG_PATH, parse_config
from runner.config.reading import ConfigError
from runner.errors import PortError
from runner.git.local_repository import LocalRepository
from runner.nodes.preflight import CannotStart
from runner.ports import Events
from runner.verify.workspaces import WORKSPACES, proposed_projects


def command(folder: Path) -> int:
    """Propose and check; 0 when the tests start as they are or with what was written, else 2."""
    any_encoding()
    mask = mask_for(())
    with watching(mask) as listener:
        # what takes long is drawn on a terminal, else it is said by lines of the log
        set_up_logging("error" if is_live() else "info", secrets=(), form=PLAIN)
        try:
            interrupts = Interrupts(lambda: _interrupted(folder))
            lines, code = interrupts.run(_initialised(folder, listener))
        except (PortError, ConfigError, SettingsError) as error:
            lines, code = str(error), 2
        except KeyboardInterrupt:
            lines, code = _interrupted(folder), CODE
    say(mask(lines))
    return code


def _interrupted(folder: Path) -> str:
    return texts.interrupted((folder / CONFIG_PATH).exists())


async def _initialised(folder: Path, listener: Events) -> tuple[str, int]:
    """Write the first proposal with which the tests start; none, if they start with none."""
    checkout = await checkout_in(folder)
    if checkout is None:
        return texts.nothing_to_init(shutil.which("git") is not None), 2
    file = folder / CONFIG_PATH
    if file.exists():
        return texts.has_configuration(), 2
    settings = settings_without_model()
    projects = await _projects(checkout)
    found, tested = await looked_at(folder, settings, None, listener=listener)
    if found is None and projects:
        await asyncio.to_thread(_write, file, schema_line() + projects)
        return texts.wrote_projects(schema_line() + projects, tested), 0
    if found is None:
        return (texts.starts_already(), 0) if tested else (texts.no_tests(), 2)
    if not found.proposed:
        return f"{found.seen} {found.todo}", 0 if found.partly else 2
    tried: list[tuple[str, CannotStart]] = []
    for text in filter(None, (found.proposed, found.otherwise)):
        config = parse_config(text.encode())
        left, _ = await looked_at(folder, settings, None, config, listener)
        if left is None:
            content = schema_line() + text + projects
            await asyncio.to_thread(_write, file, content)
            return texts.wrote(found.seen, content), 0
        tried.append((text, left))
    return texts.not_enough(found, tried), 0 if found.partly else 2


def _write(file: Path, content: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(content, encoding="utf-8")


async def _projects(checkout: LocalRepository) -> str:
    """What to write of the projects that have a plan of their own."""
    there = (await checkout.snapshot((await checkout.stack()).tip)).entries
    shas = {path: there[path].sha for path in WORKSPACES if path in there}
    blobs = await checkout.blobs(list(shas.values()))
    return proposed_projects(there, {path: blobs[sha] for path, sha in shas.items()}.get)
