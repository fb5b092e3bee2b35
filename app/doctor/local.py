"""Check what a run needs here: configuration, git, roadmap, model, sandbox and folder.

Nothing is written.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping

from app.doctor.compose import chosen_sandbox, looked_at, model_of
from app.doctor.values import Finding, Surveyed, ok, problem, skipped, warning
from app.jobs.notices import addresses
from app.local.compose import checkout_in
from app.local.files import beside
from app.local.options import FOLDER, ON_A_CHECKOUT, every_plan
from app.runs.limits import Ceilings
from app.settings import RunSettings
from app.store.database import inspect_store
from app.texts import doctor_texts as texts
from app.traces import wanted
from runner.agents.adapters import adapter_of
from runner.config.model import CONFIG_PATH, RepositoryConfig, config_entry, parse_config
from runner.config.options import options_of
from runner.config.reading import ConfigError, not_a_file
from runner.errors import Outage, PortError, TaskError
from runner.git.command import GitFailed
from runner.git.local_repository import LocalRepository
from runner.loop.problems import missing_roadmap
from runner.model.budget import unpriced
from runner.model.chat import DEFAULT_BASE_URL
from runner.model.prices import prices_for
from runner.model.replies import offer_text
from runner.model.shutdowns import endings
from runner.patterns.pattern import is_pattern, read_patterns
from runner.ports import Repository, SandboxSpec, SystemClock
from runner.prompts.questions import Message, Question
from runner.roadmap.parse import parse_roadmap
from runner.state.changes import EXECUTABLE, FILE, TreeEntry


async def configuration(patient: Surveyed) -> Finding:
    """The settings, and the repository's own configuration and patterns as they are committed."""
    if patient.problems:
        return problem(" ".join(str(each) for each in patient.problems), texts.settings())
    content = await _configuration(patient)
    config = parse_config(content or b"")
    checkout = await checkout_in(patient.folder)
    paths = filter(is_pattern, await _entries(checkout)) if checkout and config.patterns else ()
    patterns = {path: await _content(patient, path) or b"" for path in paths}
    if wrong := read_patterns(patterns)[1]:
        return warning(" ".join(wrong), texts.patterns())
    if content is None and not patient.app and (patient.folder / CONFIG_PATH).is_file():
        return warning(texts.not_committed(), texts.commit_it())
    return ok(texts.settings_read(patient.app, configured=content is not None))


async def git(patient: Surveyed) -> Finding:
    """Whether a run could commit here: a branch, a commit, no uncommitted changes."""
    checkout = await checkout_in(patient.folder)
    if checkout is None:
        if patient.app:
            return skipped(texts.no_checkout())
        installed = shutil.which("git") is not None
        return warning(texts.not_in_git(installed), texts.plain_folder(installed))
    stack = await checkout.stack()
    try:
        await checkout.check_clean()
    except GitFailed:
        raise  # a run could not even begin
    except PortError as dirty:
        return warning(dirty.message, "")
    return ok(texts.on_branch(stack.branch, stack.tip))


async def roadmap(patient: Surveyed) -> Finding:
    """Whether the roadmap, or the plan of each project, exists and has tasks to work on."""
    config = await configured(patient)
    checkout = await checkout_in(patient.folder)
    plans: tuple[str, ...] = (config.roadmap.path,)
    if checkout is not None:
        plans = await every_plan(checkout, (await checkout.stack()).tip, config)
    found = [await _plan(patient, checkout, path) for path in plans]
    bad = next((each for each in found if each.level != "ok"), None)
    return bad or ok(" ".join(each.text for each in found))


async def _plan(patient: Surveyed, checkout: LocalRepository | None, path: str) -> Finding:
    content = await _content(patient, path)
    if content is None:
        if patient.app and checkout is None:
            return skipped(texts.no_checkout())
        # all files of the commit, those near the top of a plain folder
        paths = await _entries(checkout) if checkout else beside(patient.folder)
        where = () if checkout else ("in this folder",)
        return problem(missing_roadmap(path, ON_A_CHECKOUT, paths, *where))
    found = parse_roadmap(path, content)
    work = [task for task in found.tasks if task.kind == "work"]
    if found.asks:
        return problem(f"{path}: {found.asks}")
    if not work:
        return warning(texts.no_tasks(path), texts.write_tasks(path))
    return ok(texts.tasks(path, sum(not task.checked for task in work), len(work)))


async def configured(patient: Surveyed) -> RepositoryConfig:
    """The repository's configuration; the defaults where there is none. Raises ``ConfigError``."""
    content = await _configuration(patient)
    return RepositoryConfig() if content is None else parse_config(content)


async def _configuration(patient: Surveyed) -> bytes | None:
    """The configuration's content. Raises ``ConfigError`` when it is not a file."""
    checkout = await checkout_in(patient.folder)
    if checkout is not None:
        config_entry(await _entries(checkout))
    elif (patient.folder / CONFIG_PATH).is_dir():
        raise not_a_file("a folder")
    return await _content(patient, CONFIG_PATH)


async def _content(patient: Surveyed, path: str) -> bytes | None:
    """A file of the newest commit, or of the folder without git; None if it does not exist."""
    checkout = await checkout_in(patient.folder)
    if checkout is None:
        file = patient.folder / path
        return file.read_bytes() if file.is_file() else None
    entry = (await _entries(checkout)).get(path)
    if entry is None or entry.mode not in (FILE, EXECUTABLE):
        return None
    return (await checkout.blobs([entry.sha]))[entry.sha]


async def _entries(checkout: Repository) -> Mapping[str, TreeEntry]:
    """The newest commit's files; none without a commit, which the check of git reports."""
    try:
        return (await checkout.snapshot((await checkout.stack()).tip)).entries
    except PortError:
        return {}


async def model(patient: Surveyed) -> Finding:
    """Whether the endpoint answers, accepts the key, and has every model that would be asked."""
    settings = patient.run
    if settings is None:
        return skipped(texts.no_settings())
    if missing := settings.missing_model_key:
        return problem(f"OPENAI_API_KEY {missing}.")
    url, wanted = settings.openai_base_url, await _wanted(patient, settings)
    endpoint = model_of(settings)
    try:
        offered = await endpoint.offered()
        unlisted = [name for name in wanted if name not in (offered or ())]
        for name in unlisted:  # some endpoints have aliases that are on no list
            message = Message("user", "Answer: ok")
            await endpoint.ask(Question((message,), temperature=0.0, max_tokens=16, model=name))
        ending = await endings(wanted, endpoint, SystemClock().now().date())
    except (Outage, TaskError) as refused:
        return problem(refused.message, texts.model())
    finally:
        await endpoint.close()
    if offered is None:
        said = texts.model_answers(url, wanted)
    elif unlisted:
        said = texts.unlisted(url, unlisted)
    else:
        said = texts.model_offered(url, wanted)
        if await _listed_without_key(settings):
            said += f" {texts.key_not_checked()}"
    if offered is not None and unlisted:
        return warning(" ".join((said, *ending)), offer_text(offered, unlisted[0]))
    return warning(" ".join((said, *ending)), "") if ending else ok(said)


async def _listed_without_key(settings: RunSettings) -> bool:
    """Whether a key is set that the list of models says nothing about: it comes without one, too.

    A question would check the key, but costs money.
    """
    if settings.openai_api_key is None or settings.openai_base_url == DEFAULT_BASE_URL:
        return False
    stranger = model_of(settings.model_copy(update={"openai_api_key": None}))
    try:
        return await stranger.offered() is not None
    except Outage:
        return False
    finally:
        await stranger.close()


CEILINGS = ("CAIRN_MAX_", "CAIRN_ALLOW", "CAIRN_SETUP_HOSTS", "CAIRN_PUSH")
"""How the names of the operator's ceilings begin."""


async def limits(patient: Surveyed) -> Finding:
    """What runs may use: by the repository's file, and by the operator's ceilings."""
    if patient.unread:
        return warning(" ".join(map(str, patient.unread)), texts.for_servers())
    config, operator = await configured(patient), patient.operator
    shown = {
        f"limits.{name}": amount
        for name, amount in config.limits.model_dump().items()
        if name.startswith(("tokens_per", "cost_per", "queue_")) and amount is not None
    }
    shown |= {
        f"projects[{project.name}].budget.{name}": amount
        for project in config.projects
        for name, amount in project.budget.model_dump(exclude_none=True).items()
    }
    if operator:
        shown |= {
            name.upper(): amount
            for name, amount in operator.model_dump(mode="json").items()
            if name.startswith(("cairn_max_", "cairn_allowed_models", "cairn_allowed_images"))
            or name in ("cairn_allow_setup_network", "cairn_setup_hosts", "cairn_push")
            if amount and (patient.app or name in operator.model_fields_set)
        }
    said, settings = texts.limits(shown), patient.run
    money = [name for name in shown if "cost_per" in name.lower()]
    if settings and money:
        prices = prices_for(settings.openai_base_url, settings.cairn_prices)
        for name in await _wanted(patient, settings):
            if prices.cost(name, 1, 1) is None:
                return warning(f"{said}.", unpriced(name, money[0]))
    if operator:
        most, asked = Ceilings(operator), options_of(config)
        _, cut = most.hold(asked, writes=True)
        refused = most.refused(asked.models.named(operator.cairn_model))
        if cut or refused:
            where = "" if patient.app else texts.for_servers()
            told = f"{said}. {texts.held(cut, refused)}"
            return Finding("warning" if refused else "ok", told, where)
    return ok(said)


async def notices(patient: Surveyed) -> Finding:
    """Who is told of runs; nothing is sent, and wrong addresses are problems of the settings."""
    if patient.run is None or not patient.run.cairn_notify:
        return skipped(texts.no_notices() if patient.run else texts.no_settings())
    found = await asyncio.to_thread(addresses, patient.run.cairn_notify)
    return ok(texts.notices([each.name for each in found]))


async def traces(_: Surveyed) -> Finding:
    """Whether traces are exported, by the standard's own variables; nothing is sent."""
    found = wanted(os.environ)
    said = texts.traces(found)
    return ok(said) if found == "otlp" else warning(said, "") if found else skipped(said)


async def sandbox(patient: Surveyed) -> Finding:
    """Which sandbox is chosen and why; it really runs a command, so its image exists."""
    if patient.run is None:
        return skipped(texts.no_settings())
    choice = await chosen_sandbox(patient.folder, patient.run, patient.server)
    session = await choice.sandbox.open(SandboxSpec(run="doctor", task="doctor", timeout=20))
    config = await configured(patient)
    agent = config.agent.name
    adapter = None if agent == "cairn" else adapter_of(options_of(config).agents)
    try:
        ended = await session.run(["true"])
        missing = await adapter.missing(session) if adapter else ""
        kept = texts.kept(await choice.sandbox.kept(), patient.run.cairn_prepared_size)
    finally:
        await session.close()
    if ended.exit_code:
        return problem(texts.sandbox_fails(choice.reason, ended.exit_code), texts.sandbox())
    if missing:
        return (warning if config.sandbox.setup else problem)(missing, texts.agent())
    if choice.sandbox.name == "process":
        return warning(" ".join((choice.reason, *choice.refusals, kept)), texts.isolate())
    return ok(f"{texts.sandbox_runs(choice.reason, agent)} {kept}")


async def tests(patient: Surveyed) -> Finding:
    """Whether the tests of the newest commit can start in the sandbox."""
    if patient.run is None:
        return skipped(texts.no_settings())
    if await checkout_in(patient.folder) is None:
        return skipped(texts.no_checkout())
    found, tested = await looked_at(patient.folder, patient.run, patient.server)
    if found is None:
        return ok(texts.tests_start() if tested else texts.no_tests())
    if found.red or found.partly:
        return warning(found.seen, texts.tests_todo(found))
    own = (await configured(patient)).verify.commands
    return problem(found.seen, texts.commands_todo() if own else texts.tests_todo(found))


async def data_folder(patient: Surveyed) -> Finding:
    """Whether what runs leave behind can be written."""
    if patient.app and patient.server is None:
        return skipped(texts.no_settings())
    folder = patient.server.cairn_data_dir if patient.server else patient.folder / FOLDER
    # one that is not there yet is made in the nearest folder that is
    there = next(each for each in (folder, *folder.resolve().parents) if each.exists())
    if there == folder and not folder.is_dir():
        return problem(texts.no_folder(folder), texts.folder_todo(server=patient.app))
    if not os.access(there, os.W_OK | os.X_OK):
        return problem(texts.not_writable(there), texts.folder_todo(server=patient.app))
    return ok(texts.writable(folder, made=there == folder))


async def database(patient: Surveyed) -> Finding:
    """Whether the server's database opens, is of this version, and takes writes."""
    if not patient.app:
        return skipped(texts.no_app())
    if patient.server is None:
        return skipped(texts.no_settings())
    return ok(texts.database(await inspect_store(patient.server.database_url.get_secret_value())))


async def _wanted(patient: Surveyed, settings: RunSettings) -> list[str]:
    """The models that would be asked here, each once, the one that writes first."""
    try:
        config = await configured(patient)
    except ConfigError:  # said by the check of the configuration
        return [settings.cairn_model]
    groups = [config.model, *(config.of_plan(plan).model for plan in config.plans)]
    named = [name for each in groups for name in (each.name, *each.roles.values())]
    return list(dict.fromkeys(name or settings.cairn_model for name in named))
