"""Options of ``cairn run`` and the repository's configuration, end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.model_server import Held
from tests.scenarios.projects import note

ONE, TWO = note("one.md"), note("two.md")
CONFIG = ".github/cairn.yml"


async def test_the_repository_has_settings(here: Checkout) -> None:
    """What nobody said on the command line is as the committed file says."""
    here.git.commit({CONFIG: b"roadmap:\n  path: PLAN.md\n", "PLAN.md": b"- [ ] 7.1 Plan\n"})

    assert "[DRY RUN] 1. 7.1: Plan" in (await here.cairn("run", "--dry-run")).out
    said = await here.cairn("run", "--dry-run", "--roadmap", "ROADMAP.md")
    assert "[DRY RUN] 1. 1.1: Write one.md" in said.out


async def test_what_is_not_committed_does_not_count(here: Checkout) -> None:
    """The file is read from the commit the run builds on."""
    here.git.write({CONFIG: b"roadmap:\n  path: PLAN.md\n"})

    assert "1.1: Write one.md" in (await here.cairn("run", "--dry-run")).out


async def test_settings_that_cannot_be_used(here: Checkout) -> None:
    """Every problem is told with its line, and nothing is begun; 2."""
    here.git.commit({CONFIG: b"limits:\n  tsks: 3\nloop: never\n"})

    said = await here.cairn("run")

    assert said.code == 2
    assert "line 2: `limits.tsks`: There is no such setting." in said.err
    assert "line 3: `loop`" in said.err
    assert not list((here.folder / ".executor").glob("journal/*/journal.jsonl"))


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ({f"{CONFIG}/notes.txt": b"a folder"}, "It is a folder."),
        ({CONFIG: b"#" * 100_000}, "It has 100000 bytes"),
    ],
    ids=["folder", "large"],
)
async def test_what_is_no_configuration_file(
    here: Checkout, place: dict[str, bytes], why: str
) -> None:
    """It is told instead of using the defaults, also by the doctor; 2."""
    here.git.commit(place)

    said = await here.cairn("run")
    looked = await here.cairn("doctor")

    assert said.code == looked.code == 2
    assert why in said.err
    assert why in looked.out


async def test_commands_without_isolation_see_where_compilers_are_and_no_key(
    here: Checkout,
) -> None:
    """Of the shell's variables they have PATH and the places of toolchains; 0."""
    here.environment |= {"JAVA_HOME": "/opt/java", "GITHUB_TOKEN": "x", "DATABASE_URL": "y"}
    names = "OPENAI_API_KEY OPENAI_BASE_URL CAIRN_MODEL CAIRN_SANDBOX GITHUB_TOKEN DATABASE_URL"
    checks = ['test "$JAVA_HOME" = /opt/java', *(f'test -z "${name}"' for name in names.split())]
    lines = "".join(f"  - {check!r}\n" for check in checks)
    here.git.commit({CONFIG: f"verify:\n  commands:\n{lines}".encode()})
    here.model.says(ONE)

    said = await here.cairn("run", "--max-tasks", "1")

    assert said.code == 0, said.err


@pytest.mark.parametrize("limit", ["100000", "none"])
async def test_tokens_are_reserved(here: Checkout, limit: str) -> None:
    """A limit that no answer fits into stops the run; raised or taken away, it goes on; 4, 0."""
    said = await here.cairn("run", "--max-tokens", "1000", "--max-tasks", "1")

    assert said.code == 4
    assert "To continue, raise or remove the limit: cairn resume --max-tokens" in said.err
    assert here.model.requests == []
    assert (await here.cairn("status")).out.count("To continue") == 1

    assert (await here.cairn("resume")).code == 4  # the limit is kept
    wrong = await here.cairn("resume", "--max-tokens", "-1")
    assert (wrong.code, "Give a number or the word 'none'." in wrong.err) == (2, True)
    here.model.says(ONE)
    assert (await here.cairn("resume", "--max-tokens", limit)).code == 0


async def test_an_unknown_price_stops_a_run_with_a_limit(here: Checkout) -> None:
    """Nothing is begun whose price nobody knows; with its price known it is; 2, then 0."""
    said = await here.cairn("run", "--max-cost", "1", "--max-tasks", "1")
    assert (said.code, said.out) == (2, "")
    assert "The price of model scripted is unknown" in said.err
    assert "Executing task" not in said.err
    assert not (here.folder / ".executor").exists()

    prices = here.folder.parent / "prices.json"
    prices.write_text(json.dumps({"scripted": {"input": 1.0, "output": 2.0}}))
    here.environment["CAIRN_PRICES"] = str(prices)
    here.model.says(ONE)
    assert (await here.cairn("run", "--max-cost", "1", "--max-tasks", "1")).code == 0
    assert here.left("report.json")["model_usage"]["cost"] > 0


async def test_a_limit_of_cost_is_taken_away(here: Checkout) -> None:
    """A run that began with one goes on without, also where the price is not known any more."""
    prices = here.folder.parent / "prices.json"
    prices.write_text(json.dumps({"scripted": {"input": 1.0, "output": 2.0}}))
    here.environment["CAIRN_PRICES"] = str(prices)
    assert (await here.cairn("run", "--max-cost", "0", "--max-tasks", "1")).code == 4
    assert (await here.cairn("resume")).code == 4
    del here.environment["CAIRN_PRICES"]
    here.model.says(ONE)

    said = await here.cairn("resume", "--max-cost", "none")

    assert said.code == 0, said.err


async def test_limits_of_the_repository(here: Checkout) -> None:
    """Its file says what a run may cost, and all runs of a day together; 4 until it says more."""
    prices = here.folder.parent / "prices.json"
    prices.write_text(json.dumps({"scripted": {"input": 100.0, "output": 0.0}}))
    here.environment["CAIRN_PRICES"] = str(prices)
    here.git.commit({CONFIG: b"limits: {cost_per_run: 0.0001, cost_per_task: 900}\n"})
    said = await here.cairn("run", "--max-tasks", "1")
    assert said.code == 4
    assert "To continue, raise limits.cost_per_run in .github/cairn.yml" in said.err
    assert here.model.requests == []

    here.git.commit({CONFIG: b"limits: {cost_per_day: 900, tokens_per_run: 900000}\n"})
    here.model.says(ONE)
    assert (await here.cairn("resume")).code == 0
    cost = here.left("report.json")["model_usage"]["cost"]
    here.git.commit({CONFIG: f"limits: {{cost_per_day: {cost * 1.2}}}\n".encode()})
    said = await here.cairn("run", "--max-tasks", "1")
    assert said.code == 4
    assert "To continue, raise limits.cost_per_day in .github/cairn.yml" in said.err
    assert "limits.cost_per_day: " in (await here.cairn("doctor")).out


async def test_a_change_is_verified_again(here: Checkout) -> None:
    """The tests could not pass; now they can, and no model is asked for the same change; 1, 0."""
    none = await here.cairn("retry", "1.1", "--from", "verify")
    assert (none.code, "No run here has kept a change for 1.1" in none.err) == (2, True)
    here.git.commit({CONFIG: b"verify: {commands: ['test ! -e one.md']}\n"})
    here.model.otherwise = lambda _: ONE
    assert (await here.cairn("run", "--task", "1.1")).code == 1
    asked = len(here.model.requests)

    here.git.commit({CONFIG: b"verify: {commands: ['test -e ROADMAP.md']}\n"})
    said = await here.cairn("retry", "1.1", "--from", "verify")
    assert said.code == 0, said.err
    assert (here.folder / "one.md").is_file()
    assert len(here.model.requests) == asked


async def test_two_at_a_time(here: Checkout) -> None:
    """Two questions wait at once, and the files in the end are those of one after the other."""
    first, second = Held(ONE), Held(TWO)
    here.model.when(contains="1.1 Write `one.md`").says(first)
    here.model.when(contains="1.2 Write `two.md`").says(second)
    process = await here.start("run", "--parallel", "2")
    await first.asked.wait()
    await second.asked.wait()
    for kept in (second, first):
        kept.go.set()

    said = await here.end(process)

    assert said.code == 0, said.err
    assert sorted(here.log()) == ["1.1 Write one.md", "1.2 Write two.md", "a commit"]
    assert (here.folder / "ROADMAP.md").read_text().count("[x]") == 2
    assert here.git("status", "--porcelain") == ""


@pytest.mark.parametrize("option", [["--phase", "2"], ["--task", "2.1"]])
async def test_a_part_of_the_roadmap(tmp_path: Path, option: list[str]) -> None:
    """``--phase`` and ``--task`` leave the rest alone."""
    roadmap = b"## Phase 1\n\n- [ ] 1.1 Write `one.md`\n\n## Phase 2\n\n- [ ] 2.1 Write `two.md`\n"
    async with checkout(tmp_path / "here", {"ROADMAP.md": roadmap}) as here:
        here.model.says(TWO)

        assert (await here.cairn("run", *option)).code == 0
        assert here.log() == ["2.1 Write two.md", "a commit"]


async def test_what_to_type_is_of_the_command_line(here: Checkout) -> None:
    """Messages of a checkout do not speak of comments on GitHub."""
    said = await here.cairn("run", "--roadmap", "PLAN.md")

    assert "`cairn run --roadmap ROADMAP.md`" in said.err
    assert "/execute" not in said.err


@pytest.mark.parametrize(
    ("task", "deletes"), [("Write", False), ("Remove `x.md`, then write", True)]
)
async def test_a_small_model_is_told_the_form_in_few_words(
    tmp_path: Path, task: str, deletes: bool
) -> None:
    """Without the example and the rules that such models give back as their work."""
    files = {"ROADMAP.md": f"- [ ] 1.1 {task} `one.md`\n".encode()}
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(ONE)
        here.environment["CAIRN_MODEL"] = "tiny-coder:0.5b"
        said = await here.cairn("run")

        prompt = here.model.requests[0].prompt
        assert said.code == 0, said.err
        assert "src/hello.py" not in prompt
        assert ("DELETE" in prompt) is deletes


async def test_another_model_goes_on_after_two_answers(tmp_path: Path) -> None:
    """What it gave is verified like the others' answers, and the report says what each took."""
    files = {
        "ROADMAP.md": b"- [ ] 1.1 Let `one()` in `one.py` return 2\n",
        "one.py": b"def one():\n    return 1\n",
        "tests/test_one.py": b"from one import one\n\n\ndef test_one():\n    assert one() == 2\n",
        CONFIG: b"model:\n  name: first\n  stronger: other\n",
    }
    answer = "one.py\n```python\ndef one():\n    return {}\n```\n"
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(*(answer.format(n) for n in (3, 4, 2)))
        said = await here.cairn("run")

        assert said.code == 0, said.err
        assert [asked.model for asked in here.model.requests] == ["first", "first", "other"]
        models = here.left("report.json")["models"]
        assert {name: used["calls"] for name, used in models.items()} == {"first": 2, "other": 1}
        assert "| other |" in next((here.folder / ".executor").glob("**/report.md")).read_text()
