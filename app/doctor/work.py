"""Checks of what work needs: the model, a sandbox, a place to keep things."""

from __future__ import annotations

import os

from app.checkout.asked import FOLDER
from app.composition.doctor import chosen_sandbox, model_of
from app.doctor import texts
from app.doctor.place import configured
from app.doctor.values import Finding, Patient, ok, problem, skipped, warning
from app.settings import RunSettings
from app.store.database import inspect_store
from runner.adapters.openai_model import OpenAIModel
from runner.adapters.openai_offer import offer_text
from runner.config import ConfigError
from runner.errors import Outage, TaskError
from runner.ports import BoxSpec, Message, Question


async def model(patient: Patient) -> Finding:
    """Whether the endpoint answers, takes the key, and has every model that would be asked."""
    settings = patient.run
    if settings is None:
        return skipped(texts.NO_SETTINGS)
    if missing := settings.missing_model_key:
        return problem(f"OPENAI_API_KEY {missing}.")
    wanted = await _wanted(patient, settings)
    endpoint = model_of(settings)
    try:
        offered = await endpoint.offered()
        for name in wanted:
            if name not in (offered or ()):
                await _asked(endpoint, name)
    except Outage as outage:
        return problem(outage.message, texts.MODEL)
    finally:
        await endpoint.close()
    if offered is None:
        return ok(texts.model_answers(settings.openai_base_url, wanted))
    if unlisted := [name for name in wanted if name not in offered]:
        return warning(
            texts.unlisted(settings.openai_base_url, unlisted),
            offer_text(offered, unlisted[0]),
        )
    return ok(texts.model_offered(settings.openai_base_url, wanted))


async def sandbox(patient: Patient) -> Finding:
    """Which sandbox is chosen and why; it really runs a command, so its image is there."""
    if patient.run is None:
        return skipped(texts.NO_SETTINGS)
    choice = await chosen_sandbox(patient.folder, patient.run, patient.server)
    box = await choice.sandbox.open(BoxSpec(run="doctor", task="doctor", timeout=20))
    try:
        ended = await box.run(["true"])
    finally:
        await box.close()
    if ended.exit_code:
        return problem(texts.sandbox_fails(choice.reason, ended.exit_code), texts.SANDBOX)
    if choice.sandbox.name == "process":
        return warning(choice.reason, texts.ISOLATE)
    return ok(texts.sandbox_runs(choice.reason))


async def data_folder(patient: Patient) -> Finding:
    """Whether what runs leave behind can be written."""
    if patient.app and patient.server is None:
        return skipped(texts.NO_SETTINGS)
    folder = patient.server.cairn_data_dir if patient.server else patient.folder / FOLDER
    # one that is not there yet is made in the nearest folder that is
    there = next(each for each in (folder, *folder.resolve().parents) if each.exists())
    if there == folder and not folder.is_dir():
        return problem(texts.no_folder(folder), texts.folder_todo(server=patient.app))
    if not os.access(there, os.W_OK | os.X_OK):
        return problem(texts.not_writable(there), texts.folder_todo(server=patient.app))
    return ok(texts.writable(folder, made=there == folder))


async def database(patient: Patient) -> Finding:
    """Whether the server's database opens, is of this version, and takes writes."""
    if not patient.app:
        return skipped(texts.NO_APP)
    if patient.server is None:
        return skipped(texts.NO_SETTINGS)
    return ok(texts.DATABASE[await inspect_store(patient.server.database_url.get_secret_value())])


async def _wanted(patient: Patient, settings: RunSettings) -> list[str]:
    """The models that would be asked here, each once, the one that writes first."""
    try:
        said = (await configured(patient)).model
    except ConfigError:  # said by the check of the configuration
        return [settings.cairn_model]
    return list(dict.fromkeys([said.name or settings.cairn_model, *said.roles.values()]))


async def _asked(endpoint: OpenAIModel, name: str) -> None:
    """Let the endpoint itself say whether it has a model that is on no list: some have aliases."""
    message = Message("user", "Answer: ok")
    try:
        await endpoint.ask(Question((message,), temperature=0.0, max_tokens=16, model=name))
    except TaskError as refused:
        raise Outage("model", refused.message) from refused
