"""What all tests share: how many examples the properties try, and which tests are long.

None of the properties has a limit of time; ``HYPOTHESIS_PROFILE=thorough`` looks longer, for
whoever changes what one is about. Long tests run with ``--long``, as in CI.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence

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


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--long``."""
    parser.addoption("--long", action="store_true", help="run the long tests too, as CI does")


def pytest_collection_modifyitems(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Skip the long tests unless they are asked for, and say why each is long."""
    if config.getoption("--long"):
        return
    _sample(items)
    for item in items:
        if mark := item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason=f"long: {mark.args[0]} (--long runs it)"))


def _sample(items: Sequence[pytest.Item]) -> None:
    """Of the cases of a test that is marked ``sample``, mark all but n as long."""
    cases = defaultdict[tuple[str, int, str], list[pytest.Item]](list)
    for item in items:
        if mark := item.get_closest_marker("sample"):
            cases[item.nodeid.partition("[")[0], *mark.args].append(item)
    for (_, wanted, why), every in cases.items():
        kept = {place * len(every) // wanted for place in range(wanted)}
        for place, item in enumerate(every):
            if place not in kept:
                item.add_marker(pytest.mark.long(why))
