"""Rows about what a task needs that is not there: packages, modules, each other."""

from __future__ import annotations

from tests.runner.sandbox.wheels import wheel
from tests.scenarios.projects import answer
from tests.scenarios.promised.left import Left
from tests.scenarios.promised.scenario import TESTS, Asked, Scenario, to

LOADER = {
    "loader.py": "import yamlish\n\n\ndef load(text):\n    return yamlish.read(text)\n",
}
LOADER_TESTS = {
    "tests/test_loader.py": "from loader import load\n\n\ndef test_load():\n"
    '    assert load("a: 1") == {"a": "1"}\n',
}
PATHS = answer(
    {"paths.py": "def join(*parts):\n    return '/'.join(part.strip('/') for part in parts)\n"}
)
YAMLISH = wheel(
    "yamlish",
    "def read(text):\n    return dict(line.split(': ') for line in text.splitlines())\n",
)
PACKAGE = {
    "ROADMAP.md": b"- [ ] 1.1 Add `loader.py` with `load(text)`, a configuration loader that uses "
    b"the package `yamlish`, and `tests/test_loader.py`\n"
    b"- [ ] 1.2 Add `paths.py` with `join(*parts)`\n",
    "pyproject.toml": b'[project]\nname = "loader"\nversion = "1"\ndependencies = []\n',
    "conftest.py": b"",
    "tests/test_nothing.py": b"def test_nothing():\n    assert True\n",
}


def _skipped(left: Left) -> None:
    assert left.statuses == {"1.1": "skipped", "1.2": "completed"}
    (error,) = left.report["errors"]
    assert error["reason"] == "environment_issue"
    assert any("yamlish" in line for line in error["evidence"]), error
    assert "Classified failure: ENVIRONMENT_ISSUE" in left.log
    assert left.of("1.1")["answers"] == 1, "no answer brings a package that the task asks for"
    assert set(left.changed) == {"paths.py"}


SKIPPED = Scenario(
    id="missing-package",
    variant="skip",
    files=PACKAGE,
    answers=(
        to("`loader.py`", says=(answer(LOADER | LOADER_TESTS),), without=("`paths.py` with",)),
        PATHS,
    ),
    check=_skipped,
    code=1,
    ends="has ended",
)


def _installed(left: Left) -> None:
    assert left.statuses == {"1.1": "completed", "1.2": "completed"}
    assert b"yamlish" in left.tree["requirements.txt"]
    assert left.of("1.1")["test_repairs"] == 1


INSTALLED = Scenario(
    id="missing-package",
    variant="setup",
    files={
        **PACKAGE,
        "requirements.txt": b"--no-index\n",
        "yamlish-1.0-py3-none-any.whl": YAMLISH,
    },
    answers=(
        answer(LOADER | LOADER_TESTS),
        "requirements.txt\n```\n--no-index\n./yamlish-1.0-py3-none-any.whl\n```\n",
        PATHS,
    ),
    asked=Asked(setup=("pip install -r requirements.txt",)),
    check=_installed,
)

MODEL = answer(
    {
        "src/models.py": "class User:\n    def __init__(self, name):\n        self.name = name\n",
    }
)
SERVICE = answer(
    {
        "src/service.py": "from src.models import User\n\n\n"
        "def register(name):\n    return User(name.strip())\n",
    }
)
SERVICE_TESTS = answer(
    {
        "tests/test_service.py": "from src.models import User\nfrom src.service import register\n"
        '\n\ndef test_user():\n    assert User("Ann").name == "Ann"\n\n\n'
        'def test_register():\n    assert register(" Ann ").name == "Ann"\n',
    }
)
THREE = {
    "src/__init__.py": b"",
    "tests/test_src.py": b"import src\n\n\ndef test_src():\n    assert src\n",
}
SERVICE_TASK = "Add `src/service.py` with `register(name)`, which makes a user of `src.models`"
MODEL_TASK = "Add `src/models.py` with the class `User`"
TESTS_TASK = "Add `tests/test_service.py` for the class and the service"


def _deferred(left: Left) -> None:
    assert set(left.statuses.values()) == {"completed"}
    assert "Classified failure: MISSING_DEPENDENCY" in left.log
    assert "Deferring task: 1.1 (MISSING_DEPENDENCY)" in left.log
    assert "Retrying deferred task: 1.1" in left.log
    assert left.of("1.1")["attempt"] == 2
    assert "src/models.py" in left.asked(SERVICE_TASK)[-1]
    assert left.of("1.1")["task"] in left.report["deferrals"]
    deferrals = left.report["recoveries"]["by_strategy"]["defer"]
    assert deferrals["successful"] == deferrals["applied"] == len(left.report["deferrals"])
    assert "defer" in left.text.lower()
    left.check_tests_pass()


MISSING_MODULE = Scenario(
    id="missing-module",
    files={
        **THREE,
        "ROADMAP.md": f"- [ ] 1.1 {SERVICE_TASK}\n- [ ] 1.2 {MODEL_TASK}\n"
        f"- [ ] 1.3 {TESTS_TASK}\n".encode(),
    },
    answers=(
        to(SERVICE_TASK, says=(SERVICE, SERVICE)),
        to(MODEL_TASK, says=(MODEL,)),
        to(TESTS_TASK, says=(SERVICE_TESTS,), again=True),
    ),
    check=_deferred,
)


def _in_order(left: Left) -> None:
    assert set(left.statuses.values()) == {"completed"}
    assert [
        words in prompt
        for words, prompt in zip((MODEL_TASK, SERVICE_TASK, TESTS_TASK), left.prompts, strict=True)
    ] == [True] * 3
    assert left.report["deferrals"] == []
    assert left.report["tasks"]["deferred"] == 0
    assert not any("Deferring" in line for line in left.log)
    left.check_tests_pass()


DEFER_ORDER = Scenario(
    id="defer-order",
    files={
        **THREE,
        "ROADMAP.md": f"- [ ] 1.1 {SERVICE_TASK}\n  - Depends on: 1.2\n- [ ] 1.2 {MODEL_TASK}\n"
        f"- [ ] 1.3 {TESTS_TASK}\n".encode(),
    },
    answers=(MODEL, SERVICE, SERVICE_TESTS),
    check=_in_order,
)

USER = """\
from app.profile import Profile


class User:
    def __init__(self, name):
        self.profile = Profile(self)
        self.name = name
"""
PROFILE = """\
from app.user import User


class Profile:
    def __init__(self, user):
        self.user = user

    @staticmethod
    def of(name):
        return User(name).profile
"""
DEFERRED = """\
class Profile:
    def __init__(self, user):
        self.user = user

    @staticmethod
    def of(name):
        from app.user import User

        return User(name).profile
"""


def _circular(left: Left) -> None:
    assert set(left.statuses.values()) == {"completed"}
    (asked,) = left.asked(TESTS)
    assert "circular import" in asked
    assert left.tree["app/profile.py"].decode() == DEFERRED
    left.proves('from app.user import User; assert User("Ann").profile.user.name == "Ann"')
    left.proves('from app.profile import Profile; assert Profile.of("Ann").user.name == "Ann"')
    left.check_tests_pass()


CIRCULAR = Scenario(
    id="circular-import",
    files={
        "ROADMAP.md": b"- [ ] 1.1 Add `app/user.py` with the class `User`, which has a profile, "
        b"and `app/profile.py` with the class `Profile`, which makes users\n"
        b"- [ ] 1.2 Add `tests/test_user.py` for both, in both directions\n",
        "app/__init__.py": b"",
        "tests/test_app.py": b"import app\n\n\ndef test_app():\n    assert app\n",
    },
    answers=(
        answer({"app/user.py": USER, "app/profile.py": PROFILE}),
        answer(
            {
                "tests/test_user.py": "from app.user import User\n\n\ndef test_profile():\n"
                '    user = User("Ann")\n    assert user.profile.user is user\n\n\n'
                "def test_of():\n    from app.profile import Profile\n\n"
                '    assert Profile.of("Ann").user.name == "Ann"\n',
            }
        ),
        answer({"app/profile.py": DEFERRED}),
    ),
    check=_circular,
)
ROWS = (SKIPPED, INSTALLED, MISSING_MODULE, DEFER_ORDER, CIRCULAR)
