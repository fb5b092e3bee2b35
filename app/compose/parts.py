"""Opens what all runs of a server share, and closes it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace

import aiohttp

from app.github.config import Configurations
from app.github.token_identity import Identity
from app.jobs.member import Alone, ClusterMember, Membership
from app.local.compose import open_model, sandboxes
from app.logs import mask_for, secrets_of
from app.runs.limits import MissingPermissions
from app.runs.outward import Outward, events_file
from app.runs.parts import ROLE, Folders, Role, ServerParts, Surroundings
from app.server.links import RunLinks
from app.settings import WorkSettings
from app.store.audit import AuditLog
from app.store.database import Store, is_sqlite, keep_private, open_store
from app.store.deliveries import StoredRefusals
from app.store.runs import StoredJournal
from runner.context.library import Index
from runner.files.durable import take_folder
from runner.files.facts_file import FactsFile
from runner.sandbox.choose import MaskedSandbox, NoSandbox, SandboxChoice, choose_sandbox
from runner.text.mask import Mask


async def open_parts(
    settings: WorkSettings,
    around: Surroundings,
    stack: AsyncExitStack,
    identify: Callable[[aiohttp.ClientSession, Mask, Membership], Identity],
    links: RunLinks | None = None,
    role: Role = ROLE,
) -> ServerParts:
    """Open what all runs share; ``stack`` closes it. ``identify`` says who we are at GitHub.

    ``links`` are those to the runs' pages, None where nobody serves any. Raises ``StoreError``
    where a SQLite file would need several processes.
    """
    folder, mask = settings.cairn_data_dir, mask_for(secrets_of(settings))
    stack.callback(os.close, take_folder(folder, name=f"the data folder {folder}"))
    keep_private(folder)
    store = await open_store(settings.database_url.get_secret_value(), mask=mask.values)
    stack.push_async_callback(store.close)
    session = await stack.enter_async_context(aiohttp.ClientSession())
    choice = await _server_sandbox(settings, around, role)
    await choice.sandbox.sweep()
    model = open_model(settings, around.sleep, mask=mask)
    stack.push_async_callback(model.close)
    others = _others(settings, around, store, role)
    identity = identify(session, mask, others)
    identity.wrote = AuditLog(store, around.clock).wrote
    # the Action still sends its state when the database is closed
    stack.callback(setattr, identity, "wrote", None)
    return ServerParts(
        settings=settings,
        around=around,
        store=store,
        identity=identity,
        model=model,
        endpoint=model,
        journal=StoredJournal(store, around.clock),
        sandbox=replace(choice, sandbox=MaskedSandbox(choice.sandbox, mask, sleep=around.sleep)),
        folders=Folders(
            folder, mask=mask, turn=others.turn, shared=None if isinstance(others, Alone) else store
        ),
        index=Index(FactsFile(folder / "index" / "facts.bin")),
        mask=mask,
        configs=Configurations(clock=around.clock, images=settings.cairn_allowed_images),
        outward=Outward(around.clock, mask, events_file(settings), around.on_bug),
        permissions=MissingPermissions(identity, StoredRefusals(store, around.clock)),
        others=others,
        links=links,
    )


def _others(settings: WorkSettings, around: Surroundings, store: Store, role: Role) -> Membership:
    """This process among those that use the database."""
    url = settings.database_url.get_secret_value()
    if is_sqlite(url):
        return Alone()
    return ClusterMember(
        store,
        url,
        slots=role.slots or settings.cairn_concurrency if role.works else 0,
        works=role.works,
        outdated=role.outdated,
        on_bug=around.on_bug,
    )


async def _server_sandbox(
    settings: WorkSettings, around: Surroundings, role: Role
) -> SandboxChoice:
    if not role.works:
        return SandboxChoice(sandbox=NoSandbox(), reason="All code runs in workers.")
    if around.sandbox is not None:
        return SandboxChoice(sandbox=around.sandbox, reason="The sandbox is a test's.")
    candidates = sandboxes(
        settings,
        str(settings.cairn_data_dir.resolve()),
        wanted=settings.cairn_sandbox,
        prepared=settings.cairn_data_dir / "prepared",
        unsafe=settings.may_run_bare,
        path=around.sandbox_path or os.environ.get("PATH", os.defpath),
    )
    return await choose_sandbox(settings.cairn_sandbox, candidates=candidates)
