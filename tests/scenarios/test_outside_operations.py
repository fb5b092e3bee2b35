"""Plans of other tools, limits, the queue, the audit log, agents: as an outsider reads the docs."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from itertools import pairwise
from pathlib import Path

import aiohttp
import pytest

from tests.app.checkout import checkout
from tests.marks import OUTSIDE
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot, conversation, run_of
from tests.scenarios.pages import TOKEN
from tests.scenarios.projects import NOTES, note, notes, on

CONFIG = ".github/cairn.yml"
DEAR = '{"scripted": {"input": 100.0, "output": 2.0}}'
README = {"README.md": b"# Notes\n"}
KIRO, SPEC_KIT = ".kiro/specs/a/tasks.md", "specs/001-a/tasks.md"
OPENSPEC, TASK_MASTER = "openspec/changes/add-a/tasks.md", ".taskmaster/tasks/tasks.json"

ONE, TWO, SIX = (f"Write `{word}.md`" for word in ("one", "two", "six"))
KIRO_ODD = f"\ufeff# Plan\r\n\r\n- [ ] 1. Notes\r\n\t- [ ] 1.1 {ONE}, größer\r\n"
KIRO_FLAT = (
    f"- [ ] 1. Notes\n- [ ] 1.1 Group\n- [ ] 1.1.1 {ONE}\n- [ ] 1.2* {TWO}\n- [ ] 2. {SIX}\n"
)
HIDDEN = f"<!--\n- [ ] 9. {SIX}\n-->\n\n```\n- [ ] 8. {SIX}\n```\n\n- [ ] 1. {ONE}\n"
OPTIONAL = f"- [ ] 1. Notes\n  - [x] 1.1 {ONE}\n  - [ ]* 1.2 {TWO}\n"
ARROWS = f"- [ ] T001 {ONE}\r\n- [ ] T002 {TWO}\r\n\r\nT002 → T001 (last)\r\n"
MIXED = f"- [x] T001 {SIX}\n- [X] T002 {SIX}\n* [ ] T003 {ONE}\n1. [ ] T003 {TWO}\n- [ ] no id\n"
LOWER = f"- [x] T001 {SIX}\n- [ ] T002 [P] [US1] {ONE}\n"
STATES = f"- [-] 1. {ONE}\n- [~] 2. {TWO}\n- [ ] not numbered\n"
WAVES = (
    f"- [ ] 1. {ONE}\n- [ ] 2. {TWO}\n\n## Task Dependency Graph\n\n```json\n"
    '{"waves": [{"id": 0, "tasks": ["2"]}, {"id": 1, "tasks": ["1", "9"]}]}\n```\n'
)
BULLETS = f"## 1. Work\n* [ ] 1.1 {ONE}\n+ [ ] 1.10 {TWO}\n- [ ] 1.2 {SIX}\n"
NESTED = f"## 1. Work\n- [ ] 1.1 Group\n  - [ ] 1.1.1 {ONE}\n  - [ ] {TWO}\n- [ ] 1.1 {SIX}\n"
MASTER = (
    '\ufeff{"feature": {"tasks": []},\r\n"master": {\r\n\t"tasks": [\r\n'
    '\t\t{"id": "1", "title": "\\u201eNotes\\u201c", "status" : "in-progress" , "subtasks": [\r\n'
    f'\t\t\t{{"id": 1, "title": "{ONE}", "details": "\\"status\\": \\"pending\\"",'
    ' "status": "pending"}]}\r\n\t]\r\n}}\r\n'
)
TWICE = f'{{"tasks":[{{"id":1,"status":"pending","title":"{ONE}","status":"in-progress"}}]}}'
PRD = (
    '{\r\n "userStories": [\r\n'
    f'  {{"id": "US-2", "title": "{TWO}", "priority": 2, "passes" : false,"notes":"passes: no"}},'
    f'\r\n  {{"id": "US-1", "title": "{ONE}", "priority": 1, "passes":false}}\r\n ]\r\n}}'
)


KIRO_DONE = KIRO_FLAT.replace("[ ]", "[x]").replace("[x] 1.2*", "[ ] 1.2*")
MASTER_DONE = re.sub('(?<!\\\\")(in-progress|pending)"', 'done"', MASTER)
PLANS = {
    "tabs and CRLF": (KIRO, KIRO_ODD, KIRO_ODD.replace("[ ]", "[x]"), "one"),
    "tags and escapes": (TASK_MASTER, MASTER, MASTER_DONE, "one"),
    "numbers without indent": (KIRO, KIRO_FLAT, KIRO_DONE, "one six"),
    "comment and code": (KIRO, HIDDEN, HIDDEN.replace("[ ] 1.", "[x] 1."), "one"),
    "in progress and queued": (KIRO, STATES, re.sub("[-~](?=. [12])", "x", STATES), "one two"),
    "waves backwards": (KIRO, WAVES, WAVES.replace("[ ]", "[x]"), "two one"),
    "all bullets": (OPENSPEC, BULLETS, BULLETS.replace("[ ]", "[x]"), "one two six"),
    "arrows backwards": (SPEC_KIT, ARROWS, ARROWS.replace("[ ]", "[X]"), "two one"),
    "an id twice": (SPEC_KIT, MIXED, MIXED.replace("[ ] T003", "[X] T003"), "one two"),
    "only small x": (SPEC_KIT, LOWER, LOWER.replace("[ ]", "[x]"), "one"),
    "a box in a box": (OPENSPEC, NESTED, NESTED.replace("[ ]", "[x]"), "one two six"),
    "a key twice": (TASK_MASTER, TWICE, TWICE.replace("in-progress", "done"), "one"),
    "stories out of order": ("prd.json", PRD, PRD.replace("false", "true"), "one two"),
}


@pytest.mark.parametrize(
    ("path", "plan", "done", "words"),
    [
        pytest.param(*row, id=name, marks=[OUTSIDE] if number > 1 else [])
        for number, (name, row) in enumerate(PLANS.items())
    ],
)
async def test_the_bytes_that_are_ticked(
    tmp_path: Path, path: str, plan: str, done: str, words: str
) -> None:
    """In odd but legal files exactly those between the brackets, or of the state."""
    async with checkout(tmp_path / "here", {**README, path: plan.encode()}) as here:
        here.model.says(*(note(f"{word}.md") for word in words.split()))

        said = await here.cairn("run")

        assert said.code == 0, said.err
        assert (here.folder / path).read_bytes() == done.encode()


@OUTSIDE
async def test_an_optional_task_by_name(tmp_path: Path) -> None:
    """Nothing to do until it is named; then its parent is done, too."""
    async with checkout(tmp_path / "here", {**README, KIRO: OPTIONAL.encode()}) as here:
        here.model.says(note("two.md"))

        none = await here.cairn("run")
        assert (none.code, "only if you name it" in none.err) == (2, True)
        said = await here.cairn("run", "--task", "1.2")

        assert said.code == 0, said.err
        assert (here.folder / KIRO).read_text() == OPTIONAL.replace("[ ]", "[x]")


@OUTSIDE
@pytest.mark.parametrize(
    ("path", "plan", "says"),
    [
        (TASK_MASTER, '{"master": {"tasks": [// mine\n]}}', "line 1, column 23: this is not JSON"),
        ("prd.json", '{"features": []}', "another form: it has no list of `userStories`"),
        (KIRO, "", "is empty"),
    ],
)
async def test_plans_that_nobody_can_run(tmp_path: Path, path: str, plan: str, says: str) -> None:
    """They are named, not guessed at; nothing is asked and nothing changed."""
    async with checkout(tmp_path / "here", {**README, path: plan.encode()}) as here:
        said = await here.cairn("run")

        assert (said.code, path in said.err) == (2, True)
        assert says in said.err
        assert here.model.requests == []
        assert (await here.cairn("roadmap", "lint")).code == 1


@OUTSIDE
@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("tokens_per_run: 999", "at least 1000"),
        ("tokens_per_run: 1e6", "a whole number"),
        ("tokens_per_run: true", "a whole number"),
        ("cost_per_run: 0", "greater than 0"),
        ("cost_per_task: .nan", "a number"),
        ("cost_per_day: $5", "a number"),
        ("cost_per_week: 5", "There is no such setting. Did you mean `limits.cost_per_"),
    ],
)
async def test_limits_that_are_none(tmp_path: Path, limit: str, says: str) -> None:
    """The answer names line and key, and nothing starts."""
    files = {**NOTES, CONFIG: f"limits:\n  {limit}\n".encode()}
    async with conversation(tmp_path, files) as bot, bot.started():
        await bot.comment("/execute")

        (said,) = bot.says()
        assert f"- line 2: `limits.{limit.partition(':')[0]}`: " in said
        assert says in said
        assert bot.prompts == []
        bot.github.verify()


LIMITS = (
    "cost_per_run: 0.09",
    pytest.param("cost_per_day: 0.09", marks=OUTSIDE),
    pytest.param("tokens_per_run: 8000", marks=OUTSIDE),
)


@pytest.mark.parametrize("limit", LIMITS)
async def test_a_limit_that_was_in_the_way_is_taken_away(tmp_path: Path, limit: str) -> None:
    """The run says which one it is, and goes on from there on the same day."""
    (prices := tmp_path / "prices.json").write_text(DEAR)
    files = {**NOTES, CONFIG: f"limits: {{{limit}}}".encode()}
    async with conversation(tmp_path, files, CAIRN_PRICES=prices) as bot, bot.started():
        bot.model.says(note("one.md"), note("two.md"))
        await bot.comment("/execute")
        (said,) = bot.says()
        assert f"limits.{limit.partition(':')[0]}" in said
        assert len(bot.pulls) < 2

        await bot.github.push(REPOSITORY, {CONFIG: b"loop: hybrid\n"})
        await bot.comment("/execute resume")

        assert "is done" in "".join(bot.says())
        assert bot.checkpoints() == ["1.1 Write one.md", "1.2 Write two.md"]
        bot.check()


@OUTSIDE
async def test_a_model_that_costs_nothing_keeps_every_limit(tmp_path: Path) -> None:
    """A price of 0 is a known price."""
    (prices := tmp_path / "prices.json").write_text('{"scripted": {"input": 0, "output": 0}}')
    limits = b"limits: {cost_per_task: 0.01, cost_per_run: 0.01, cost_per_day: 0.01}\n"
    files, settings = {**NOTES, CONFIG: limits}, {"CAIRN_PRICES": prices}
    async with conversation(tmp_path, files, **settings) as bot, bot.started():
        bot.model.says(note("one.md"), note("two.md"))
        await bot.comment("/execute")

        assert "is done" in bot.says()[-1]
        bot.check()


@OUTSIDE
async def test_what_an_account_may_cost_in_a_day(tmp_path: Path) -> None:
    """Its repositories share it, others do not; what rests goes on after midnight."""
    (prices := tmp_path / "prices.json").write_text(DEAR)
    settings = {"CAIRN_PRICES": prices, "CAIRN_MAX_COST_PER_ACCOUNT": 0.16}
    task = notes(f"- [ ] 1.1 {ONE}\n")
    async with conversation(tmp_path, task, **settings) as bot, bot.started():
        bot.model.otherwise = lambda _: note("one.md")
        issues = {REPOSITORY: bot.issue.number}
        for name in ("octo/second", "acme/third"):
            bot.github.add_repository(name, task, roles={"writer": "write"})
            issues[name] = bot.github.open_issue(name, "Go", by="writer").number
        ends = []
        for name, number in issues.items():
            await bot.github.comment(name, number, "/execute", by="writer")
            await bot.idle()
            ends.append(bot.github.says(name, number)[-1].splitlines()[0].rpartition("` ")[2])
        assert ends == ["is done", "is paused", "is done"]

        await bot.later(days=1)

        assert "is done" in bot.github.says("octo/second", issues["octo/second"])[-1]
        bot.check()


@on(NOTES)
async def test_order_in_an_issue_while_one_is_slow(bot: Bot) -> None:
    """What was asked second waits for the first; another issue is answered meanwhile."""
    bot.model.says(note("two.md"))
    other = bot.github.open_issue(REPOSITORY, "Mine", by="writer").number
    slow = bot.holds("GET", "/repos/*/collaborators/*/permission")
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute skip 1.1", by="writer")
    await slow.reached.wait()
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    answered = bot.holds("POST", f"*/issues/{other}/comments")
    await bot.github.comment(REPOSITORY, other, "/execute help", by="writer")
    await answered.reached.wait()
    assert bot.says() == []

    answered.release()
    slow.release()
    await bot.idle()

    skipped, done = bot.says()
    assert "is skipped" in skipped
    assert "is done" in done
    assert bot.checkpoints() == ["1.2 Write two.md"]
    assert bot.github.says(REPOSITORY, other)


@OUTSIDE
@on(NOTES)
async def test_what_nobody_heard_is_fetched_in_order(bot: Bot) -> None:
    """Every five minutes, the oldest first; a redelivery of it later is nothing new."""
    bot.model.says(note("two.md"))
    url, bot.github.webhook_url = bot.github.webhook_url, None
    for said in ("/execute skip 1.1", "/execute", "/execute status"):
        await bot.github.comment(REPOSITORY, bot.issue.number, said, by="writer")
    bot.github.webhook_url = url
    missed = bot.github.deliveries[:3]

    await bot.later(minutes=6)

    told = bot.says()
    assert ["is skipped" in told[0], "is done" in told[1], len(told)] == [True, True, 3]
    for delivery in missed:
        assert await bot.github.redeliver(delivery) == 202
    await bot.later(minutes=6)
    assert bot.says() == []
    assert bot.checkpoints() == ["1.2 Write two.md"]


@OUTSIDE
async def test_who_leaves_the_queue_makes_room(tmp_path: Path) -> None:
    """Six wait for one place: comment, status, page and API tell one number, which only falls."""
    settings = {"CAIRN_CONCURRENCY": "1", "CAIRN_ADMIN_TOKEN": TOKEN}
    task = notes(f"- [ ] 1.1 {ONE}\n")
    async with conversation(tmp_path, task, **settings) as bot, bot.started() as running:
        names = [f"octo/{word}" for word in ("two", "three", "four", "five", "six", "seven")]
        for name in names:
            bot.github.add_repository(name, task, roles={"writer": "write"})
        issues = {name: bot.github.open_issue(name, "Go", by="writer").number for name in names}
        answers = [Held(note("one.md")) for _ in range(5)]
        bot.model.says(*answers)
        await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
        await answers[0].asked.wait()

        async def say(name: str, words: str) -> str:
            await bot.github.comment(name, issues[name], words, by="writer")
            await running.inbox.idle()
            return bot.github.says(name, issues[name])[-1]

        runs = {name: run_of(await say(name, "/execute")) for name in names}
        front = str(bot.github.webhook_url).removesuffix("/webhook")

        async def places(name: str) -> set[int]:
            comments = bot.github.repo(name).comments(issues[name])
            progress = next(c.body for c in comments if f"run `{runs[name]}`" in c.body)
            said = progress + await say(name, "/execute status")
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with aiohttp.ClientSession(front, headers=headers) as browser:
                page = await (await browser.get(f"/runs/{runs[name]}")).json()
                api = await (await browser.get(f"/work-orders/{runs[name]}-0/position")).json()
            told = [int(n) for n in re.findall(r"at position (\d+) in the queue", said)]
            assert len(told) == 2
            return {*told, page["queue"]["position"], api["position"]}

        async def a_minute() -> None:
            bot.github.clock.advance(60)
            await bot.rests.ring(bot.github.clock.now())
            await running.places.idle()

        assert [await places(name) for name in names] == [{n} for n in range(1, 7)]
        for leaves in (names[0], names[3]):
            await say(leaves, "/execute cancel")
            names.remove(leaves)
            await a_minute()
            assert [await places(name) for name in names] == [{n} for n in range(1, len(names) + 1)]
        for done, begins in pairwise(answers[:3]):
            done.go.set()
            await begins.asked.wait()
            names.pop(0)
            await a_minute()
            assert [await places(name) for name in names] == [{n} for n in range(1, len(names) + 1)]

        for each in answers:
            each.go.set()
        await bot.idle()
        bot.says()
        for name in issues:
            bot.github.says(name, issues[name])
        bot.check()


@OUTSIDE
@on(NOTES)
async def test_who_may_read_the_audit_log(bot: Bot) -> None:
    """Only administrators, and what is no option of it is said."""
    bot.github.set_role(REPOSITORY, "keeper", "maintain")
    bot.github.set_role(REPOSITORY, "boss", "admin")
    for login in ("reader", "writer", "keeper", "stranger"):
        await bot.comment("/execute audit", by=login)
        assert "needs the *admin* permission" in bot.says()[-1]
    await bot.comment("/execute audit --all", by="boss")
    assert "has no option `--all`" in bot.says()[-1]
    await bot.comment("/execute skip 1.1")
    bot.says()

    await bot.comment("/execute audit", by="boss")

    (said,) = bot.says()
    assert re.findall(r"^\| \d.*\| (\S+) \| (.*) \|$", said, re.M) == [
        ("writer", "asked `skip 1.1`")
    ]


CHECK = "verify: {{commands: ['test {} one.md']}}\n"
NO, YES = (CHECK.format(word).encode() for word in ("! -e", "-e"))


@OUTSIDE
@on({**NOTES, CONFIG: NO})
async def test_a_change_is_verified_again_or_it_is_said_why_not(bot: Bot) -> None:
    """Whatever comes in its way, no model is asked."""
    bot.model.otherwise = lambda _: note("one.md")
    await bot.comment("/execute retry 1.1 --from verify")
    assert "there is nothing to verify again" in bot.says()[-1]
    await bot.comment("/execute --task 1.1")
    bot.says()
    asked = len(bot.prompts)

    await bot.comment("/execute retry 1.1 --from verify")
    still = "".join(bot.says())
    assert "command ended with exit code 1" in still
    assert "budget" not in still
    assert not [said for said in bot.proposes() if "too large" in said]
    await bot.github.push(REPOSITORY, {CONFIG: YES, "one.md": b"Mine.\n"})
    await bot.comment("/execute retry 1.1 --from verify")
    assert "one.md changed since; retry the task without `--from`" in "".join(bot.says())
    await bot.github.push(REPOSITORY, {CONFIG: YES + b"limits: {tokens_per_run: 1000}\n"})
    await bot.github.push(REPOSITORY, {"one.md": None})
    await bot.comment("/execute retry 1.1 --from verify")

    assert "is done" in "".join(bot.says())
    assert len(bot.prompts) == asked
    await bot.comment("/execute retry 1.1 --from verify")
    assert "is already in review" in bot.says()[-1]
    bot.proposes()


AGENT = """\
import json, os, subprocess, urllib.error, urllib.request
def ask(**more):
    asked = {"model": os.environ["CAIRN_MODEL"], "messages": [{"role": "user", "content": "Hi"}]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    form = {"Content-Type": "application/json"}
    try:
        urllib.request.urlopen(urllib.request.Request(url, json.dumps(asked | more).encode(), form))
        return "answered"
    except urllib.error.HTTPError as refused:
        return f"refused {refused.code}"
picture = {"type": "image_url", "image_url": {"url": "https://leak.example/a.png"}}
fetched = ask(tools=[], messages=[{"role": "user", "content": [picture]}])
told = [ask(), ask(model="other"), fetched]
told.append("a key" if "sk-" in str(dict(os.environ)) else "no key")
open("one.md", "w").write("\\n".join(told) + "\\n")
text = open("ROADMAP.md").read()
open("ROADMAP.md", "w").write(text.replace("[ ]", "[x]"))
os.makedirs(".github/workflows")
open(".github/workflows/on.yml", "w").write("on: push\\n")
git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
for step in (["init"], ["add", "-A"], ["commit", "-m", "a"]):
    subprocess.run([*git, *step])
raise SystemExit(7)
"""


@OUTSIDE
async def test_what_an_agent_may_and_may_not(tmp_path: Path) -> None:
    """The one model, no way out, no key; its ticks, commits and workflows are nothing."""
    config = {"agent": {"name": "command", "command": "python3 tools/agent.py"}}
    files = {"ROADMAP.md": NOTES["ROADMAP.md"], "tools/agent.py": AGENT, CONFIG: json.dumps(config)}
    content = {p: t if isinstance(t, bytes) else str(t).encode() for p, t in files.items()}
    async with checkout(tmp_path / "here", content) as here:
        here.model.says("Hello")

        said = await here.cairn("run", "--task", "1.1")

        assert said.code == 0, said.err
        wanted = "answered\nrefused 404\nrefused 400\nno key\n"
        assert (here.folder / "one.md").read_text() == wanted
        assert (here.folder / "ROADMAP.md").read_text().count("[x]") == 1
        assert not (here.folder / ".github/workflows").exists()
        assert here.log() == ["1.1 Write one.md", "a commit"]


SETUP = "sandbox: {{setup: ['python3 probe.py {} {}'], network: setup}}\n"
PROBE = b"""\
import sys, urllib.request
for url in sys.argv[1:]:
    try:
        print("through", urllib.request.urlopen(url, timeout=10).status)
    except OSError as error:
        print("refused", error)
sys.exit(3)
"""


@OUTSIDE
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
@pytest.mark.parametrize("hosts", ["", "127.0.0.1:{}", " , 127.0.0.1,,", "127*:{}", "127.0.0.1:1"])
async def test_what_setup_reaches(tmp_path: Path, hosts: str) -> None:
    """Of private addresses only what the operator names; what was refused is listed."""
    files = {"ROADMAP.md": b"- [ ] Write `one.md`\n", "test_a.py": b"def test_a(): pass\n"}
    async with checkout(tmp_path / "here", files) as here:
        url = here.environment["OPENAI_BASE_URL"] + "/models"
        port = url.split(":")[2].split("/")[0]
        config = SETUP.format(url, "http://169.254.169.254/")
        here.git.commit({"probe.py": PROBE, CONFIG: config.encode()})
        here.environment |= {"CAIRN_SANDBOX": "bubblewrap", "CAIRN_SETUP_HOSTS": hosts.format(port)}

        said = await here.cairn("run")

        assert said.code == 2
        open_for = hosts not in ("", "127.0.0.1:1")
        assert ("through 200" in said.err) is open_for
        assert (f"127.0.0.1:{port}" in said.err.partition("Refused: ")[2]) is not open_for
        assert "169.254.169.254:80" in said.err.partition("Refused: ")[2]
        assert here.model.requests == []


@OUTSIDE
async def test_no_other_tasks_for_a_plan_in_json(tmp_path: Path) -> None:
    """They are not offered, and refused while the proposal stays open: only states are written."""
    plan = f'{{"tasks": [{{"id": 1, "title": "{ONE}", "status": "pending"}}]}}'
    red = b"verify: {commands: ['test ! -e one.md']}\n"
    files = {**README, TASK_MASTER: plan.encode(), CONFIG: red}
    async with conversation(tmp_path, files) as bot, bot.started():
        bot.model.otherwise = lambda _: note("one.md")
        await bot.comment("/execute")
        (proposal,) = bot.proposals
        assert "/edit" not in "".join(bot.proposes())

        await bot.reply(proposal, "/edit\n- Write `a.md` with one line")

        assert "it cannot put other tasks there" in "".join(bot.proposes())


@OUTSIDE
async def test_a_run_that_waits_again(tmp_path: Path) -> None:
    """Paused and resumed before it began, a run says its position in its comment again."""
    task = notes("- [ ] 1.1 Write `one.md`\n")
    async with conversation(tmp_path, task, CAIRN_CONCURRENCY="1") as bot, bot.started() as running:
        bot.github.add_repository("octo/two", task, roles={"writer": "write"})
        issue = bot.github.open_issue("octo/two", "Go", by="writer").number
        held = Held(note("one.md"))
        bot.model.says(held, note("one.md"))
        await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
        await held.asked.wait()
        for words in ("/execute", "/execute pause", "/execute resume", "/execute status"):
            await bot.github.comment("octo/two", issue, words, by="writer")
            await running.inbox.idle()
            while words == "/execute pause" and not any(  # noqa: ASYNC110 - nothing tells of it
                "is paused" in each.body for each in bot.github.repo("octo/two").comments(issue)
            ):
                await asyncio.sleep(0)  # while it still pauses there is nothing to resume
            for _ in range(2):
                bot.github.clock.advance(60)
                await bot.rests.ring(bot.github.clock.now())
                await running.places.idle()
        said = [each.body for each in bot.github.repo("octo/two").comments(issue)]
        held.go.set()
        await bot.idle()

        assert "position 1 in the queue" in next(each for each in said if "Cairn run" in each)
        assert "position 1 in the queue" in said[-1]
