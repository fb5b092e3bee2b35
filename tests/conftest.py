"""What all tests share: how many examples the properties try, and which tests are long.

None of the properties has a limit of time; ``HYPOTHESIS_PROFILE=thorough`` looks longer, for
whoever changes what one is about. Long tests run with ``--long``, as in CI, and with them a fifth
of the cases of each matrix and a tenth of the nightly tests; ``--matrix`` runs all.
The end of a run says what it cost.
"""

from __future__ import annotations

import gc
import os
import random
import resource
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

collect_ignore = ["data"]  # projects of tests/answers have tests of their own

settings.register_profile(
    "quick",
    max_examples=40,
    deadline=None,
    derandomize=True,  # the same examples everywhere; "thorough" looks for new ones
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.register_profile(
    "thorough", settings.get_profile("quick"), max_examples=400, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: a third of the time tests wait for processes."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_configure(config: pytest.Config) -> None:
    """Look for cycles seldom: with Python's own thresholds it takes a seventh of the time."""
    gc.set_threshold(100_000, 10, 10)
    config.pluginmanager.register(Cost())


def pytest_collection_finish() -> None:
    """Leave what lasts as long as the process out of every later look for cycles."""
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--long``, ``--matrix`` and ``--seed``."""
    parser.addoption("--long", action="store_true", help="run the long tests too, as CI does")
    parser.addoption("--matrix", action="store_true", help="run every case of every matrix, too")
    parser.addoption("--seed", default="1", help="which cases of a matrix --long picks")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Name the seed, so that a failure of CI can be seen again."""
    if config.getoption("--long") and not config.getoption("--matrix"):
        return f"of the matrices and the nightly tests: --long --seed {config.getoption('--seed')}"
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Skip the long tests unless they are asked for, and say why each is long."""
    if config.getoption("--matrix"):
        return
    if config.getoption("--long"):
        seed = config.getoption("--seed")
        _sample(items, partial(_fifth, seed=seed), "matrix", "--matrix")
        _sample_nightly(items, seed)
        return
    _sample(items, _spread, "long", "--long")
    for item in items:
        for kind, option in (("long", "--long"), ("nightly", "--matrix")):
            if mark := item.get_closest_marker(kind):
                _skip(item, kind, mark.args[0], option)


def _sample_nightly(items: Sequence[pytest.Item], seed: str) -> None:
    """Skip the nightly tests that are not drawn: nine in ten."""
    for item in items:
        drawn = random.Random(f"{seed} {item.nodeid}")  # noqa: S311 - not a secret
        if (mark := item.get_closest_marker("nightly")) and drawn.random() > 0.1:
            _skip(item, "nightly", mark.args[0], "--matrix")


def _spread(_test: str, number: int, wanted: int) -> Collection[int]:
    """As many cases as the mark says, spread evenly."""
    return {place * number // wanted for place in range(wanted)}


def _fifth(test: str, number: int, wanted: int, *, seed: str) -> Collection[int]:
    """A fifth of the cases, drawn anew for each test; never fewer than the mark says."""
    drawn = random.Random(f"{seed} {test}")  # noqa: S311 - not a secret
    return drawn.sample(range(number), min(number, max(wanted, -(-number // 5))))


def _sample(
    items: Sequence[pytest.Item],
    choose: Callable[[str, int, int], Collection[int]],
    kind: str,
    option: str,
) -> None:
    """Of the cases of a test that is marked ``sample``, skip all but the chosen ones."""
    cases = defaultdict[tuple[str, int, str], list[pytest.Item]](list)
    for item in items:
        mark = item.get_closest_marker("sample")
        if mark and not (kind == "matrix" and mark.kwargs.get("whole")):
            cases[item.nodeid.partition("[")[0], *mark.args].append(item)
    for (test, wanted, why), every in cases.items():
        kept = choose(test, len(every), wanted)
        for place, item in enumerate(every):
            if place not in kept:
                _skip(item, kind, why, option)


class Cost:
    """What a run costs in processor time, its workers and what they started included."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what a worker of xdist used."""
        self.seconds += getattr(node, "workeroutput", {}).get("processor_seconds", 0.0)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A worker tells the process that started it."""
        if (told := getattr(session.config, "workeroutput", None)) is not None:
            told["processor_seconds"] = used()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say it where people look for what failed."""
        minutes = (self.seconds or used()) / 60
        terminalreporter.write_line(f"processor minutes of these tests: {minutes:.1f}")


def used() -> float:
    """Seconds of processor time of this process and of those it started and saw end."""
    spent = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in spent)


def _skip(item: pytest.Item, kind: str, why: str, option: str) -> None:
    item.add_marker(pytest.mark.skip(reason=f"{kind}: {why} ({option} runs it)"))
