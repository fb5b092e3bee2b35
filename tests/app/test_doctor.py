"""``cairn doctor``: what it finds on a checkout, at the model, and at GitHub."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from app.doctor.command import CHECKS, examine
from app.doctor.values import Check, Finding, Surveyed, ok
from app.settings import RunSettings, ServerSettings, load_run_settings, load_server_settings
from runner.config.model import CONFIG_PATH
from tests.app.checkout import PROJECT, Checkout, Said
from tests.fake_github import FakeGitHub
from tests.fake_github.clock import WallClock
from tests.fake_github.world import EVENTS, PERMISSIONS
from tests.model_server import Fault, ScriptedModel, serve
from tests.scenarios.bot import leading_to
from tests.scenarios.process import environment
from tests.scenarios.template import used_database

OF_THE_APP = ("GitHub", "clock", "App key", "permissions", "events", "webhook", "installations")


def line(said: Said, name: str) -> str:
    """The one line about a check."""
    (found,) = (each for each in said.out.splitlines() if each[9:].startswith(f"{name}  "))
    return found


# On a checkout


async def test_a_checkout_without_an_app(here: Checkout) -> None:
    """Everything a run needs is looked at, what only the App needs is skipped; 0."""
    said = await here.cairn("doctor")

    assert said.code == 0, said.out
    left_out = (*OF_THE_APP, "database", "rate limit", "deliveries")
    assert len(said.out.splitlines()) == len(CHECKS) - len(left_out) + 1
    for name in ("configuration", "git", "roadmap", "model endpoint", "data folder"):
        assert line(said, name).startswith("ok "), said.out
    assert "Open tasks in ROADMAP.md: 2 of 2." in line(said, "roadmap")
    assert line(said, "sandbox").startswith("warning ")
    assert "No App is configured" in line(said, "GitHub App")
    assert all(name in line(said, "GitHub App") for name in left_out)
    assert not (here.folder / ".executor").exists()
    assert "sk-very-secret" not in said.out + said.err


async def test_a_project_without_tests(here: Checkout) -> None:
    """Its tasks are not hopeless: one that brings its own tests can be shown to be done; 0."""
    said = await here.cairn("doctor")

    assert said.code == 0, said.out
    assert "can be shown to be done unless it brings its own tests." in line(said, "tests")
    assert "name their command in .github/cairn.yml (verify.commands)" in line(said, "tests")


async def test_a_roadmap_that_is_a_link(here: Checkout) -> None:
    """It is followed, as a run follows it; one that leads nowhere is no roadmap."""
    here.git.commit({"docs/PLAN.md": b"- [ ] 1.1 Write `one.md`\n"})
    (here.folder / "ROADMAP.md").unlink()
    (here.folder / "ROADMAP.md").symlink_to("docs/PLAN.md")
    here.git("commit", "--quiet", "--all", "--message", "a link")
    followed = await here.cairn("doctor")
    here.git("rm", "--quiet", "docs/PLAN.md")
    here.git("commit", "--quiet", "--message", "a link to nothing")
    broken = await here.cairn("doctor")

    assert followed.code == 0, followed.out
    assert "Open tasks in docs/PLAN.md: 1 of 1." in line(followed, "roadmap")
    assert broken.code == 2
    assert "`ROADMAP.md` is not a file, or a link that leads to none" in line(broken, "roadmap")


async def test_tests_that_cannot_start(here: Checkout) -> None:
    """What a run would end with is found before it, with what to install."""
    test = b"import yaml_nobody_has\n\n\ndef test_it():\n    pass\n"
    here.git.commit({"tests/test_it.py": test})
    said = await here.cairn("doctor")

    assert said.code == 2
    assert line(said, "tests").startswith("problem ")
    assert "No module named 'yaml_nobody_has'" in line(said, "tests")
    assert "Install what the tests need in the environment" in line(said, "tests")
    assert not (here.folder / ".executor").exists()


@pytest.mark.sample(2, "starts each command", whole=True)
@pytest.mark.parametrize(
    ("command", "level", "said"),
    [
        ("nobody-has-this --all", "problem", "starts a program that is not installed"),
        ("python3.99 -m pytest", "problem", "starts a program that is not installed"),
        ("./tests.sh", "problem", "./tests.sh: not found"),
        ("python -m nobody_has_this", "problem", "cannot start (No module named nobody_has_this)"),
        ("./data.txt", "problem", "cannot start (sh: 1: ./data.txt: Permission denied)"),
        ("sh -c 'echo the end; exit 3'", "warning", "(exit code 3) and says `the end`"),
        ("python -m pytest tests", "ok", "can start"),
    ],
)
async def test_the_repositorys_own_commands_are_started(
    here: Checkout, command: str, level: str, said: str
) -> None:
    """What a shell line starts is seen only when it is started; without a change it must."""
    config = f"verify:\n  commands: [{json.dumps(command)}]\n".encode()
    test = b"def test_it():\n    assert False\n"
    here.git.commit({CONFIG_PATH: config, "data.txt": b"", "tests/test_it.py": test})

    found = line(await here.cairn("doctor"), "tests")

    assert found.startswith(f"{level} ")
    assert said in found


async def test_what_is_wrong_with_a_checkout(here: Checkout) -> None:
    """Bad configuration, edits, a roadmap elsewhere and a wrong model name: each is one line; 2."""
    here.git("mv", "ROADMAP.md", "plan.txt")
    here.git.commit({".github/cairn.yml": b"loop: never\n", "docs/Roadmap.md": b"- [ ] a\n"})
    (here.folder / "README.md").write_text("mine\n")
    here.environment["CAIRN_MODEL"] = "scriptet"
    here.model.says(Fault.http_status(404, "The model does not exist"))

    said = await here.cairn("doctor", "--json")

    assert said.code == 2
    (answer,) = said.events
    found = {each["check"]: each for each in answer["checks"]}
    assert not answer["healthy"]
    assert "line 1: `loop`" in found["configuration"]["said"]
    assert found["git"]["level"] == "warning"
    assert "README.md" in found["git"]["said"]
    assert "once configuration is fixed" in found["roadmap"]["said"]
    assert "has no model scriptet" in found["model endpoint"]["said"]
    assert "It offers scripted." in found["model endpoint"]["said"]


async def test_a_pattern_that_cannot_be_used(here: Checkout) -> None:
    """Its file and line are named; runs go on without it."""
    here.git.commit(
        {".github/cairn/patterns/a.yml": b"name: a\nwhen: ['Add the `{b}`']\nfiles: {}\n"}
    )

    said = await here.cairn("doctor", "--json")

    (answer,) = said.events
    found = {each["check"]: each for each in answer["checks"]}
    assert found["configuration"]["level"] == "warning"
    assert ".github/cairn/patterns/a.yml, line 3: `files`" in found["configuration"]["said"]


async def test_a_wrong_pattern_hides_no_wrong_configuration(here: Checkout) -> None:
    """What keeps every run from starting is told once, and first."""
    wrong = {".github/cairn/patterns/a.yml": b"name: a\n", ".github/cairn.yml": b"colour: red\n"}
    here.git.commit(wrong)

    said = await here.cairn("doctor")

    assert "line 1: `colour`" in line(said, "configuration")


async def test_settings_that_are_wrong(here: Checkout) -> None:
    """All problems of the environment are in one line; what needs the settings is skipped; 2."""
    here.environment |= {"CAIRN_SANDBOX": "cloud", "CAIRN_CONCURENCY": "2"}

    said = await here.cairn("doctor")

    assert said.code == 2
    assert "CAIRN_SANDBOX" in line(said, "configuration")
    assert "did you mean CAIRN_CONCURRENCY?" in line(said, "configuration")
    assert line(said, "model endpoint").startswith("skipped ")


async def test_the_operators_ceilings_on_a_checkout(here: Checkout) -> None:
    """What they cut of the file is said before a server cuts it, and what cannot be read; 0."""
    here.git.commit({CONFIG_PATH: b"limits: {minutes: 50}\nmodel: {repairing: grand-1}\n"})
    here.environment |= {"CAIRN_MAX_MINUTES": "5", "CAIRN_ALLOWED_MODELS": "scripted"}
    here.model.when(contains="Answer: ok").says("ok", repeat_last=True)
    cut = await here.cairn("doctor")
    here.environment["CAIRN_MAX_MINUTES"] = "soon"
    unread = await here.cairn("doctor")

    assert line(cut, "limits").startswith("warning "), cut.out
    assert "ceilings this is limits.minutes: 5. Not allowed: grand-1" in line(cut, "limits")
    assert "CAIRN_MAX_MINUTES" in line(unread, "limits")
    assert "not for `cairn run`" in line(unread, "limits")
    assert line(unread, "configuration").startswith("ok ")


async def test_a_plain_folder_and_no_model(tmp_path: Path, here: Checkout) -> None:
    """Without git, roadmap and key it says how to get each; 2."""
    here.git.root = tmp_path / "plain"
    (here.git.root / "docs").mkdir(parents=True)
    (here.git.root / "docs" / "ROADMAP.md").write_text("- [ ] a\n")
    del here.environment["OPENAI_BASE_URL"], here.environment["OPENAI_API_KEY"]

    said = await here.cairn("doctor")

    assert said.code == 2
    assert "git init" in line(said, "git")
    assert "`cairn run --roadmap docs/ROADMAP.md`" in line(said, "roadmap")
    assert "OPENAI_API_KEY is not set; set it, or set OPENAI_BASE_URL" in said.out


# The model


async def model_of(folder: Path, **settings: str) -> Finding:
    """What the check of the model finds."""
    patient = Surveyed(folder, app=False, run=load_run_settings(**settings))
    return (await found(patient, "model endpoint"))["model endpoint"]


async def found(patient: Surveyed, *names: str) -> dict[str, Finding]:
    """What some checks find."""
    checks = [check for check in CHECKS if check.name in names]
    return {check.name: each async for check, each in examine(patient, checks)}


async def test_an_endpoint_that_is_not_there(tmp_path: Path) -> None:
    """The address and the variable are named."""
    url = "http://127.0.0.1:9/v1"

    said = await model_of(tmp_path, OPENAI_BASE_URL=url)

    assert said.level == "problem"
    assert url in said.text
    assert "no connection" in said.text
    assert "OPENAI_BASE_URL" in said.todo


async def test_a_model_that_is_not_listed_but_answers(here: Checkout) -> None:
    """Some servers take names they do not list: that is worth a warning, with the list."""
    here.model.says("ok")
    url = here.environment["OPENAI_BASE_URL"]

    said = await model_of(here.folder, OPENAI_BASE_URL=url, CAIRN_MODEL="alias")

    assert said.level == "warning"
    assert said.todo == "It offers scripted."


async def test_a_key_that_is_refused(here: Checkout) -> None:
    """What to correct is said, and nothing of a run: there is none to go on with."""
    here.model.says(Fault.http_status(401, "Incorrect API key"))

    said = await model_of(
        here.folder, OPENAI_BASE_URL=here.environment["OPENAI_BASE_URL"], CAIRN_MODEL="alias"
    )

    assert said.level == "problem"
    assert "does not accept the key in OPENAI_API_KEY" in said.text
    assert "resume" not in said.text + said.todo


@pytest.mark.parametrize("key", ["right", "wrong"])
async def test_a_key_that_the_list_does_not_need(here: Checkout, key: str) -> None:
    """Whether it is right is not known, and that is said."""
    said = await model_of(
        here.folder,
        OPENAI_BASE_URL=here.environment["OPENAI_BASE_URL"],
        OPENAI_API_KEY=key,
        CAIRN_MODEL="scripted",
    )

    assert said.level == "ok"
    assert "Key not checked" in said.text


async def test_a_model_that_ends_soon(here: Checkout) -> None:
    """The day is the server's; a model that ends later is not worth a word."""
    soon = date.today() + timedelta(days=59)
    here.model.listed = {
        "scripted": {"shutdown_date": f"{soon}"},
        "oracle": {"shutdown_date": f"{soon + timedelta(days=9)}"},
    }
    here.git.commit({".github/cairn.yml": b"model:\n  name: scripted\n  stronger: oracle\n"})

    said = await model_of(here.folder, OPENAI_BASE_URL=here.environment["OPENAI_BASE_URL"])

    assert said.level == "warning"
    assert f"The model scripted will be switched off on {soon}, in 59 days." in said.text
    assert "oracle will" not in said.text


async def test_every_model_of_the_configuration_is_looked_for(here: Checkout) -> None:
    """A role's model that is not there would stop a run half-way."""
    here.git.commit({".github/cairn.yml": b"model:\n  name: scripted\n  stronger: oracle\n"})
    here.model.says(Fault.http_status(404, "no such model"))

    said = await model_of(here.folder, OPENAI_BASE_URL=here.environment["OPENAI_BASE_URL"])

    assert said.level == "problem"
    assert "has no model oracle" in said.text


# GitHub


@dataclass(frozen=True)
class Seen:
    """A GitHub that keeps the real time, and a server's settings that lead to it."""

    github: FakeGitHub
    settings: ServerSettings


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Seen]:
    """All is as it should be; what was asked is checked against GitHub's description."""
    github, model = FakeGitHub(tmp_path / "github", clock=WallClock()), ScriptedModel()
    async with github, serve(model) as url:
        github.add_repository("octo/hello", {"ROADMAP.md": b"- [ ] a\n"})
        public = {"CAIRN_PUBLIC_URL": "https://cairn.example"}
        await used_database(tmp_path / "data")
        values = leading_to(github, url, tmp_path) | public
        yield Seen(github, load_server_settings(**values))
        assert github.world.violations == []
        model.verify()


async def test_a_database_that_cannot_be_used_is_no_bug(at: Seen, tmp_path: Path) -> None:
    """The sentence says what is wrong, and nobody is asked to report it."""
    away = at.settings.model_copy(
        update={"database_url": SecretStr(f"postgresql://cairn@/cairn?host={tmp_path}")}
    )

    (finding,) = (await found(patient_of(away), "database")).values()

    assert finding.level == "problem"
    assert "cannot be used" in finding.text
    assert "report it" not in finding.text + finding.todo


async def app_of(at: Seen) -> dict[str, Finding]:
    """What the checks of the App find."""
    names = [check.name for check in CHECKS[CHECKS.index(_named("GitHub")) :]]
    return await found(patient_of(at.settings), *names)


def patient_of(settings: ServerSettings) -> Surveyed:
    """A server that is started in its data folder."""
    return Surveyed(settings.cairn_data_dir, app=True, run=settings, server=settings)


def _named(name: str) -> Check:
    return next(check for check in CHECKS if check.name == name)


async def test_a_server_where_all_is_well(at: Seen, tmp_path: Path) -> None:
    """With an App every check is made, nothing is changed, and no secret is printed; 0."""
    env = environment(at.settings) | {"PYTHONPATH": str(PROJECT), "PATH": os.environ["PATH"]}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "app", "doctor"),
        cwd=tmp_path,
        env=env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = (stream.decode() for stream in await process.communicate())
    said = Said(process.returncode or 0, out, err)

    assert said.code == 0, out + err
    for name in (*OF_THE_APP, "database", "rate limit", "deliveries"):
        assert line(said, name).startswith("ok "), out
    assert "GitHub knows the App cairn" in line(said, "App key")
    assert "Installed on octo." in line(said, "installations")
    assert line(said, "git").startswith("skipped ")
    for secret in ("sk-test", at.github.app.webhook_secret, "PRIVATE KEY", "ghs_"):
        assert secret not in out + err
    asked = [r for r in at.github.requests if r.method != "GET"]
    assert {r.path.rpartition("/")[2] for r in asked} <= {"access_tokens"}


async def test_an_app_that_lacks_something(at: Seen) -> None:
    """Permissions and events are compared one by one; the optional ones only warn."""
    held = {name: level for name, level in PERMISSIONS.items() if name != "pull_requests"}
    told = tuple(event for event in EVENTS if event != "check_run")
    at.github.create_app(permissions=held | {"contents": "read"}, events=told)

    seen = await app_of(at)

    assert seen["permissions"].level == "problem"
    assert "contents: write" in seen["permissions"].text
    assert "pull_requests: write" in seen["permissions"].text
    assert "issues" not in seen["permissions"].text
    assert seen["events"].level == "warning"
    assert "check_run" in seen["events"].text
    assert "octo has not granted contents, pull_requests." in seen["installations"].text


async def test_another_apps_id(at: Seen) -> None:
    """A refused key is one problem; what needs it is not told as seven."""
    at.github.create_app(id=777)

    seen = await app_of(at)

    assert seen["App key"].level == "problem"
    assert "GITHUB_APP_ID" in seen["App key"].text + seen["App key"].todo
    for name in ("permissions", "events", "webhook", "installations", "rate limit"):
        assert seen[name].level == "skipped"
    assert seen["clock"].level == "ok"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("https://old.example/webhook", "sends events to https://old.example/webhook"),
        ("", "has no webhook address"),
    ],
)
async def test_a_webhook_that_goes_elsewhere(at: Seen, url: str, says: str) -> None:
    """Where GitHub sends events must be where this server is."""
    at.github.app.webhook_url = url

    seen = (await app_of(at))["webhook"]

    assert seen.level == "problem"
    assert says in seen.text
    assert "https://cairn.example/webhook" in seen.todo


@pytest.mark.parametrize(
    ("ahead", "level"),
    [(90, "problem"), (45, "warning"), (-45, "warning"), (-600, "problem"), (0, "ok")],
)
async def test_a_clock_that_is_wrong(at: Seen, ahead: int, level: str) -> None:
    """A token from the future or the past is refused: the clock is told before that happens."""
    at.github.clock.advance(-ahead)

    seen = (await found(patient_of(at.settings), "clock"))["clock"]

    assert seen.level == level, seen
    assert ahead == 0 or ("behind" if ahead < 0 else "ahead of") in seen.text


async def test_a_limit_that_is_nearly_spent(at: Seen) -> None:
    """The fewest requests left are told, with when there are more."""
    at.github.world.used = 4_800

    seen = (await app_of(at))["rate limit"]

    assert seen.level == "warning"
    assert "of 5000 requests are left for octo" in seen.text


async def test_an_app_that_is_installed_nowhere(at: Seen) -> None:
    """The page where it is installed is named."""
    at.github.world.installations.clear()

    seen = (await app_of(at))["installations"]

    assert seen.level == "warning"
    assert "/apps/cairn/installations/new" in seen.todo


async def test_a_suspended_installation(at: Seen) -> None:
    """An owner who suspended it is named; its limit is not asked for."""
    one = at.github.installation("octo/hello")
    one.suspended = at.github.clock.now()

    seen = await app_of(at)

    assert "The installation on octo is suspended." in seen["installations"].text
    assert seen["rate limit"].level == "skipped"


async def test_deliveries_that_failed(at: Seen) -> None:
    """What nobody took in the last day is counted; older failures are over."""
    at.github.webhook_url = "http://127.0.0.1:9/webhook"
    issue = at.github.open_issue("octo/hello", "Please", by="writer")
    await at.github.comment("octo/hello", issue.number, "hello", by="writer")

    seen = (await app_of(at))["deliveries"]
    assert seen.level == "problem"
    assert "issue_comment" in seen.text

    for sent in at.github.world.deliveries:
        sent.delivered -= timedelta(days=2)
    assert (await app_of(at))["deliveries"].level == "ok"


async def test_an_address_that_is_not_githubs(at: Seen) -> None:
    """A server that is no API of GitHub is told apart from one that does not answer."""
    model = str(at.settings.openai_base_url).removesuffix("/v1")
    wrong = at.settings.model_copy(update={"github_api_url": model})
    gone = at.settings.model_copy(update={"github_api_url": "http://127.0.0.1:9"})

    other = await found(patient_of(wrong), "GitHub", "App key")
    none = (await found(patient_of(gone), "GitHub"))["GitHub"]

    assert "not like GitHub's API" in other["GitHub"].text
    assert "https://HOST/api/v3" in other["GitHub"].todo
    assert other["App key"].level == "skipped"
    assert none.level == "problem"
    assert none.text.startswith("http://127.0.0.1:9 cannot be reached (")
    assert none.todo == "Check GITHUB_API_URL and this machine's network."


async def test_a_check_that_hangs(tmp_path: Path) -> None:
    """No check can keep the others from being made."""

    async def hangs(_patient: Surveyed) -> Finding:
        await asyncio.Event().wait()
        return ok("never")

    checks = [Check("first", hangs, seconds=0.01), Check("second", _well, needs=("first",))]
    patient = Surveyed(tmp_path, app=False, run=RunSettings())

    seen = [each async for _, each in examine(patient, [*checks, Check("third", _well)])]

    assert [each.level for each in seen] == ["problem", "skipped", "ok"]
    assert "No answer within 0.01 seconds." in seen[0].text


async def _well(_patient: Surveyed) -> Finding:
    return ok("well")


def test_what_a_check_needs_is_made_before_it() -> None:
    """Names are unique, and a check's needs stand above it in the table."""
    names = [check.name for check in CHECKS]

    assert len(set(names)) == len(names)
    for number, check in enumerate(CHECKS):
        assert set(check.needs) <= set(names[:number])
