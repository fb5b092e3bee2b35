"""Tasks that a pattern fits: done from templates, verified like any other, without a model."""

from __future__ import annotations

import pytest

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD_MODULE, CALC, answer, on
from tests.scenarios.test_trust import section

UNITS = 'Create the module `calc/units.py` with the docstring "Units of things"'
FOLDER = ".github/cairn/patterns/"
HANDLER = b"""\
name: handler
when: ["Add the handler `{name}`"]
files:
  "calc/{{ name }}.py": |
    def {{ name }}():
        return {{ name|quoted }}
  "tests/test_{{ name }}.py": |
    from calc.{{ name }} import {{ name }}


    def test_it():
        assert {{ name }}() == {{ name|quoted }}
"""


def repository(roadmap: str, **files: bytes) -> dict[str, object]:
    """A small package whose roadmap has these tasks, and other files by their paths."""
    return {**CALC, "ROADMAP.md": roadmap.encode(), **files}


@on(repository(f"- [ ] 1.1 {UNITS}.\n- [ ] 1.2 Set `limits.units` to `3` in `app.toml`\n",
               **{"app.toml": b"[limits]\nunits = 2 # at most\n"}))  # fmt: skip
async def test_built_in_patterns_ask_no_model(bot: Bot) -> None:
    """The module is shown by its test, the setting breaks nothing; both say what made them."""
    await bot.comment("/execute")

    bot.says()
    module, setting = bot.pulls
    assert bot.model.requests == bot.model.apart == []
    assert bot.changed(module)["calc/units.py"] == b'"""Units of things"""\n'
    assert "Cairn-Verdict: shown" in bot.message(module)
    made = "- by the pattern module_creation (built in): path = calc/units.py, summary = Units of"
    assert made in (module.body or "")
    assert "- model answers: 0" in (module.body or "")
    assert bot.changed(setting)["app.toml"] == b"[limits]\nunits = 3\n"
    assert "Cairn-Verdict: unbroken" in bot.message(setting)
    await bot.comment("/history stats")
    assert "| pattern module_creation | 1 | 1 of 1 (100 %) |" in bot.says()[-1]


@on(repository("- [ ] Add the handler `ping`\n", **{f"{FOLDER}handler.yml": HANDLER,
               ".github/cairn.yml": b"planning: always\n"}))  # fmt: skip
async def test_a_pattern_of_the_repository(bot: Bot) -> None:
    """It needs no plan either."""
    await bot.comment("/execute")

    bot.says()
    (pull,) = bot.pulls
    assert bot.changed(pull)["calc/ping.py"] == b'def ping():\n    return "ping"\n'
    assert f"by the pattern handler ({FOLDER}handler.yml): name = ping" in (pull.body or "")
    assert "`tests/test_ping.py::test_it`" in section(bot)
    assert bot.model.requests == []


ESCAPES = HANDLER.replace(b"calc/{{ name }}.py", b"../{{ name }}.py")
BROKEN = HANDLER.replace(b"return {{", b"return = {{")
LOOPS = HANDLER.replace(b"return {{ name|quoted }}", b"{% for a in name %}{{ a }}{% endfor %}")


@pytest.mark.sample(2, "a conversation for each case")
@on(repository("- [ ] Add the handler `ping`\n"))
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (ESCAPES, "../ping.py"),
        (BROKEN, "invalid syntax"),
        (HANDLER.replace(b"== {{", b"!= {{"), "assert"),
    ],
)
async def test_what_does_not_pass_is_repaired_by_a_model(bot: Bot, text: bytes, why: str) -> None:
    """A path outside, broken code, a red test: the same checks refuse it as any answer."""
    await bot.github.push(REPOSITORY, {f"{FOLDER}handler.yml": text})
    test = "from calc.ping import ping\n\n\ndef test_it():\n    assert ping() == 'ping'\n"
    good = {"calc/ping.py": "def ping():\n    return 'ping'\n", "tests/test_ping.py": test}
    bot.model.says(answer(good))

    await bot.comment("/execute")

    bot.says()
    (pull,) = bot.pulls
    assert why in bot.prompts[0]
    assert bot.changed(pull)["calc/ping.py"] == good["calc/ping.py"].encode()
    assert "by the pattern" not in (pull.body or "")


@on(repository("- [ ] Add the handler `ping`\n", **{f"{FOLDER}handler.yml": LOOPS}))
async def test_a_file_that_is_no_pattern_is_named(bot: Bot) -> None:
    """The task is the model's then."""
    bot.model.says(ADD_MODULE.replace("add", "ping"))

    await bot.comment("/execute")

    bot.says()
    [iteration] = bot.files("iteration-1.json")
    assert f"{FOLDER}handler.yml, line 4: " in iteration.read_text()
    assert "A template has no for" in iteration.read_text()


@on(repository("- [ ] 1.1 Write a pattern for handlers\n- [ ] 1.2 Add the handler `ping`\n"))
async def test_only_patterns_of_the_base_branch_count(bot: Bot) -> None:
    """One that a model wrote a task before, on the branch that the next builds on, is not used."""
    bot.model.says(
        f"{FOLDER}handler.yml\n```yaml\n{HANDLER.decode()}```\n",
        answer({"calc/ping.py": "def ping():\n    return 1\n"}),
    )

    await bot.comment("/execute")

    bot.says()
    assert len(bot.prompts) == 2
    assert bot.changed(bot.pulls[1])["calc/ping.py"] == b"def ping():\n    return 1\n"


@on(repository(f"- [ ] {UNITS}\n", **{".github/cairn.yml": b"patterns: false\n"}))
async def test_a_repository_can_turn_them_off(bot: Bot) -> None:
    """Then every task is the model's."""
    bot.model.says(answer({"calc/units.py": '"""Units of things"""\n'}))

    await bot.comment("/execute")

    bot.says()
    assert len(bot.prompts) == 1
