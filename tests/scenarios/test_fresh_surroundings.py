"""What one answer leaves behind does not reach the verification of the next one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from tests.runner.sandbox.sandbox_bench import EVERY, ROOT, remove_images, working_sandbox
from tests.scenarios.bot import Bot, conversation
from tests.scenarios.projects import ADD_MODULE, CALC, answer, on

# as most tools do, the check reads settings of its own from places outside of the project
CHECK = """\
for place in "$HOME" "$(dirname "$(mktemp -u)")" $([ "$PWD" = /workspace ] && echo /dev/shm); do
    if [ -f "$place/checkrc" ]; then . "$place/checkrc"; fi
done
python3 -c "from calc.add import add; assert add(2, 3) == 5, 'wrong sum'"
"""
POISON = """\
import pathlib
import tempfile

places = [pathlib.Path.home(), pathlib.Path(tempfile.gettempdir())]
if pathlib.Path.cwd() == pathlib.Path("/workspace"):  # else /dev/shm is the machine's own
    places.append(pathlib.Path("/dev/shm"))
for place in places:
    (place / "checkrc").write_text("exit 0\\n")


def add(a, b):
    return a - b
"""
WRONG = "def add(a, b):\n    return a * b\n"
CHECKED = {
    **CALC,
    "ROADMAP.md": b"- [ ] 1.1 Add `calc/add.py` with `add(a, b)`\n",
    "check.sh": CHECK.encode(),
    ".github/cairn.yml": b"verify: {commands: [sh check.sh]}\nprotect: [check.sh]\n",
}


SETTLED = {
    **CHECKED,
    "check.sh": b"""\
grep -qx kept "$HOME/.toolrc" || { echo "no settings at home"; exit 1; }
echo changed >"$HOME/.toolrc"
python3 -c "from calc.add import add; assert add(2, 3) == 5, 'wrong sum'"
""",
    ".github/cairn.yml": b"""\
verify: {commands: [sh check.sh]}
sandbox: {setup: ['echo kept >"$HOME/.toolrc"']}
""",
}


@pytest.fixture
def files() -> Mapping[str, object]:
    """A project that a script of its own checks."""
    return CHECKED


@pytest.fixture(params=EVERY)
async def talk(
    request: pytest.FixtureRequest, tmp_path: Path, files: Mapping[str, object]
) -> AsyncIterator[Bot]:
    """A conversation in each sandbox."""
    await working_sandbox(request.param)  # skips, with the reason, where it does not work
    settings = {"CAIRN_SANDBOX": request.param}
    if request.param == "bubblewrap" and ROOT:
        settings["CAIRN_SANDBOX_IMAGE"] = ROOT
    async with conversation(tmp_path, files, **settings) as bot, bot.started():
        yield bot
        await bot.idle()
        bot.check()
    if request.param == "docker":
        await remove_images(str(bot.settings.cairn_data_dir.resolve()))


@pytest.mark.sample(1, "each sandbox", whole=True)
async def test_a_file_that_an_answer_left_makes_no_later_answer_green(talk: Bot) -> None:
    """The first wrong answer plants settings that end the check; the second stays red."""
    talk.model.says(answer({"calc/add.py": POISON}), answer({"calc/add.py": WRONG}), ADD_MODULE)

    await talk.comment("/execute --max-tasks 1")

    talk.says()
    (pull,) = talk.pulls
    assert len(talk.prompts) == 3
    assert "wrong sum" in talk.prompts[2]
    assert talk.changed(pull)["calc/add.py"] == b"def add(a, b):\n    return a + b\n"


@pytest.mark.sample(1, "each sandbox", whole=True)
@on(SETTLED)
async def test_each_verification_has_the_home_that_setup_left(talk: Bot) -> None:
    """What setup wrote there is found, and what a verification changed in it is not."""
    talk.model.says(answer({"calc/add.py": WRONG}), ADD_MODULE)

    await talk.comment("/execute --max-tasks 1")

    talk.says()
    assert len(talk.pulls) == 1
    assert "wrong sum" in talk.prompts[1]
